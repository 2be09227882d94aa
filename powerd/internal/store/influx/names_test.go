package influx_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/demand"
	"powerd/analysis/efficiency"
	"powerd/analysis/idle"
	"powerd/analysis/inrush"
	"powerd/analysis/limits"
	"powerd/analysis/record"
	"powerd/analysis/recovery"
	"powerd/analysis/saturation"
	"powerd/analysis/scaling"
	"powerd/analysis/steady"
	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/storetest"
	"powerd/quarch"
)

// The table of names in doc.go is what people build dashboards on: it names
// exactly the tags and fields that are written, with the units of the tables that
// they come from. A column that was renamed, or one more, shows here.
func TestNamesAreThoseOfTheDocumentation(t *testing.T) {
	want, got := documented(t), written()
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("doc.go names what is not written: %s", name)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("doc.go does not name what is written: %s", name)
		}
	}
}

// documented reads the table in doc.go: "measurement kind name [unit]".
func documented(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	header := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(strings.TrimPrefix(line, "//\t"), "\n")
		if strings.HasPrefix(line, "measurement ") {
			header = line
			continue
		}
		if line == "//" {
			header = ""
		}
		if header == "" {
			continue
		}
		cells := []rune(line)
		at := func(from, to string) string {
			return strings.TrimSpace(string(cells[strings.Index(header, from):strings.Index(header, to)]))
		}
		names = append(names, show(at("measurement", "kind"), at("kind", "name"), at("name", "unit"), at("unit", "meaning")))
	}
	return names
}

// written lists what the mapping makes of a run, its live summaries and every
// table of results.
func written() []string {
	var names []string
	add := func(m, kind, name, unit string) {
		if s := show(m, kind, name, unit); !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	run := storetest.Drive("run-1", "Model A", "SN1")
	ofRun := map[string]bool{}
	for _, tag := range run.TablePoints(&analysis.Table{Rows: []analysis.Row{{}}})[0].Tags {
		ofRun[tag.Name] = true
		add("*", "tag", tag.Name, "")
	}
	point := func(p store.Point, units map[string]string) {
		for _, tag := range p.Tags {
			if !ofRun[tag.Name] {
				add(p.Measurement, "tag", tag.Name, units[tag.Name])
			}
		}
		for _, f := range p.Fields {
			kind := "float"
			if _, isInt := f.Value().(int64); isInt {
				kind = "int"
			}
			add(p.Measurement, kind, f.Name(), units[f.Name()])
		}
	}
	point(run.RailPoints(storetest.Rails(0, 1))[0], map[string]string{
		"min_v": "V", "mean_v": "V", "max_v": "V", "std_v": "V", "min_a": "A", "mean_a": "A", "max_a": "A", "std_a": "A",
		"min_w": "W", "mean_w": "W", "max_w": "W", "std_w": "W",
	})
	point(run.EnginePoints(storetest.Engines(0, 1))[0], map[string]string{"read_bytes": "B", "write_bytes": "B", "duration_s": "s"})
	for _, table := range []*analysis.Table{
		cells(), idle.Table([]*idle.Result{zeroed()}), inrush.Table(nil), inrush.StartTable(nil), limits.Table(nil), record.Table(nil), record.MarksTable(nil),
		inrush.SpreadTable(nil), inrush.StartSpreadTable(nil), saturation.Table(nil), saturation.ShareTable(nil),
		steady.Table([]*steady.Result{{Latency: "mean"}}), rounds(), efficiency.LatencyTable(nil), demand.LimitTable(nil), demand.Table(nil), recovery.Table(nil),
		scaling.Table(nil),
		daemon.GapTable(nil),
	} {
		point(run.TablePoints(filled(table))[0], units(table))
	}
	return names
}

// cells is the table of loads on a drive of both rails, which has every column.
func cells() *analysis.Table {
	return efficiency.Table([]*efficiency.Cell{{Rails: map[quarch.Rail]*efficiency.Rail{quarch.Rail5V: {}, quarch.Rail12V: {}}}})
}

// rounds is the table of single rounds: cells under another name.
func rounds() *analysis.Table {
	t := cells()
	t.Name = "rounds"
	return t
}

// zeroed is an idle result of a bench whose zero is known, which has every column.
func zeroed() *idle.Result {
	w := 0.0
	f := &idle.Figures{ZeroW: &w}
	return &idle.Result{Rails: map[quarch.Rail]*idle.Figures{quarch.Rail5V: f}, Total: f}
}

// filled returns the columns of a table with one row that has a value in each.
func filled(table *analysis.Table) *analysis.Table {
	row := analysis.Row{}
	for range table.Columns {
		row.Cells = append(row.Cells, analysis.Cell{Value: 1, Text: "x", Valid: true})
	}
	return &analysis.Table{Name: table.Name, Columns: table.Columns, Rows: []analysis.Row{row}}
}

func units(table *analysis.Table) map[string]string {
	units := map[string]string{}
	for _, c := range table.Columns {
		units[c.Name] = c.Unit
	}
	return units
}

func show(measurement, kind, name, unit string) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", measurement, kind, name, unit))
}
