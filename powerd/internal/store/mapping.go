package store

import (
	"strconv"

	"powerd/analysis"
)

// Measurements of the live summaries.
const (
	MeasurementRail   = "powerd_rail"
	MeasurementEngine = "powerd_engine"
)

// measurement names the measurement that a table becomes.
func measurement(table string) string {
	switch table {
	case "efficiency":
		return "powerd_step"
	case "limits":
		return "powerd_limit"
	case "marks":
		return "powerd_mark"
	}
	return "powerd_" + table
}

// TagName returns the tag that a column becomes, or "" if it is a field or left
// out.
func TagName(c analysis.Column) string {
	switch c.Name {
	case "bs_bytes":
		return "bs"
	case "step", "rail", "rw", "bs", "qd", "jobs", "read_pct", "state", "cycle", "window_us":
		return c.Name
	}
	if c.Kind == analysis.Key {
		return c.Name
	}
	return ""
}

// CellText returns a cell as a tag shows it; "" if it is absent.
func CellText(c analysis.Column, cell analysis.Cell) string {
	switch {
	case !cell.Valid:
		return ""
	case c.Kind == analysis.Quantity || c.Kind == analysis.Count:
		return strconv.FormatFloat(cell.Value, 'f', -1, 64)
	}
	return cell.Text
}

// TablePoints returns the points of a table, one a row.
func (r Run) TablePoints(t *analysis.Table) []Point {
	points := make([]Point, 0, len(t.Rows))
	for i := range t.Rows {
		points = append(points, r.rowPoint(t, &t.Rows[i]))
	}
	return points
}

func (r Run) rowPoint(t *analysis.Table, row *analysis.Row) Point {
	p := Point{Measurement: measurement(t.Name), Tags: r.tags(), TimeNs: r.StartedUTCNs}
	if row.EndNs != 0 {
		p.TimeNs = r.UTCNs(row.EndNs)
	}
	for i, c := range t.Columns {
		if i >= len(row.Cells) || !row.Cells[i].Valid {
			continue
		}
		cell := row.Cells[i]
		if tag := TagName(c); tag != "" {
			p.Tags = setTag(p.Tags, tag, CellText(c, cell))
			continue
		}
		switch c.Kind {
		case analysis.Quantity:
			p.Fields = append(p.Fields, Float(c.Name, cell.Value))
			if cell.U95 > 0 {
				p.Fields = append(p.Fields, Float(c.Name+"_u95", cell.U95))
			}
		case analysis.Count:
			p.Fields = append(p.Fields, Int(c.Name, int64(cell.Value)))
		}
	}
	return p
}

// RailPoints returns the points of rail summaries.
func (r Run) RailPoints(rails []Rail100ms) []Point {
	points := make([]Point, 0, len(rails))
	for _, s := range rails {
		p := Point{Measurement: MeasurementRail, TimeNs: r.UTCNs(s.EndNs)}
		p.Tags = append(r.tags(), Tag{"rail", s.Rail}, Tag{"step", s.Step})
		p.Fields = append(p.Fields, Int("n", s.N), Int("lost", s.Lost))
		p.Fields = append(p.Fields, s.V.fields("v")...)
		p.Fields = append(p.Fields, s.A.fields("a")...)
		p.Fields = append(p.Fields, s.W.fields("w")...)
		points = append(points, p)
	}
	return points
}

func (s Stats) fields(unit string) []Field {
	return []Field{
		Float("min_"+unit, s.Min), Float("mean_"+unit, s.Mean),
		Float("max_"+unit, s.Max), Float("std_"+unit, s.Std),
	}
}

// EnginePoints returns the points of engine summaries.
func (r Run) EnginePoints(engines []Engine100ms) []Point {
	points := make([]Point, 0, len(engines))
	for _, s := range engines {
		points = append(points, Point{
			Measurement: MeasurementEngine,
			TimeNs:      r.UTCNs(s.EndNs),
			Tags:        append(r.tags(), Tag{"step", s.Step}),
			Fields: []Field{
				Int("reads", s.Reads), Int("writes", s.Writes),
				Int("read_bytes", s.ReadBytes), Int("write_bytes", s.WriteBytes),
				Float("duration_s", float64(s.DurationNs)*1e-9),
			},
		})
	}
	return points
}

// tags returns the tags that every point of the run bears. An emulated drive is
// marked, so that nobody takes its figures for a real one's.
func (r Run) tags() []Tag {
	tags := []Tag{
		{"run", r.ID},
		{"suite", r.Suite},
		{"bench", r.Bench},
		{"drive", r.Drive},
		{"drive_serial", r.DriveSerial},
		{"firmware", r.Firmware},
		{"module", r.Module},
	}
	if r.Simulated {
		tags = append(tags, Tag{"simulated", "yes"})
	}
	return tags
}

// setTag adds a tag, in place of one of the same name: a row that names another
// drive than the run's means its own.
func setTag(tags []Tag, name, value string) []Tag {
	for i := range tags {
		if tags[i].Name == name {
			tags[i].Value = value
			return tags
		}
	}
	return append(tags, Tag{name, value})
}
