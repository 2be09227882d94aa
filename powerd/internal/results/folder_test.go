package results_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
	"powerd/quarch"
	"powerd/quarch/capture"
)

// whole is a run with a power-up, an idle and a load.
func whole(t *testing.T) *resultstest.Recording {
	t.Helper()
	m := meta()
	m.Module.LatencyTimerMs = 1
	r := record(t, m)
	r.Stream(source{ToS: 4, PeriodNs: 64_000, Draw: powerUp(1.501), EndReason: "done"})
	r.Event(results.StepStart(host(0.5), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
	r.Powered("up", false, 0.6)
	r.Powered("up", true, 1.5)
	r.Event(results.StepEnd(host(3.9), "up", results.Completed, ""))
	r.Stream(source{FromS: 5, ToS: 15, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("idle", "idle", 6, 9, nil)
	r.Load(randread, 10, 12, done(10_000), nil)
	r.Ended(15)
	return r
}

// The same folder gives the same bytes, today and in a year: whoever computes again
// may compare files.
func TestSameFolderSameBytes(t *testing.T) {
	r := whole(t)
	first := encoded(t, r.Compute())
	for range 3 {
		if again := encoded(t, r.Compute()); !bytes.Equal(first, again) {
			t.Fatal("the same folder gave other bytes")
		}
	}
	copied, err := results.Compute(r.Copied(), r.Loads)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, encoded(t, copied)) {
		t.Error("the folder's place is in the results")
	}
}

// loaded notes where a job's result was looked for.
type loaded struct {
	resultstest.Loads
	dirs []string
}

func (l *loaded) Load(job engine.Job) (*engine.Result, error) {
	l.dirs = append(l.dirs, job.Dir)
	return l.Loads.Load(job)
}

// A folder may be moved, or copied to another machine: what the engine left is looked
// for where the folder is now, not where the run was made.
func TestMovedFolder(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 4, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	job := randread
	job.Dir = filepath.Join(r.Dir, "engine")
	r.Load(job, 1, 2, done(1000), nil)
	moved := r.Copied()
	l := &loaded{Loads: r.Loads}
	if _, err := results.Compute(moved, l); err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(moved, "engine"); len(l.dirs) != 1 || l.dirs[0] != want {
		t.Errorf("looked in %q, want %q", l.dirs, want)
	}
	events, err := os.ReadFile(filepath.Join(moved, "capture", "events.jsonl"))
	must(t, err)
	if bytes.Contains(events, []byte(r.Dir)) {
		t.Error("the events name the folder in which the run was made")
	}
}

// powerd was killed in the middle of its second step: there is no end of the run, none
// of the step, none of the stream, and half a line of an event. What was there counts:
// the first step is whole, the second ends with the last event.
func TestKilledRun(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 5.5, PeriodNs: 1_024_000, Draw: idle55}) // on disk, never ended
	r.Step("first", "idle", 1, 3, nil)
	r.Event(results.StepStart(host(3), results.StepMark{Step: "second", Group: "second", Kind: "idle", Index: 1, Of: 2}))
	r.Clock(5, 0)
	dir := r.Copied()
	f, err := os.OpenFile(filepath.Join(dir, "capture", "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(`{"mono_ns":100000`)
	must(t, err)
	must(t, f.Close())

	d, err := results.Reopen(dir, r.Loads)
	if err != nil {
		t.Fatal(err)
	}
	if d.Run.Outcome != results.Interrupted || d.Run.Why == "" || d.Run.EndedUTC != "" {
		t.Errorf("outcome %q (%q), ended %q; want interrupted, with a reason, at nobody knows when", d.Run.Outcome, d.Run.Why, d.Run.EndedUTC)
	}
	if len(d.Steps) != 2 || len(d.Idles) != 2 {
		t.Fatalf("%d steps, %d idles; withheld %v", len(d.Steps), len(d.Idles), d.Withheld)
	}
	if s := d.Steps[0]; s.Outcome != results.Completed || s.EndMonoNs != host(3) {
		t.Errorf("first step %+v", s)
	}
	if s := d.Steps[1]; s.Outcome != results.Interrupted || s.Why == "" || s.EndMonoNs != host(5) {
		t.Errorf("second step %+v, want interrupted, up to the last event", s)
	}
	for _, i := range d.Idles {
		near(t, i.Step, i.Total.MeanW, 5.5, 1e-12)
	}
	if !warned(d, "capture", "half an event") {
		t.Errorf("warnings %v do not tell of the torn line", d.Warnings)
	}
	if d.Alignment.Stripes != 5371 { // 5.5 s / 1.024 ms = 5371.1
		t.Errorf("%d stripes, want those on disk", d.Alignment.Stripes)
	}
}

// A damaged part is lost stripes: coverage falls, the figure is withheld, the rest
// stands.
func TestDamagedPart(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 10, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("hit", "idle", 1, 4, nil)
	r.Step("spared", "idle", 6, 9, nil)
	dir := r.Copied()
	parts, err := filepath.Glob(filepath.Join(dir, "capture", "QTL1", "s*.parquet"))
	must(t, err)
	must(t, os.WriteFile(parts[4], []byte("nothing"), 0o644)) // of half a second each: 2.0 to 2.5 s
	d, err := results.Compute(dir, r.Loads)
	if err != nil {
		t.Fatal(err)
	}
	if why := withheld(t, d, "idle.hit.total"); !strings.Contains(why, "samples cover 83.") { // 2.5 of 3 s
		t.Errorf("withheld because %q", why)
	}
	near(t, "spared", d.Idles[1].Total.MeanW, 5.5, 1e-12)
}

// A folder that is no run is an error that names it.
func TestFolderThatIsNoRun(t *testing.T) {
	empty := t.TempDir()
	foreign := t.TempDir()
	w, err := capture.Create(filepath.Join(foreign, "capture"), capture.Options{Now: func() int64 { return 1 }})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{
		"an empty folder": empty, "no folder": filepath.Join(empty, "none"), "a capture of something else": foreign,
	} {
		if _, err := results.Compute(dir, resultstest.Loads{}); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: error %v, want one that names %s", name, err, dir)
		}
	}
}

// A step of a kind that this powerd does not know is an error, not a silent nothing.
func TestUnknownKindOfStep(t *testing.T) {
	r := record(t, meta())
	r.Step("odd", "dance", 1, 2, nil)
	if _, err := results.Compute(r.Dir, r.Loads); err == nil || !strings.Contains(err.Error(), `step odd: its kind "dance" is unknown`) {
		t.Errorf("error %v", err)
	}
	r = record(t, meta())
	r.Step("jobless", "load", 1, 2, nil)
	if _, err := results.Compute(r.Dir, r.Loads); err == nil || !strings.Contains(err.Error(), "step jobless") {
		t.Errorf("error %v", err)
	}
}

// Whatever was recorded, the results are JSON with finite numbers: encoding/json
// refuses NaN and Inf, and a stand-in would be a lie.
func TestNeverNaN(t *testing.T) {
	zero := steady(reading{0, 0}, reading{0, 0})
	missing := reading{quarch.Missing, quarch.Missing}
	up := results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}
	for name, s := range map[string]source{
		"one stripe":          {ToS: stripeS, PeriodNs: 1_024_000, Draw: idle55},
		"two stripes":         {ToS: 2 * stripeS, PeriodNs: 1_024_000, Draw: idle55},
		"no power":            {ToS: 4, PeriodNs: 1_024_000, Draw: zero},
		"no values":           {ToS: 4, PeriodNs: 1_024_000, Draw: steady(missing, missing)},
		"a wrong period":      {ToS: 4, PeriodNs: 1_024_000, PPM: 30_000, Draw: idle55},
		"one poll":            {ToS: 0.08, PollNs: 80e6, Draw: idle55},
		"two polls":           {ToS: 0.16, PollNs: 80e6, Draw: idle55},
		"polls without watts": {ToS: 4, PollNs: 80e6, Draw: steady(missing, missing)},
		"negative power":      {ToS: 4, PeriodNs: 1_024_000, Draw: steady(reading{5000, -500}, reading{12_000, -300})},
		"nothing but a gap":   {ToS: 4, PeriodNs: 1_024_000, Draw: idle55, Lost: [2]uint64{1, 3900}},
	} {
		t.Run(name, func(t *testing.T) {
			r := record(t, meta())
			s.EndReason = "done"
			r.Stream(s)
			r.Event(results.StepStart(host(0), up))
			r.Powered("up", true, 0.1)
			r.Event(results.StepEnd(host(1), "up", results.Completed, ""))
			r.Step("idle", "idle", 0, 3, nil)
			r.Step("instant", "idle", 0, 1e-9, nil)
			r.Load(randread, 0.0005, 2, done(0), nil)
			d := r.Compute()
			var back map[string]any
			if err := json.Unmarshal(encoded(t, d), &back); err != nil {
				t.Fatal(err)
			}
			for _, table := range d.Tables() {
				for i := range table.Rows {
					for k, c := range table.Rows[i].Cells {
						if c.Valid && c.Value != c.Value {
							t.Errorf("table %s, row %d, %s is NaN and claims to be valid", table.Name, i, table.Columns[k].Name)
						}
					}
				}
			}
		})
	}
}
