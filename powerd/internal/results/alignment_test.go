package results_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/align"
	"powerd/powerd/internal/results"
)

// placed fails unless a stream's offset holds the truth within the bound it states.
func placed(t *testing.T, what string, a results.StreamAlignment, offsetS float64) {
	t.Helper()
	if a.OffsetS == nil || a.OffsetU95S == nil {
		t.Fatalf("%s has no offset: %s", what, a.Why)
	}
	if off := math.Abs(*a.OffsetS - offsetS); off > *a.OffsetU95S {
		t.Errorf("%s: offset %.6f ± %.6f s, is %.6f", what, *a.OffsetS, *a.OffsetU95S, offsetS)
	}
}

// A start-up is sampled at 64 µs for 2 s, the rest at 1.024 ms for 40 s. Both are
// placed on the host's clock; the main one is the longer. The short one alone would
// tell its rate to some 40 ppm; the long one tells it to a few, and a module's crystal
// moves by no more than 10 from one stream to the next.
func TestTwoStreamsOfDifferentPeriods(t *testing.T) {
	const ppm = 120
	r := record(t, meta())
	r.Stream(source{FromS: 1, ToS: 3, PeriodNs: 64_000, PPM: ppm, Draw: idle55, EndReason: "done"})
	r.Stream(source{FromS: 4, ToS: 44, PeriodNs: 1_024_000, PPM: ppm, Draw: idle55, EndReason: "done"})
	r.Step("short", "idle", 1.5, 2.5, nil)
	r.Step("long", "idle", 10, 40, nil)
	d := r.Compute()

	if len(d.Alignment.Streams) != 2 {
		t.Fatalf("%d streams", len(d.Alignment.Streams))
	}
	short, long := d.Alignment.Streams[0], d.Alignment.Streams[1]
	placed(t, "short", short, 1)
	placed(t, "long", long, 4)
	if d.Alignment.Stream != long.Stream || d.Module.PeriodUs != 1024 || d.Module.Averaging != 256 {
		t.Errorf("main stream %d at %g µs, want the longer one", d.Alignment.Stream, d.Module.PeriodUs)
	}
	if long.Method != "hull + 1 bound" || short.Method != "prior rate + 1 bound" {
		t.Errorf("methods %q and %q: the short one should use the long one's rate", long.Method, short.Method)
	}
	for name, s := range map[string]results.StreamAlignment{"short": short, "long": long} {
		if math.Abs(*s.DriftPPM-ppm) > *s.DriftU95PPM {
			t.Errorf("%s: drift %.1f ± %.1f ppm, is %d", name, *s.DriftPPM, *s.DriftU95PPM, ppm)
		}
	}
	if *short.DriftU95PPM < 10 || *short.DriftU95PPM > 20 {
		t.Errorf("the short stream's rate is known to ± %.1f ppm, want 10 and what the long one leaves", *short.DriftU95PPM)
	}
	// 40 s · (1 + 120 ppm) of 1.024 ms are 39,057.8 stripes, recorded to the nearest.
	if long.Stripes != 39_058 || short.LostStripes+long.LostStripes != 0 {
		t.Errorf("%d stripes, %d lost", long.Stripes, long.LostStripes)
	}
	for i, step := range []string{"short", "long"} {
		if d.Idles[i].Step != step {
			t.Errorf("idle %d is of step %s, want the plan's order", i, d.Idles[i].Step)
		}
		near(t, step, d.Idles[i].Total.MeanW, 5.5, 1e-12)
	}
}

// powerUp draws nothing until the rails rise at a second of the run.
func powerUp(atS float64) func(float64) []reading {
	return func(s float64) []reading {
		if s < atS {
			return []reading{{0, 0}, {0, 0}}
		}
		return idle55(s)
	}
}

// Blocks come 30 ms late, and the stream was asked for 20 ms before it began: stripes
// are known to ± 25 ms. Then the host switches power on, and the rails rise 1 ms
// after that: no stripe that shows it ends before the command, which narrows the
// bracket to 31 ms and what is left of a stripe, ± 15.5 to 16 ms.
func TestPowerOnBoundsTheAlignment(t *testing.T) {
	draw := powerUp(5.001)
	make := func(command bool) *results.Document {
		r := record(t, meta())
		r.Stream(source{FromS: 1, ToS: 9, SentS: 0.98, DelayNs: 30e6, PeriodNs: 1_024_000, Draw: draw, EndReason: "done"})
		if command {
			r.Event(results.StepStart(host(4), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
			r.Powered("up", true, 5)
			r.Event(results.StepEnd(host(8.5), "up", results.Completed, ""))
		}
		return r.Compute()
	}
	before, after := make(false).Alignment, make(true)
	placed(t, "without the command", before.StreamAlignment, 1)
	placed(t, "with the command", after.Alignment.StreamAlignment, 1)
	if before.Method != "hull + 1 bound" || after.Alignment.Method != "hull + 2 bounds" {
		t.Errorf("methods %q and %q", before.Method, after.Alignment.Method)
	}
	// Beside half the bracket there are tens of microseconds of scatter.
	for name, x := range map[string][2]float64{
		"without": {*before.OffsetU95S, 25e-3}, "with": {*after.Alignment.OffsetU95S, 15.75e-3},
	} {
		if math.Abs(x[0]-x[1]) > 0.4e-3 {
			t.Errorf("%s the command: ± %.2f ms, want ± %.2f ms within 0.4 ms", name, x[0]*1e3, x[1]*1e3)
		}
	}

	cycles := after.Inrush.Cycles
	if len(cycles) != 1 || cycles[0].OriginMonoNs == nil {
		t.Fatalf("cycles %v, withheld %v", cycles, after.Withheld)
	}
	if off := math.Abs(*cycles[0].OriginMonoNs*1e-9 - float64(host(5.001))*1e-9); off > *cycles[0].OriginU95S+stripeS {
		t.Errorf("the rails rose %.2f ms from where they did, stated ± %.2f ms", off*1e3, *cycles[0].OriginU95S*1e3)
	}
	near(t, "12 V peak", cycles[0].Rails["12v"].Peaks[0].Amps, 0.25, 1e-12)
}

// A stripe is a mean, so the rails may rise anywhere in it, and so does the command
// that made them rise at once: the stripe that shows it began up to a period before.
// With blocks that come 50 µs after their end, and the host's command right at the
// rise, the truth must still lie within the bound that is stated.
func TestPowerOnInsideAStripe(t *testing.T) {
	const periodS = 8.192e-3
	for _, share := range []float64{0.02, 0.3, 0.5, 0.9} {
		at := 400*periodS + share*periodS // of the run; stripe 400 shows it
		r := record(t, meta())
		r.Stream(source{ToS: 1000 * periodS, PeriodNs: 8_192_000, SentS: -0.02, EndReason: "done", Draw: func(s float64) []reading {
			switch k := int(s / periodS); {
			case k < 400:
				return []reading{{0, 0}, {0, 0}}
			case k == 400: // on for the rest of the stripe
				on := 1 - share
				return []reading{{int32(5000 * on), int32(500_000 * on)}, {int32(12_000 * on), int32(250_000 * on)}}
			}
			return idle55(s)
		}})
		r.Event(results.StepStart(host(1), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
		r.Powered("up", true, at)
		r.Event(results.StepEnd(host(8), "up", results.Completed, ""))
		a := r.Compute().Alignment
		placed(t, fmt.Sprintf("command at %.2f of a stripe", share), a.StreamAlignment, 0)
		if a.Method != "hull + 2 bounds" {
			t.Errorf("method %q (%s): the command at %.2f of a stripe was set aside", a.Method, a.Why, share)
		}
	}
}

// A power cycle without a power-up, as one that failed or was stopped in between
// leaves it, has nothing to be measured in it.
func TestPowerCycleWithoutPowerUp(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 3, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Event(results.StepStart(host(1), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
	r.Powered("up", false, 1.5)
	r.Event(results.StepEnd(host(2), "up", results.Failed, "the module refused"))
	d := r.Compute()
	if why := withheld(t, d, "inrush.up"); why != "the drive was not powered up in this step" {
		t.Errorf("withheld because %q", why)
	}
	if !warned(d, "step_failed", "step up: the module refused") {
		t.Errorf("warnings %v do not say that the step failed", d.Warnings)
	}
}

// Somebody sets the host's wall clock by an hour in mid-run. It is reported where it
// happened, and no figure and no window moves: everything lives on CLOCK_MONOTONIC.
// Slewing by 400 µs a second is no step.
func TestWallClockStepMovesNothing(t *testing.T) {
	make := func(stepS float64) *results.Document {
		r := record(t, meta())
		r.Stream(source{ToS: 9, PeriodNs: 1_024_000, Draw: busy, EndReason: "done"})
		r.Load(randread, 2000*stripeS, 6000*stripeS, done(204_800), nil)
		for s := range 9 {
			slewed := 400e-6 * float64(s)
			if s >= 4 {
				slewed += stepS
			}
			r.Clock(float64(s), slewed)
		}
		r.Ended(9)
		return r.Compute()
	}
	plain, stepped := make(0), make(3600)
	if len(plain.Alignment.WallSteps) != 0 || len(stepped.Alignment.WallSteps) != 1 {
		t.Fatalf("steps %v and %v, want none and one", plain.Alignment.WallSteps, stepped.Alignment.WallSteps)
	}
	if w := stepped.Alignment.WallSteps[0]; w.MonoNs != host(4) || math.Abs(w.StepS-3600) > 1e-3 {
		t.Errorf("step of %.3f s at second %.3f, want 3600 s at 4", w.StepS, float64(w.MonoNs-startNs)*1e-9)
	}
	const told = "the wall clock was set by +3600.000 s, 4.0 s after the start"
	if !warned(stepped, "wall_clock_step", told) || warned(plain, "wall_clock_step", "") {
		t.Errorf("warnings %v and %v", plain.Warnings, stepped.Warnings)
	}
	stepped.Alignment.WallSteps = nil
	stepped.Warnings = slices.DeleteFunc(stepped.Warnings, func(w results.Warning) bool { return w.Code == "wall_clock_step" })
	if a, b := encoded(t, plain), encoded(t, stepped); !bytes.Equal(a, b) {
		t.Error("a step of the wall clock changed more than wall_steps and its warning")
	}
}

// What a reader sees of the alignment says how good it is, or why there is none.
func TestAlignmentInOneLine(t *testing.T) {
	if got, want := (results.Alignment{StreamAlignment: results.StreamAlignment{Why: "there are no samples"}}).Line(), "no alignment: there are no samples"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a := results.Alignment{StreamAlignment: results.StreamAlignment{
		Method: "hull + 1 bound", Status: align.StatusDegraded, Why: "wide", LostStripes: 7,
		OffsetS: analysis.Some(0.0125), OffsetU95S: analysis.Some(0.0061), DriftPPM: analysis.Some(-12.34), DriftU95PPM: analysis.Some(1.5),
	}}
	want := "offset 12.500 ms ± 6.10 ms, rate -12.3 ± 1.5 ppm, method hull + 1 bound, lost stripes 7; degraded: wide"
	if got := a.Line(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Without a sample there is no alignment, and it says so.
func TestNoSamplesNoAlignment(t *testing.T) {
	d := record(t, meta()).Compute()
	if a := d.Alignment; a.Status != align.StatusNone || a.OffsetS != nil || !strings.Contains(a.Line(), "no samples") {
		t.Errorf("alignment %+v", a)
	}
}

func encoded(t *testing.T, d *results.Document) []byte {
	t.Helper()
	b, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
