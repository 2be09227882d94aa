package influx

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/influxdata/influxdb-client-go/v2/api/write"

	"powerd/powerd/internal/store"
)

// finalBackslash stands for a backslash at the end of a word, which line protocol
// cannot carry.
const finalBackslash = "⧵" // U+29F5 REVERSE SOLIDUS OPERATOR

// encode returns the line of one point, with its line end.
func encode(p store.Point) (string, error) {
	name := strings.TrimLeft(clean(p.Measurement), "#")
	if name == "" {
		return "", fmt.Errorf("encode point: measurement %q has no usable name", p.Measurement)
	}
	point := write.NewPointWithMeasurement(name).SetTime(time.Unix(0, p.TimeNs))
	for _, t := range p.Tags {
		if value := clean(t.Value); value != "" {
			point.AddTag(key(t.Name), value)
		}
	}
	for _, f := range p.Fields {
		point.AddField(key(f.Name()), f.Value())
	}
	if len(point.TagList()) == 0 || len(point.FieldList()) == 0 {
		return "", fmt.Errorf("encode point of %s: it has no tag or no field; give it at least the run's", name)
	}
	return write.PointToLineProtocol(point.SortTags(), time.Nanosecond), nil
}

// key returns a tag's or field's name that a server accepts.
func key(name string) string {
	if name = clean(name); name == "time" {
		return "time_"
	}
	return name
}

// clean returns s as line protocol can carry it.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if head, found := strings.CutSuffix(s, `\`); found {
		return head + finalBackslash
	}
	return s
}

// batches joins lines into batches of at most size points.
func batches(lines []string, size int) []store.Batch {
	var out []store.Batch
	for part := range slices.Chunk(lines, size) {
		out = append(out, store.Batch{Lines: strings.Join(part, ""), Points: int64(len(part))})
	}
	return out
}

// measurements names what is in lines, for a message.
func measurements(lines string) string {
	var names []string
	for line := range strings.Lines(lines) {
		name, _, _ := strings.Cut(line, ",")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
