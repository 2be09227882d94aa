package store

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Point is one row of a time-series database.
type Point struct {
	Measurement string
	Tags        []Tag
	Fields      []Field
	TimeNs      int64 // ns since 1970, UTC
}

// Tag is one word that names a point's series.
type Tag struct{ Name, Value string }

// Field is one figure of a point: a float or an int64, for ever.
type Field struct {
	name  string
	float float64
	count int64
	isInt bool
}

// Float returns a field that holds a measured value; one that is not finite is
// left out of its point.
func Float(name string, v float64) Field { return Field{name: name, float: v} }

// Int returns a field that holds a count.
func Int(name string, v int64) Field { return Field{name: name, count: v, isInt: true} }

// Name returns the field's name.
func (f Field) Name() string { return f.name }

// Value returns a float64 or an int64.
func (f Field) Value() any {
	if f.isInt {
		return f.count
	}
	return f.float
}

func (f Field) finite() bool {
	return f.isInt || !math.IsNaN(f.float) && !math.IsInf(f.float, 0)
}

// Clean leaves out fields that are not finite, and then points without a field;
// it returns how many points that were.
func Clean(points []Point) (kept []Point, dropped int64) {
	for _, p := range points {
		p.Fields = slices.DeleteFunc(slices.Clone(p.Fields), func(f Field) bool { return !f.finite() })
		if len(p.Fields) == 0 {
			dropped++
			continue
		}
		kept = append(kept, p)
	}
	return kept, dropped
}

// Check returns an error if two points would overwrite one another, because they
// are of the same series and time, or if a point has a tag and a field of one
// name, which a database could not tell apart.
func Check(points []Point) error {
	seen := make(map[string]bool, len(points))
	for _, p := range points {
		for _, f := range p.Fields {
			if p.tag(f.name) != "" {
				return fmt.Errorf("check point of %s: %q is a tag and a field; rename one of them", p.Measurement, f.name)
			}
		}
		key := fmt.Sprintf("%s @ %d", p.series(), p.TimeNs)
		if seen[key] {
			return fmt.Errorf("check points: two of one series at one time, of which a database keeps one: %s; "+
				"give them different tags or times", key)
		}
		seen[key] = true
	}
	return nil
}

// series names the series that p belongs to.
func (p Point) series() string {
	tags := slices.Clone(p.Tags)
	slices.SortFunc(tags, func(a, b Tag) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	b.WriteString(p.Measurement)
	for _, t := range tags {
		if t.Value != "" {
			fmt.Fprintf(&b, ",%s=%q", t.Name, t.Value)
		}
	}
	return b.String()
}

func (p Point) tag(name string) string {
	for _, t := range p.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}
