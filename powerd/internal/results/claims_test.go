package results_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"powerd/analysis/limits"
	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
	"powerd/quarch"
)

// claims is a drive file with these claims, a line each.
func claims(lines ...string) string {
	text := "name: acme\nrails: [5v, 12v]\nclaims:\n"
	for _, l := range lines {
		text += "  - {" + l + ", source: manual}\n"
	}
	return text
}

// verdict returns the verdict on the claim of a name.
func verdict(t *testing.T, d *results.Document, name string) limits.Verdict {
	t.Helper()
	for _, v := range d.Limits {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("no verdict on %s; there are %+v; withheld %v", name, d.Limits, d.Withheld)
	return limits.Verdict{}
}

// calibrated is what was known of a run on a module of 1 %, 2 mA and 1 mV.
func calibrated() results.Meta {
	m := meta()
	m.Module.Calibration = &results.Calibration{GainPct: 1, OffsetMA: 2, OffsetMV: 1, CalDate: "2026-09-01"}
	return m
}

// startAt draws 10 mA at both rails from 1.1 s on, 5 V · amps from 1.5 s to toS, and
// 0.1 A afterwards.
func startAt(amps int32, toS float64) func(float64) []reading {
	return func(s float64) []reading {
		switch {
		case s < 1.1:
			return []reading{{0, 0}, {0, 0}}
		case s < 1.5:
			return []reading{{5000, 10_000}, {12_000, 10_000}}
		case s < toS:
			return []reading{{5000, amps}, {12_000, 10_000}}
		}
		return []reading{{5000, 100_000}, {12_000, 10_000}}
	}
}

// recordStart records a power-up of 2 s that draws so.
func recordStart(r *resultstest.Recording, draw func(float64) []reading, lost [2]uint64) {
	r.Stream(source{ToS: 3.2, PeriodNs: 64_000, Draw: draw, EndReason: "done", Lost: lost})
	r.Event(results.StepStart(host(0.5), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
	r.Powered("up", true, 1.099)
	r.Event(results.StepEnd(host(3.1), "up", results.Completed, ""))
	r.Ended(3.2)
}

// 0.9 A for 20 ms, then 0.1 A, against 0.7 A: over 10 ms and less 0.9 A (± 2·11/√3 mA =
// 12.7 mA), over 100 ms (20·0.9 + 80·0.1)/100 = 0.26 A. The claim without a window is
// told for each; the one over 100 ms is kept, the one over 10 ms broken.
func TestStartCurrentIsJudgedOverEachWindow(t *testing.T) {
	r := record(t, calibrated())
	r.DriveFile("drive.yaml", claims(
		"name: unstated, quantity: start_current, kind: max, value: 0.7 A, rail: 5v, window: unstated",
		"name: short, quantity: start_current, kind: max, value: 0.7 A, rail: 5v, window: 10ms",
		"name: odd, quantity: start_current, kind: max, value: 0.7 A, rail: 5v, window: 100ms",
		"name: shorter-than-the-samples, quantity: start_current, kind: max, value: 0.7 A, rail: 5v, window: 100us",
		"name: watts, quantity: start_power, kind: max, value: 4 W, window: 10ms",
	))
	recordStart(r, startAt(900_000, 1.52), [2]uint64{})
	d := r.Compute()

	v := verdict(t, d, "unstated")
	if v.Verdict != limits.Inconclusive || !strings.HasPrefix(v.Why, "no window stated: above the limit on windows up to 10 ms, within the limit from 100 ms on") {
		t.Errorf("%s: %s", v.Verdict, v.Why)
	}
	if v = verdict(t, d, "short"); v.Verdict != limits.Fail || v.Of != "up" {
		t.Errorf("%+v", v)
	}
	near(t, "value", v.Value, 0.9, 1e-3)
	near(t, "u95", v.U95, 12.70e-3, 1e-2)
	if v = verdict(t, d, "odd"); v.Verdict != limits.Pass {
		t.Errorf("%+v", v)
	}
	near(t, "value over 100 ms", v.Value, 0.26, 1e-2)
	if v = verdict(t, d, "shorter-than-the-samples"); v.Verdict != limits.Inconclusive || v.Why != "peak over 100 µs needs ≤ 10 µs samples; these are 64 µs" {
		t.Errorf("%+v", v)
	}
	// 5 V · 0.9 A + 12 V · 0.01 A
	if v = verdict(t, d, "watts"); v.Verdict != limits.Fail {
		t.Errorf("%+v", v)
	}
	near(t, "watts", v.Value, 4.62, 1e-3)
	if got := d.Broken(); strings.Join(got, " ") != "short watts" {
		t.Errorf("broken: %v", got)
	}
	if a := d.Inrush.Cycles[0].Rails["5v"].Above; len(a) != 1 || a[0].LimitA != 0.7 || a[0].TotalS < 0.010 {
		t.Errorf("time above 0.7 A: %+v", a)
	}
}

// The datasheet is of a drive on 5 V and 12 V, and the bench counts 5 V alone: 2.5 W of 5.5 W
// are no total of that drive, though each rail is judged. A wrong drive file looks the same.
func TestTotalOfFewerRailsIsNotHeldAgainstAClaim(t *testing.T) {
	for name, c := range map[string]struct {
		rails   []quarch.Rail
		verdict string
	}{
		"one rail of two": {[]quarch.Rail{quarch.Rail5V}, limits.Inconclusive},
		"both":            {[]quarch.Rail{quarch.Rail5V, quarch.Rail12V}, limits.Fail},
	} {
		m := calibrated()
		m.Bench.RailsUsed = c.rails
		r := record(t, m)
		r.DriveFile("drive.yaml", claims(
			"name: total, quantity: idle_power, kind: max, value: 2 W, rail: total",
			"name: five, quantity: idle_power, kind: max, value: 2 W, rail: 5v",
		))
		r.Stream(source{ToS: 10, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
		r.Step("idle", "idle", 1, 9, nil)
		r.Ended(10)
		d := r.Compute()
		short := c.verdict == limits.Inconclusive
		if v := verdict(t, d, "total"); v.Verdict != c.verdict || short && !strings.Contains(v.Why, "the total is without 12V") {
			t.Errorf("%s: total %+v", name, v)
		}
		if v := verdict(t, d, "five"); v.Verdict != limits.Fail { // 5 V · 0.5 A
			t.Errorf("%s: 5 V %+v", name, v)
		}
		if warned(d, "drive_file_rails", "12V") != short {
			t.Errorf("%s: warnings %v", name, d.Warnings)
		}
	}
}

// A drive draws 5 % of its current less each second. After 8 s nobody knows whether it will
// go on, so that nothing is concluded from the mean.
func TestIdleThatDriftsIsNotHeldAgainstAClaim(t *testing.T) {
	r := record(t, calibrated())
	r.DriveFile("drive.yaml", claims("name: total, quantity: idle_power, kind: max, value: 2 W, rail: total"))
	r.Stream(source{ToS: 10, PeriodNs: 1_024_000, EndReason: "done", Draw: func(s float64) []reading {
		return []reading{{5000, 500_000 - int32(50_000*s)}, {12_000, 250_000}}
	}})
	r.Step("idle", "idle", 1, 9, nil)
	r.Ended(10)
	d := r.Compute()
	if v := verdict(t, d, "total"); v.Verdict != limits.Inconclusive || !strings.Contains(v.Why, "its power changes within the step") || v.Value == nil {
		t.Errorf("%+v", v)
	}
	if !warned(d, "halves_differ", "less than its first") {
		t.Errorf("warnings %v", d.Warnings)
	}
}

// A gap of five stripes in the power-up may hide a higher peak.
func TestAGapInThePowerUpLeavesTheClaimOpen(t *testing.T) {
	r := record(t, calibrated())
	r.DriveFile("drive.yaml", claims("name: start, quantity: start_current, kind: max, value: 2 A, rail: 5v, window: 10ms"))
	recordStart(r, startAt(900_000, 1.52), [2]uint64{30_000, 30_005})
	v := verdict(t, r.Compute(), "start")
	if v.Verdict != limits.Inconclusive || v.Value == nil || v.Why != "5 samples were lost in up, which may hide a higher peak" {
		t.Errorf("%+v", v)
	}
}

// 5 V · 0.5 A + 12 V · 0.25 A are 5.5 W ± 66 mW on this module: 5 V gives
// √((5·2·7/√3 mA)² + (0.5·2·51/√3 mV)²) = 50.0 mW, 12 V √((12·2·4.5/√3)² + (0.25·2·121/√3)²)
// = 71.5 mW, both 87 mW.
func TestIdleIsJudged(t *testing.T) {
	r := record(t, calibrated())
	r.DriveFile("drive.yaml", claims(
		"name: above, quantity: idle_power, kind: typical, value: 5.2 W",
		"name: within, quantity: idle_power, kind: typical, value: 5.45 W",
		"name: limit, quantity: idle_power, kind: max, value: 5.2 W",
		"name: rail, quantity: idle_power, kind: max, value: 3 W, rail: 5v",
		"name: amps, quantity: idle_current, kind: max, value: 0.3 A, rail: 12v",
		"name: long, quantity: idle_power, kind: typical, value: 5.2 W, window: 30s",
		"name: sleep, quantity: sleep_power, kind: max, value: 1 W",
		"name: start, quantity: start_current, kind: max, value: 1 A, rail: 5v, window: unstated",
	))
	r.Stream(source{FromS: 0.5, ToS: 8, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("idle", "idle", 1, 7, nil)
	r.Ended(8)
	d := r.Compute()
	for _, want := range []struct{ name, verdict, judged, why string }{
		{"above", limits.Inconclusive, limits.JudgedAbove, "above the typical value by 0.300 ± 0.087 W (+5.8 %), which is no limit"},
		{"within", limits.Pass, limits.JudgedWithin, "within ± of the typical value"},
		{"limit", limits.Fail, limits.JudgedAbove, "above the limit by 0.300 ± 0.087 W"},
		{"rail", limits.Pass, limits.JudgedWithin, ""},
		{"amps", limits.Pass, limits.JudgedWithin, ""},
		{"long", limits.Inconclusive, limits.Inconclusive, "the claim is of a mean over 30 s, the step lasted 6 s"},
		{"sleep", limits.Inconclusive, limits.Inconclusive, "no step in which the drive sleeps was measured"},
		{"start", limits.Inconclusive, limits.Inconclusive, "no power-up was measured"},
	} {
		if v := verdict(t, d, want.name); v.Verdict != want.verdict || v.Judged != want.judged || v.Why != want.why {
			t.Errorf("%s: %s, %s (%s), want %s, %s (%s)", want.name, v.Verdict, v.Judged, v.Why, want.verdict, want.judged, want.why)
		}
	}
	if d.Drive.File != "acme" {
		t.Errorf("drive.file %q", d.Drive.File)
	}
}

// Of the loads that run a claim's workload the best counts, whatever its queue depth,
// unless the claim names one. The state that nobody judged is said, and is not the
// steady one that a claim may speak of.
func TestLoadsAreJudgedByTheirWorkload(t *testing.T) {
	r := record(t, calibrated())
	r.DriveFile("drive.yaml", claims(
		"name: any, quantity: iops, kind: min, value: 1 kIOPS, workload: {rw: randread, bs: 4k}",
		"name: qd1, quantity: iops, kind: min, value: 6 kIOPS, workload: {rw: randread, bs: 4k, qd: 1}",
		"name: steady, quantity: iops, kind: min, value: 1 kIOPS, workload: {rw: randread, bs: 4k, state: steady}",
		"name: write, quantity: throughput, kind: min, value: 100 MB/s, workload: {rw: write, bs: 128k}",
		"name: rate, quantity: throughput, kind: min, value: 30 MB/s, workload: {rw: randread, bs: 4k}",
		"name: latency, quantity: latency_mean, kind: max, value: 100 us, workload: {rw: randread, bs: 4k, qd: 1}",
		"name: power, quantity: active_power, kind: max, value: 6 W, workload: {rw: randread, bs: 4k}",
		"name: power12, quantity: active_power, kind: max, value: 2 W, rail: 12v",
	))
	r.Stream(source{ToS: 12, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	shallow, deep := randread, randread
	shallow.Step, shallow.QueueDepth = "qd1", 1
	deep.Step = "qd32"
	slow := done(10_000) // in 2 s: 5,000 IOPS, 20.48 MB/s
	slow.Read.Latency = engine.Latency{N: 10_000, MeanUs: 80}
	r.Load(shallow, 2, 4, slow, nil)
	r.Load(deep, 6, 8, done(20_000), nil) // 10,000 IOPS, 40.96 MB/s
	r.Ended(12)
	d := r.Compute()
	for _, want := range []struct{ name, verdict, of, why string }{
		{"any", limits.Pass, "qd32, state not judged", ""},
		{"qd1", limits.Fail, "qd1, state not judged", "below the limit"},
		{"steady", limits.Inconclusive, "qd32, state not judged", "the claim is of the steady state, this one's is not judged"},
		{"write", limits.Inconclusive, "", "no load of write 128k was measured"},
		{"rate", limits.Pass, "qd32, state not judged", ""},
		{"latency", limits.Pass, "qd1, state not judged", ""},
		{"power", limits.Pass, "qd32, state not judged", ""},
		{"power12", limits.Fail, "qd32, state not judged", "above the limit"},
	} {
		v := verdict(t, d, want.name)
		of := v.Of
		if strings.HasPrefix(want.name, "power") { // both loads draw the same
			of = want.of
		}
		if v.Verdict != want.verdict || of != want.of || !strings.HasPrefix(v.Why, want.why) {
			t.Errorf("%s: %s of %s (%s), want %s of %s (%s)", want.name, v.Verdict, v.Of, v.Why, want.verdict, want.of, want.why)
		}
	}
}

// Half of the drive, or data that compresses, is lighter work than a datasheet speaks of: it
// answers no claim, however good it is; the same load as it is meant does, even if it is
// worse. Endurance is no claim that a run could answer.
func TestALighterLoadAnswersNoClaim(t *testing.T) {
	half, zeros, whole := randread, randread, randread
	half.Step, half.Share = "half", engine.Share{ToPct: 50}
	zeros.Step, zeros.RW, zeros.CompressPct = "zeros", "randwrite", 100
	whole.Step = "whole"
	sheet := claims(
		"name: read, quantity: iops, kind: min, value: 9 kIOPS, workload: {rw: randread, bs: 4k}",
		"name: write, quantity: iops, kind: min, value: 9 kIOPS, workload: {rw: randwrite, bs: 4k}",
		"name: written, quantity: endurance, kind: max, value: 100 TB",
	)
	for _, with := range []struct {
		whole bool
		read  limits.Window
	}{
		{false, limits.Window{Verdict: limits.Inconclusive, Of: "half, state not judged", Why: "the claim is of all of the drive, this load went over 50 % of it"}},
		{true, limits.Window{Verdict: limits.Fail, Of: "whole, state not judged", Why: "below the limit"}},
	} {
		r := record(t, calibrated())
		r.DriveFile("drive.yaml", sheet)
		r.Stream(source{ToS: 12, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
		r.Load(half, 2, 4, done(20_000), nil) // 10,000 IOPS
		r.Load(zeros, 5, 7, done(20_000), nil)
		if with.whole {
			r.Load(whole, 8, 10, done(10_000), nil) // 5,000
		}
		r.Ended(12)
		d := r.Compute()
		if v := verdict(t, d, "read"); v.Verdict != with.read.Verdict || v.Of != with.read.Of || !strings.HasPrefix(v.Why, with.read.Why) {
			t.Errorf("read: %s of %s (%s), want %+v", v.Verdict, v.Of, v.Why, with.read)
		}
		if v := verdict(t, d, "write"); v.Verdict != limits.Inconclusive || v.Why != "the claim is of random data, this load's has an entropy of 0 %" {
			t.Errorf("write: %+v", v)
		}
		if len(d.Limits) != 2 {
			t.Errorf("%d claims are held against the run, want the two of IO", len(d.Limits))
		}
	}
}

// An emulated drive at a quarter of the rate says nothing of the real one's IO. Where no
// such load was run, or its state was not judged, that is the reason on any drive.
func TestAScaledTwinSaysNothingOfIO(t *testing.T) {
	m := calibrated()
	m.Drive.TwinScale = 4
	r := record(t, m)
	r.DriveFile("drive.yaml", claims(
		"name: read, quantity: iops, kind: min, value: 110 kIOPS, workload: {rw: randread, bs: 4k}",
		"name: sequential, quantity: throughput, kind: min, value: 750 MB/s, workload: {rw: read, bs: 128k}",
		"name: steady, quantity: iops, kind: min, value: 40 kIOPS, workload: {rw: randread, bs: 4k, state: steady}",
	))
	r.Stream(source{ToS: 12, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Load(randread, 6, 8, done(20_000), nil)
	r.Ended(12)
	d := r.Compute()
	for name, why := range map[string]string{
		"read":       "the emulated drive does 1/4 of the IO that the real one does",
		"sequential": "no load of read 128k was measured",
		"steady":     "the claim is of the steady state, this one's is not judged",
	} {
		if v := verdict(t, d, name); v.Verdict != limits.Inconclusive || v.Why != why {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// An old run is judged again by another drive file of its folder: the same folder and
// file give the same bytes, and what was concluded at first stays as it was.
func TestAnOldRunIsJudgedAgain(t *testing.T) {
	r := record(t, calibrated())
	r.DriveFile("drive.yaml", claims("name: idle, quantity: idle_power, kind: max, value: 6 W"))
	r.Stream(source{FromS: 0.5, ToS: 8, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("idle", "idle", 1, 7, nil)
	r.Ended(8)
	first := encoded(t, r.Compute())
	r.DriveFile("drive-strict.yaml", strings.Replace(claims("name: idle, quantity: idle_power, kind: max, value: 5 W"), "acme", "strict", 1))
	var again [2][]byte
	for i := range again {
		d, err := results.ReopenAgainst(r.Dir, r.Loads, "drive-strict.yaml")
		must(t, err)
		if v := verdict(t, d, "idle"); v.Verdict != limits.Fail || d.Drive.File != "strict" {
			t.Errorf("%s: %+v", d.Drive.File, v)
		}
		again[i] = encoded(t, d)
	}
	if !bytes.Equal(again[0], again[1]) {
		t.Error("the same folder and the same drive file gave two results")
	}
	if now := encoded(t, r.Compute()); !bytes.Equal(first, now) {
		t.Error("the run's own results have changed")
	}
}

// A drive file that is damaged costs the limits and nothing else; one of a drive of
// another size is told.
func TestADriveFileThatDoesNotFit(t *testing.T) {
	r := record(t, calibrated())
	r.DriveFile("drive.yaml", "name: acme\nrails: [5v]\nclaims:\n  - {name: x, quantity: idle_power, kind: max, value: 5, source: m}\n")
	r.Stream(source{FromS: 0.5, ToS: 8, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("idle", "idle", 1, 7, nil)
	r.Ended(8)
	d := r.Compute()
	if why := withheld(t, d, "limits"); !strings.Contains(why, `drive.yaml:4: value: "5"`) || d.Idle == nil || d.Limits != nil {
		t.Errorf("%s", why)
	}
	r.DriveFile("drive.yaml", "name: acme\ncapacity: 800 GB\nrails: [5v, 12v]\n")
	if d = r.Compute(); !warned(d, "drive_file_of_another", "800 GB, this one has 400 GB") {
		t.Errorf("%v", d.Warnings)
	}
}

// What speaks against a module's accuracy is said: none was given, it was calibrated
// more than a year before the run, it had just been switched on.
func TestWhatSpeaksAgainstTheModuleIsSaid(t *testing.T) {
	gain, cold, warm := 0.5, 180.0, 600.0
	for _, tc := range []struct {
		name string
		cal  *results.Calibration
		runs *float64
		sim  bool
		code string // "" = no warning
		text string
	}{
		{"none given", nil, &warm, false, "accuracy_assumed", "1 % + 2 mA, 1 mV are reckoned with, as modules of the HD family are verified to"},
		{"a part given", results.CalibrationOf(&gain, nil, nil, "2026-09-01", info("HD PPM")), &warm, false, "accuracy_assumed", "0.5 % + 2 mA, 1 mV"},
		{"two years ago", &results.Calibration{GainPct: 1, CalDate: "2024-09-20"}, &warm, false, "calibration_old", "calibrated on 2024-09-20"},
		{"just on", &results.Calibration{GainPct: 1, CalDate: "2026-09-01"}, &cold, false, "module_cold", "on for 180 s"},
		{"all well", &results.Calibration{GainPct: 1, CalDate: "2026-09-01"}, &warm, false, "", ""},
		{"emulated", nil, &cold, true, "", ""},
	} {
		m := meta()
		m.Module.Calibration, m.Module.RuntimeS, m.Suite.Simulated = tc.cal, tc.runs, tc.sim
		d := record(t, m).Compute()
		if tc.code == "" {
			if len(d.Warnings) > 0 {
				t.Errorf("%s: %v", tc.name, d.Warnings)
			}
			continue
		}
		if len(d.Warnings) != 1 || !warned(d, tc.code, tc.text) {
			t.Errorf("%s: %v, want %s", tc.name, d.Warnings, tc.code)
		}
	}
}

// A mix of which all are reads is what a claim about random reads speaks of, and one
// without any is random writes; one of 70 % is neither.
func TestMixOfOneKindIsThatKind(t *testing.T) {
	r := record(t, calibrated())
	r.DriveFile("drive.yaml", claims(
		"name: read, quantity: iops, kind: min, value: 1 kIOPS, workload: {rw: randread, bs: 4k}",
		"name: write, quantity: iops, kind: min, value: 1 kIOPS, workload: {rw: randwrite, bs: 4k}",
	))
	r.Stream(source{ToS: 12, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	for i, pct := range []int{100, 70} {
		job := randread
		job.Step, job.RW, job.ReadPct = fmt.Sprintf("r%d", pct), "randrw", pct
		r.Load(job, float64(2+4*i), float64(4+4*i), done(20_000), nil)
	}
	r.Ended(12)
	d := r.Compute()
	if v := verdict(t, d, "read"); v.Verdict != limits.Pass || v.Of != "r100, state not judged" {
		t.Errorf("read: %+v", v)
	}
	if v := verdict(t, d, "write"); v.Verdict != limits.Inconclusive || v.Why != "no load of randwrite 4k was measured" {
		t.Errorf("write: %+v", v)
	}
}
