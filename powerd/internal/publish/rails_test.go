package publish

import (
	"slices"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
	"powerd/quarch"
)

// railsRun is a power-up and an idle of a drive that uses some rails, on a module whose
// stream has some: 0.5 A at 5 V, at 12 V what micro12V says.
func railsRun(t *testing.T, used, streamed []quarch.Rail, micro12V int32) *results.Document {
	t.Helper()
	m := resultstest.Meta()
	m.Bench.RailsUsed = used
	r := resultstest.Record(t, m)
	const upS = 1.1
	draw := func(s float64) []resultstest.Reading {
		at := map[quarch.Rail]resultstest.Reading{quarch.Rail5V: {5000, 500_000}, quarch.Rail12V: {12_000, micro12V}}
		var out []resultstest.Reading
		for _, rail := range streamed {
			if s < upS {
				at[rail] = resultstest.Reading{}
			}
			out = append(out, at[rail])
		}
		return out
	}
	r.Stream(resultstest.Source{ToS: 8, PeriodNs: 64_000, EndReason: "done", Rails: streamed, Draw: draw})
	claim12V := ""
	if slices.Contains(used, quarch.Rail12V) {
		claim12V = "  - {name: start-12v, quantity: start_current, kind: max, value: 0.4 A, rail: 12v, window: 10ms, source: manual}\n"
	}
	names := strings.ToLower(analysis.RailNames(used))
	r.DriveFile("drive.yaml", "name: acme\nrails: ["+names+"]\nclaims:\n"+claim12V+
		"  - {name: idle, quantity: idle_power, kind: max, value: 9 W, rail: total, source: manual}\n")
	r.Event(results.StepStart(resultstest.Host(0.5), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
	r.Powered("up", true, upS-0.001)
	r.Event(results.StepEnd(resultstest.Host(3), "up", results.Completed, ""))
	r.Step("idle", "idle", 4, 7, nil)
	r.Ended(8)
	return r.Compute()
}

// spoken returns the rails that headlines, tables and pictures speak of.
func spoken(d *results.Document, doc *report.Doc) (headlines, tables, pictures []string) {
	for _, l := range doc.Summary {
		headlines = append(headlines, l.Label)
	}
	for _, t := range doc.Tables {
		if c := t.Col("rail"); c >= 0 {
			for _, row := range t.Rows {
				tables = append(tables, row.Cells[c].Text)
			}
		}
	}
	for _, w := range d.Waveforms(analysis.Window{StartNs: resultstest.Host(1), EndNs: resultstest.Host(7)}, 10, resultstest.Host(0)) {
		pictures = append(pictures, w.Name)
	}
	return headlines, tables, pictures
}

func condition(doc *report.Doc, key string) string {
	for _, kv := range doc.Conditions {
		if kv.Key == key {
			return kv.Value
		}
	}
	return ""
}

func mentions(texts []string, part string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, part) })
}

// A drive of 5 V alone, on a module that measures 12 V too: 1 mA there is within the
// module's offset. The drive's report never speaks of 12 V as the drive's, and its total
// is 2.5 W.
func TestAOneRailDriveHasOneRail(t *testing.T) {
	both := resultstest.BothRails()
	d := railsRun(t, both[:1], both, 1000)
	doc := Describe(d)
	headlines, tables, pictures := spoken(d, doc)
	if mentions(headlines, "12 V") || mentions(tables, "12v") || mentions(pictures, "12v") {
		t.Errorf("12 V stands in\n%q\n%q\n%q", headlines, tables, pictures)
	}
	if got, want := condition(doc, "Rails"), "5v; the module measures 12v too, which the drive does not use"; got != want {
		t.Errorf("Rails: %s, want %s", got, want)
	}
	if w := d.Idle.Total.MeanW; w == nil || *w < 2.499 || *w > 2.501 {
		t.Errorf("idle total %v, want 2.5 W", w)
	}
	if j := d.Inrush.Cycles[0].Total.EnergyJ; j == nil || *j < 4.7 || *j > 4.8 { // 2.5 W from 1.1 to 3 s
		t.Errorf("start-up energy %v, want 4.75 J", j)
	}
	for _, w := range d.Warnings {
		if w.Code == "unused_rail" {
			t.Errorf("1 mA is warned of: %s", w.Text)
		}
	}
}

// With 70 mA on 12 V it is still none of the drive's rails, and each step says what flows
// there.
func TestCurrentOnAnotherRailIsAWarning(t *testing.T) {
	both := resultstest.BothRails()
	d := railsRun(t, both[:1], both, 70_000)
	var steps []string
	for _, w := range d.Warnings {
		if w.Code == "unused_rail" && strings.Contains(w.Text, "12V carries 70 mA") {
			steps = append(steps, w.Text)
		}
	}
	if len(steps) != 2 || d.Inrush.Cycles[0].Rails[quarch.Rail12V] != nil {
		t.Errorf("warned of in %q", steps)
	}
}

// A drive of two rails, one of which is not in the stream: each figure of the other
// stands, no total does, and every place says why. No line of a rail or a total that is
// not there is drawn.
func TestNoTotalWithoutARail(t *testing.T) {
	both := resultstest.BothRails()
	d := railsRun(t, both, both[:1], 0)
	doc := Describe(d)
	const why = "12V not measured"
	for _, l := range doc.Summary {
		if strings.Contains(l.Label, "total") && (l.Figure.Valid || !strings.Contains(l.Figure.Why, why)) {
			t.Errorf("%s: %+v", l.Label, l.Figure)
		}
	}
	for _, table := range doc.Tables {
		rail := table.Col("rail")
		for i := range table.Rows {
			if rail < 0 || table.At(i, "rail").Text != "total" {
				continue
			}
			for _, figure := range []string{"mean_w", "max_w", "energy_j", "energy_to_ready_j", "watts"} {
				if table.Col(figure) < 0 {
					continue
				}
				if c := table.At(i, figure); c.Valid {
					t.Errorf("table %s, total %s: %+v", table.Name, figure, c)
				}
			}
		}
	}
	for _, what := range []string{"idle.idle.total", "inrush.up.total.energy_j", "inrush.up.total.peaks"} {
		if !slices.ContainsFunc(d.Withheld, func(w results.Withheld) bool { return w.What == what && strings.Contains(w.Why, why) }) {
			t.Errorf("%s is not withheld: %v", what, d.Withheld)
		}
	}
	if _, _, pictures := spoken(d, doc); mentions(pictures, "total") || mentions(pictures, "12v") {
		t.Errorf("pictures show %q", pictures)
	}
	if lines := append(limitLines(d, "start_current"), limitLines(d, "idle_power")...); len(lines) > 0 {
		t.Errorf("limits of what is not there: %+v", lines)
	}
	if got := condition(doc, "Rails"); got != "5v, 12v, of which 12v was not measured" {
		t.Errorf("Rails: %s", got)
	}
}
