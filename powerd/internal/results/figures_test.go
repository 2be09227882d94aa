package results_test

import (
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// randread is the job of most loads here.
var randread = engine.Job{Step: "randread", RW: "randread", BlockBytes: 4096, QueueDepth: 32, Jobs: 1}

// done is what an engine did: so many reads of 4 KiB.
func done(ios uint64) *engine.Result {
	return &engine.Result{EdgeU95Ns: 1e6, Read: engine.Direction{IOs: ios, Bytes: ios * 4096}}
}

// Stripe times are whole multiples of 1.024 ms, so that a step of power in the
// middle of a stripe, which no sample could show, does not blur the figures.
const stripeS = 1.024e-3

// A drive that draws 5 V · 0.5 A and 12 V · 0.25 A all the time: 2.5 W, 3 W and
// 5.5 W, not about, since neither sum nor division needs any rounding here.
func TestIdleWattsAreExact(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{FromS: 0.5, ToS: 8, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("idle", "idle", 1, 7, nil)
	r.Ended(8)
	d := r.Compute()

	if d.Run.Outcome != results.Completed || len(d.Idles) != 1 || d.Idle != d.Idles[0] {
		t.Fatalf("outcome %s, %d idles", d.Run.Outcome, len(d.Idles))
	}
	const rounding = 1e-12
	near(t, "5v mean_w", d.Idle.Rails[quarch.Rail5V].MeanW, 2.5, rounding)
	near(t, "12v mean_w", d.Idle.Rails[quarch.Rail12V].MeanW, 3, rounding)
	near(t, "total mean_w", d.Idle.Total.MeanW, 5.5, rounding)
	near(t, "total min_w", d.Idle.Total.MinW, 5.5, rounding)
	near(t, "total max_w", d.Idle.Total.MaxW, 5.5, rounding)
	near(t, "12v mean_a", d.Idle.Rails[quarch.Rail12V].MeanA, 0.25, rounding)
	near(t, "12v mean_v", d.Idle.Rails[quarch.Rail12V].MeanV, 12, rounding)
	near(t, "coverage", &d.Idle.Coverage, 1, rounding)
	near(t, "duration_s", &d.Idle.DurationS, 6, rounding)
	if len(d.Withheld) != 1 || len(d.Warnings) != 0 { // 6 s are too short to tell when a drive settled
		t.Errorf("withheld %v, warnings %v; want one and none", d.Withheld, d.Warnings)
	}
}

// busy draws 0.5 W, and 5.0 W from 2000 to 6000 stripes after second 0.
func busy(s float64) []reading {
	if s >= 2000*stripeS && s < 6000*stripeS {
		return []reading{{5000, 1_000_000}, {0, 0}}
	}
	return []reading{{5000, 100_000}, {0, 0}}
}

// A load of 4.096 s between two idle times: 204,800 IOs are 50,000 IOPS, at 5000 mW
// 10.0 IOPS/mW. Power averaged over the whole stream, idle edges too, would be
// (4 · 0.5 W + 4 · 5 W) / 8 = 2.75 W and say 18.18.
func TestEfficiencyIsOfTheLoadsOwnWindow(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 8000 * stripeS, PeriodNs: 1_024_000, Draw: busy, EndReason: "done"})
	r.Load(randread, 2000*stripeS, 6000*stripeS, done(204_800), nil)
	r.Ended(9)
	d := r.Compute()

	if len(d.Efficiency) != 1 {
		t.Fatalf("%d cells; withheld %v", len(d.Efficiency), d.Withheld)
	}
	c := d.Efficiency[0]
	// The window's place is known within tens of microseconds, and so are its
	// joules: 30 µs · 4.5 W of 20 J is 7e-6.
	const placing = 2e-5
	near(t, "iops", c.IOPS, 50_000, 1e-12)
	near(t, "mb_per_s", c.MBPerS, 50_000*4096e-6, 1e-12) // 204.8 MB/s
	near(t, "mean_w", c.MeanW, 5, placing)
	near(t, "energy_j", c.EnergyJ, 5*4.096, placing)
	near(t, "iops_per_mw", c.IOPSPerMW, 10, placing)
	near(t, "iops_per_w", c.IOPSPerW, 10_000, placing)
	near(t, "mb_per_s_per_mw", c.MBPerSPerMW, 0.04096, placing)
	near(t, "uj_per_io", c.UJPerIO, 100, placing) // 20.48 J / 204,800
	if c.U95Rel == nil || *c.U95Rel <= 0 || *c.U95Rel > 0.01 {
		t.Errorf("u95_rel = %v, want above 0 and at most 1 %%", c.U95Rel)
	}
	if c.StartMonoNs != host(2000*stripeS) || c.EndMonoNs != host(6000*stripeS) {
		t.Errorf("window [%d, %d), want the engine's", c.StartMonoNs, c.EndMonoNs)
	}
}

// The module overran in the middle of a cell. The IOs of the whole cell over the
// joules of its first half would be a lie by a factor of two: no row, but a reason.
// The cell before it stands.
func TestOverrunLeavesNoRowForItsCell(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 5, PeriodNs: 1_024_000, Draw: idle55, EndReason: "module overrun: its buffer ran over"})
	before, during := randread, randread
	before.Step, during.Step = "before", "during"
	r.Load(before, 1, 3, done(100_000), nil)
	r.Load(during, 4, 6, done(100_000), nil)
	d := r.Compute()

	if len(d.Efficiency) != 1 || d.Efficiency[0].Step != "before" {
		t.Errorf("rows %v, want the one of the cell before", d.Efficiency)
	}
	if why := withheld(t, d, "efficiency.during.iops_per_mw"); !strings.Contains(why, "module overrun") {
		t.Errorf("withheld because %q, which does not name the overrun", why)
	}
	if !warned(d, "stream_ended_early", "module overrun") {
		t.Errorf("warnings %v do not name the overrun", d.Warnings)
	}
}

// No stream covers the step's time: nothing is known of it.
func TestStepWithoutSamplesIsWithheld(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 3, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("late", "idle", 4, 6, nil)
	r.Load(randread, 7, 8, done(1000), nil)
	r.Step("nothing", "idle", 2, 2, nil)
	d := r.Compute()
	if len(d.Idles)+len(d.Efficiency) != 0 || d.Idle != nil {
		t.Errorf("%d idles and %d cells without samples", len(d.Idles), len(d.Efficiency))
	}
	for what, why := range map[string]string{
		"idle.late": "no samples of this time", "efficiency.randread": "no samples of this time", "idle.nothing": "no length",
	} {
		if got := withheld(t, d, what); !strings.Contains(got, why) {
			t.Errorf("%s is withheld because %q, want %q", what, got, why)
		}
	}
}

// 400 of the window's 4000 stripes were lost: 90 % are left and 99 % are asked for.
// The IOs are known, the joules are not. The gap lies where it was.
func TestGapInMidWindow(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 8000 * stripeS, PeriodNs: 1_024_000, Draw: busy, EndReason: "done", Lost: [2]uint64{3000, 3400}})
	r.Load(randread, 2000*stripeS, 6000*stripeS, done(204_800), nil)
	r.Step("idle", "idle", 2000*stripeS, 6000*stripeS, nil)
	d := r.Compute()

	c := d.Efficiency[0]
	near(t, "coverage", c.Coverage, 0.9, 1e-4)
	near(t, "iops", c.IOPS, 50_000, 1e-12)
	if c.MeanW != nil || c.EnergyJ != nil || c.IOPSPerMW != nil || c.IOPSPerW != nil || c.UJPerIO != nil {
		t.Error("figures of power stand although a tenth of the samples is lost")
	}
	const why = "samples cover 90.0 % of the window, 99.0 % are required"
	for _, what := range []string{"efficiency.randread.mean_w", "efficiency.randread.iops_per_mw", "idle.idle.total", "idle.idle.rails.5v"} {
		if got := withheld(t, d, what); got != why {
			t.Errorf("%s is withheld because %q, want %q", what, got, why)
		}
	}
	if d.Alignment.LostStripes != 400 || len(d.Alignment.Gaps) != 1 {
		t.Fatalf("%d stripes lost in %d gaps, want 400 in 1", d.Alignment.LostStripes, len(d.Alignment.Gaps))
	}
	g := d.Alignment.Gaps[0]
	for name, at := range map[string][2]int64{"start": {g.StartMonoNs, host(3000 * stripeS)}, "end": {g.EndMonoNs, host(3400 * stripeS)}} {
		if off := at[0] - at[1]; off < -100e3 || off > 100e3 {
			t.Errorf("the gap's %s is %d µs from where it was", name, off/1000)
		}
	}
	if g.Stripes != 400 || g.Cause != "lost on the way" {
		t.Errorf("gap %+v", g)
	}
}

// A job that failed did something, but not what was asked for: no row. One that
// was stopped did what was asked for, for a shorter time: a row that says so.
func TestFailedAndInterruptedJobs(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 8, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	failed, stopped := randread, randread
	failed.Step, stopped.Step = "failed", "stopped"
	why := &engine.JobError{Step: "failed", Why: "exit code 1", Messages: []string{"No space left on device"}}
	r.Load(failed, 1, 2, done(1000), why)
	res := done(10_000)
	res.Interrupted = true
	r.Load(stopped, 3, 4, res, &engine.JobError{Step: "stopped", Why: "interrupted"})
	d := r.Compute()

	if got := withheld(t, d, "efficiency.failed"); got != why.Error() {
		t.Errorf("withheld because %q, want %q", got, why)
	}
	if len(d.Efficiency) != 1 || d.Efficiency[0].Step != "stopped" || !d.Efficiency[0].Interrupted {
		t.Fatalf("rows %+v, want the stopped job's, marked", d.Efficiency)
	}
	near(t, "iops", d.Efficiency[0].IOPS, 10_000, 1e-12)
	if !warned(d, "interrupted", "stopped") {
		t.Errorf("warnings %v do not say that the job was stopped", d.Warnings)
	}
}

// What the engine found odd about a job reaches the reader, with the step's name.
func TestWarningsOfTheEngineArePassedOn(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 4, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	res := done(1000)
	res.Warnings = []engine.Warning{{Code: "log_differs", Text: "log and report differ by 3 %"}}
	r.Load(randread, 1, 2, res, nil)
	if d := r.Compute(); !warned(d, "log_differs", "step randread: log and report differ by 3 %") {
		t.Errorf("warnings %v", d.Warnings)
	}
	res.EndNs = res.StartNs
	if d := r.Compute(); !strings.Contains(withheld(t, d, "efficiency.randread"), "no window") {
		t.Error("a result without a window gave figures")
	}
}

// A bench says that both rails are in use. If the module gives nothing of one, there is
// no total anywhere, and the reason; if it gives zeros, 12 V draws 0 W and the total is
// whole: 2.5 W. Neither moves 5 V into 12 V.
func TestAbsentRailIsNotAZeroRail(t *testing.T) {
	missing := reading{quarch.Missing, quarch.Missing}
	for _, c := range []struct {
		name   string
		rails  []quarch.Rail
		draw   func(float64) []reading
		absent bool
	}{
		{"no 12 V channel", []quarch.Rail{quarch.Rail5V}, steady(reading{5000, 500_000}), true},
		{"a 12 V channel without values", nil, steady(reading{5000, 500_000}, missing), true},
		{"12 V reads zero amperes", nil, steady(reading{5000, 500_000}, reading{12_000, 0}), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := record(t, meta())
			r.Stream(source{ToS: 4, PeriodNs: 1_024_000, Draw: c.draw, Rails: c.rails, EndReason: "done"})
			r.Step("idle", "idle", 1, 3, nil)
			r.Load(randread, 1, 3, done(1000), nil)
			d := r.Compute()
			near(t, "5v mean_w", d.Idle.Rails[quarch.Rail5V].MeanW, 2.5, 1e-12)
			near(t, "cell 5v mean_w", d.Efficiency[0].Rails[quarch.Rail5V].MeanW, 2.5, 1e-12)
			twelve := d.Idle.Rails[quarch.Rail12V]
			if c.absent {
				if twelve != nil || len(d.Idle.NotMeasured) != 1 || len(d.Efficiency[0].NotMeasured) != 1 || !warned(d, "partial_total", "12V") {
					t.Errorf("12 V %+v, not measured %v, warnings %v", twelve, d.Idle.NotMeasured, d.Warnings)
				}
				if d.Idle.Total.MeanW != nil || d.Efficiency[0].MeanW != nil || d.Efficiency[0].EnergyJ != nil {
					t.Errorf("totals of a part: %+v, %+v", d.Idle.Total, d.Efficiency[0])
				}
				for _, what := range []string{"idle.idle.total", "efficiency.randread.mean_w", "efficiency.randread.iops_per_mw"} {
					if why := withheld(t, d, what); !strings.Contains(why, "12V not measured") {
						t.Errorf("%s is withheld since %q", what, why)
					}
				}
				for _, w := range d.Waveforms(analysis.Window{StartNs: host(1), EndNs: host(3)}, 10, host(0)) {
					if w.Name == "total_w" {
						t.Error("the pictures show a total")
					}
				}
				return
			}
			near(t, "total mean_w", d.Idle.Total.MeanW, 2.5, 1e-12)
			near(t, "cell mean_w", d.Efficiency[0].MeanW, 2.5, 1e-12)
			if len(d.Idle.NotMeasured) != 0 || len(d.Warnings) != 0 {
				t.Errorf("not measured %v, warnings %v; want none", d.Idle.NotMeasured, d.Warnings)
			}
			near(t, "12v mean_w", twelve.MeanW, 0, 0)
			near(t, "12v mean_v", twelve.MeanV, 12, 1e-12)
		})
	}
}

// A polled link gives a reading every 80 ms, so 12.5 a second: enough for the mean of
// an idle minute, and nothing that a start-up current could be read from.
func TestPolledLink(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 70, PollNs: 80_000_000, Draw: func(s float64) []reading {
		if s >= 63 && s < 64 {
			return []reading{{0, 0}, {0, 0}}
		}
		return idle55(s)
	}, EndReason: "done"})
	r.Step("idle", "idle", 1, 61, nil)
	r.Event(results.StepStart(host(62.9), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
	r.Powered("up", true, 64)
	r.Event(results.StepEnd(host(69), "up", results.Completed, ""))
	d := r.Compute()

	near(t, "readings_per_s", d.Idle.ReadingsPerS, 12.5, 1e-9)
	near(t, "polls_per_s", &d.Module.PollsPerS, 12.5, 1e-9)
	near(t, "total mean_w", d.Idle.Total.MeanW, 5.5, 1e-12)
	if !warned(d, "polled", "12.5 readings/s") {
		t.Errorf("warnings %v do not say that the link was polled", d.Warnings)
	}
	if got := withheld(t, d, "inrush.up"); got != "not measurable at 12.5 readings/s" {
		t.Errorf("inrush is withheld because %q", got)
	}
	if d.Alignment.Method != "polled" || d.Alignment.DriftPPM != nil {
		t.Errorf("alignment %+v: the host stamps the readings itself, there is no drift", d.Alignment.StreamAlignment)
	}
}
