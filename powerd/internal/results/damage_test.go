package results_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
)

// idling is the folder of a run of ten seconds with one idle step of 5.5 W.
func idling(t *testing.T) (*resultstest.Recording, string) {
	t.Helper()
	r := record(t, meta())
	r.Stream(source{ToS: 10, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("idle", "idle", 1, 9, nil)
	r.Ended(10)
	return r, r.Copied()
}

// Without its events, or without the streams, nothing of a run can be told: that is
// an error which names the file, never an empty document.
func TestRunWithoutItsMarks(t *testing.T) {
	events, metaFile := filepath.Join("capture", "events.jsonl"), filepath.Join("capture", "meta.json")
	for name, c := range map[string]struct {
		file   string
		change func(path string, text string) error
	}{
		"no events file": {events, func(path, _ string) error { return os.Remove(path) }},
		"an empty one":   {events, func(path, _ string) error { return os.WriteFile(path, nil, 0o644) }},
		"zeros": {events, func(path, text string) error {
			return os.WriteFile(path, make([]byte, len(text)), 0o644)
		}},
		"meta.json without streams": {metaFile, func(path, text string) error {
			before, _, _ := strings.Cut(text, `"streams": [`)
			return os.WriteFile(path, []byte(before+`"streams": null}`), 0o644)
		}},
	} {
		r, dir := idling(t)
		path := filepath.Join(dir, c.file)
		text, err := os.ReadFile(path)
		must(t, err)
		must(t, c.change(path, string(text)))
		if _, err := results.Reopen(dir, r.Loads); err == nil || !strings.Contains(err.Error(), c.file) {
			t.Errorf("%s: error %v, want one that names %s", name, err, c.file)
		}
	}
}

// All samples of a run are gone, its other files are whole: no figure, and a warning that
// says of which stream how many stripes went.
func TestRunWithoutItsSamples(t *testing.T) {
	r, dir := idling(t)
	must(t, os.RemoveAll(filepath.Join(dir, "capture", "QTL1")))
	d, err := results.Reopen(dir, r.Loads)
	must(t, err)
	if len(d.Idles) != 0 || !warned(d, "capture", "capture/QTL1: the parts of stream 1, with 9766 stripes, are gone") { // 10 s / 1.024 ms, begun ones counted
		t.Errorf("%d idles, warnings %v", len(d.Idles), d.Warnings)
	}
}

// The line that ended an idle step is lost, and another step came after it, at 11 W: where
// the first ended nobody knows, so it has no figure rather than one of both. The last step of
// a run may lack its end, because the run was cut off in it.
func TestStepWithoutItsEnd(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 20, PeriodNs: 1_024_000, EndReason: "done", Draw: func(s float64) []reading {
		if s < 10 {
			return []reading{{5000, 500_000}, {12_000, 250_000}}
		}
		return []reading{{5000, 1_000_000}, {12_000, 500_000}}
	}})
	start := func(s float64, step string) {
		r.Event(results.StepStart(host(s), results.StepMark{Step: step, Group: step, Kind: "idle"}))
	}
	start(1, "first")
	start(10.5, "second")
	r.Ended(18)
	d := r.Compute()
	if len(d.Idles) != 1 || d.Idles[0].Step != "second" {
		t.Fatalf("idles %+v", d.Idles)
	}
	near(t, "second", d.Idles[0].Total.MeanW, 11, 1e-9) // 5 V · 1 A + 12 V · 0.5 A
	if why := withheld(t, d, "idle.first"); !strings.Contains(why, "where this step ended is not written down") {
		t.Errorf("withheld: %s", why)
	}
}

// One file of many is damaged: what the others hold is concluded from, and a warning
// names the one.
func TestDamagedSideFile(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string) error
		names  string
	}{
		"arrivals of half a second": {func(dir string) error {
			paths, err := filepath.Glob(filepath.Join(dir, "capture", "QTL1", "arrivals-*.parquet"))
			if err != nil {
				return err
			}
			return os.Truncate(paths[3], 40)
		}, "capture/QTL1/arrivals-"},
		"a line of garbage": {func(dir string) error {
			path := filepath.Join(dir, "capture", "events.jsonl")
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, []byte("#!garbage\n"+string(text)), 0o644)
		}, "capture/events.jsonl:1: this line is no event and is left out"},
	} {
		r, dir := idling(t)
		must(t, c.change(dir))
		d, err := results.Reopen(dir, r.Loads)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(d.Idles) != 1 || !warned(d, "capture", c.names) {
			t.Errorf("%s: %d idles, warnings %v, want one and %q", name, len(d.Idles), d.Warnings, c.names)
			continue
		}
		near(t, name, d.Idles[0].Total.MeanW, 5.5, 1e-12)
		if strings.Contains(string(encoded(t, d)), dir) {
			t.Errorf("%s: the folder's place is in the results", name)
		}
	}
}

// Another reader of the port takes 2.7 s of samples out of 20 s, and no frame tells of
// it. The arrivals do: how much is missing, and where to within a tenth of a second. The
// idle of 3 s about it has samples of a third of it, which is no idle; the one after it is
// whole, and where it was.
func TestStolenSamples(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 20, PeriodNs: 1_024_000, Draw: idle55, StolenAtS: 9, StolenS: 2.7, EndReason: "done"})
	r.Step("idle", "idle", 8, 11, nil)
	r.Step("later", "idle", 13, 17, nil)
	d := r.Compute()
	if !warned(d, "uncounted_stripes", "vanished") {
		t.Errorf("warnings %v do not tell of what is missing", d.Warnings)
	}
	if warned(d, "missing_samples", "") {
		t.Errorf("what is known is told as if it were not: %v", d.Warnings)
	}
	g := d.Alignment.Gaps
	if len(g) != 1 || g[0].Cause != "not counted by the link" || math.Abs(float64(g[0].Stripes)*1.024e-3-2.7) > 2e-3 ||
		math.Abs(float64(g[0].StartMonoNs-host(9))) > 0.1e9 || math.Abs(float64(g[0].EndMonoNs-host(11.7))) > 0.1e9 {
		t.Errorf("gaps %+v", g)
	}
	u := d.Alignment.Uncounted
	if len(u) != 1 || math.Abs(u[0].SizeS-2.7) > u[0].SizeU95S || u[0].SizeU95S > 2e-3 || u[0].EarliestNs > host(9) || u[0].LatestNs < host(9) {
		t.Errorf("not counted: %+v", u)
	}
	if !strings.Contains(d.Alignment.Line(), "lost stripes 0, not counted by the link: 2637 stripes") { // 2.7 s / 1.024 ms = 2636.7
		t.Errorf("%s", d.Alignment.Line())
	}
	if why := withheld(t, d, "idle.idle"); !strings.Contains(why, "placed within ±") && !strings.Contains(why, "coverage") {
		t.Errorf("withheld because %q", why)
	}
	if d.Alignment.Status == "ok" {
		t.Error("the alignment is called good")
	}
	if len(d.Idles) == 0 {
		t.Fatalf("no idle after it: %v", d.Withheld)
	}
	later := d.Idles[len(d.Idles)-1]
	if later.Step != "later" || later.Coverage < 0.999 {
		t.Errorf("the idle after it: %s, coverage %g", later.Step, later.Coverage)
	}
	near(t, "its watts", later.Total.MeanW, 5.5, 1e-12)
}

// What came is what figures are of: 15 ms of a record of 3 s vanish without a word. Its
// coverage is 99.5 % then, and its energy that of 2.985 s: no joule is made up, and none
// that came is missing.
func TestUncountedLossLowersCoverage(t *testing.T) {
	for _, stolenS := range []float64{0, 15e-3} {
		r := record(t, meta())
		r.Stream(source{ToS: 70, PeriodNs: 64_000, Draw: idle55, StolenAtS: 40, StolenS: stolenS, EndReason: "done"})
		r.Step("oltp", "record", 38.5, 41.5, nil)
		d := r.Compute()
		if n := len(d.Alignment.Uncounted); (n == 1) != (stolenS > 0) {
			t.Fatalf("%g s stolen, %d steps found", stolenS, n)
		}
		rec := d.Records[0]
		if want := 1 - stolenS/3; math.Abs(rec.Coverage-want) > 1e-4 {
			t.Errorf("%g s stolen: coverage %.5f, want %.5f", stolenS, rec.Coverage, want)
		}
		near(t, "energy", rec.Total.EnergyJ, 5.5*(3-stolenS), 1e-4)
	}
}

// Lost stripes that the link tells of are told to the reader too, with their number.
func TestLostStripesAreWarnedOf(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 10, PeriodNs: 1_024_000, Draw: idle55, Lost: [2]uint64{500, 612}, EndReason: "done"})
	d := r.Compute()
	if !warned(d, "lost_stripes", "gaps in the samples: 1, with 112 stripes lost") {
		t.Errorf("warnings %v", d.Warnings)
	}
}

// What an engine's file was damaged by is told with the file's place in the run: the
// same folder somewhere else gives the same bytes.
func TestDamagedEngineFileWhereverTheFolderIs(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 4, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Load(randread, 1, 2, done(1000), nil)
	first, second := r.Copied(), r.Copied()
	a, err := results.Reopen(first, broken{})
	must(t, err)
	b, err := results.Reopen(second, broken{})
	must(t, err)
	if !bytes.Equal(encoded(t, a), encoded(t, b)) {
		t.Error("the folder's place is in the results")
	}
	if why := withheld(t, a, "efficiency."+randread.Step); why != "read engine/report.json: cut short" {
		t.Errorf("withheld because %q", why)
	}
}

// broken is an engine whose files are damaged.
type broken struct{}

func (broken) Load(job engine.Job) (*engine.Result, error) {
	return nil, fmt.Errorf("read %s: cut short", filepath.Join(job.Dir, "report.json"))
}

// A self test that failed is a warning of the run: its figures may be wrong. One that
// passed, or was not asked, is none.
func TestAFailedSelfTestIsAWarning(t *testing.T) {
	for answer, want := range map[string]bool{"OK": false, "": false, "FAIL: 0x05 -Calibration": true} {
		m := meta()
		m.Module.SelfTest = answer
		d := record(t, m).Compute()
		if warned(d, "self_test_failed", "may be wrong") != want || want && !warned(d, "self_test_failed", "Calibration") {
			t.Errorf("%q: %v", answer, d.Warnings)
		}
	}
}

// powerd was killed while a power cycle had the drive off: whoever reads the run is told
// that the drive may still be off, and what looks. Killed after the power-up, or ended in
// order, nothing is said.
func TestARunKilledInTheOffTimeSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		onAgain, ended bool
		want           bool
	}{
		"killed while off":      {false, false, true},
		"killed after power-up": {true, false, false},
		"ended while off":       {false, true, false},
	} {
		r := record(t, meta())
		r.Stream(source{ToS: 3, PeriodNs: 1_024_000, Draw: idle55})
		r.Event(results.StepStart(host(0.5), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
		r.Powered("up", false, 1)
		if c.onAgain {
			r.Powered("up", true, 2)
		}
		if c.ended {
			r.Ended(3)
		}
		r.Compute() // writes what is held back
		d, err := results.Reopen(r.Dir, r.Loads)
		must(t, err)
		says := strings.Contains(d.Run.Why, "left it off") && warned(d, "drive_left_off", "powerd power bench 1 status")
		if says != c.want || !c.want && warned(d, "drive_left_off", "") {
			t.Errorf("%s: why %q, warnings %v", name, d.Run.Why, d.Warnings)
		}
	}
}
