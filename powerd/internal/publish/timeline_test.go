package publish

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"powerd/powerd/internal/results/resultstest"
)

// Recorded from 1 to 11 s; "state:ps4" from 3 to 6 s, inside it "nap" from 4 to 5 s, and
// "lunch" from 8 s on, whose end nobody marked. Each stretch carries the name of what went
// on in it, the time after an end that of the step again.
func TestTimelineNamesWhatGoesOn(t *testing.T) {
	r := resultstest.Record(t, resultstest.Meta())
	r.Stream(resultstest.Source{FromS: 0.5, ToS: 12, PeriodNs: 1_024_000, Draw: resultstest.Idle, EndReason: "done"})
	r.Step("oltp", "record", 1, 11, nil)
	r.DriveFile("drive.yaml", "name: acme\nrails: [5v, 12v]\nclaims:\n  - {name: start, quantity: start_current, kind: max, value: 1 A, rail: 5v, window: unstated, source: the manual}\n")
	var lines strings.Builder
	for _, m := range []struct {
		mark, name string
		s          float64
	}{{"start", "state:ps4", 3}, {"start", "nap", 4}, {"end", "nap", 5}, {"end", "state:ps4", 6}, {"start", "lunch", 8}} {
		fmt.Fprintf(&lines, "{\"mark\":%q,\"name\":%q,\"mono_ns\":%d}\n", m.mark, m.name, resultstest.Host(m.s))
	}
	dir := filepath.Join(r.Dir, "engine")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "marks.jsonl"), []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	r.Ended(12)
	d := r.Compute()
	var got []string
	for _, m := range timeline(d) {
		got = append(got, fmt.Sprintf("%g %s", m.AtS, m.Label))
	}
	if want := "[1 oltp 3 state:ps4 4 nap 5 state:ps4 6 oltp 8 lunch]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}

	// No power-up was recorded: one sentence says so, and the claim's table, which has no
	// figure, leads neither the page nor the terminal.
	doc := Describe(d)
	if len(doc.Headlines) != 1 || doc.Headlines[0] != "Against drive file acme nothing can be said: of its 1 claims none was measured in this run." {
		t.Errorf("%q", doc.Headlines)
	}
	if last := doc.Tables[len(doc.Tables)-1]; doc.Lead != "" || last.Name != "limits" {
		t.Errorf("lead %q, last table %s", doc.Lead, last.Name)
	}
	for _, table := range Brief(doc).Tables {
		if table.Name == "limits" {
			t.Error("the terminal shows claims without a figure")
		}
	}
	a := &artist{dir: r.Dir, d: d, footer: footer(d)}
	if a.load(); len(a.plots) != 1 || strings.Contains(a.plots[0].Caption, "engine") {
		t.Errorf("the picture of a recording speaks of an engine: %+v", a.plots)
	}
}
