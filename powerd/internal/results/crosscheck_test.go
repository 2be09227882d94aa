package results_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"powerd/engine"
	"powerd/powerd/internal/results"
)

// comesAndGoes is a load of 40 s from 2 s of the run whose IOs come and go for 0.2 to 1.2 s
// each, as an engine logs them in half seconds, and the power that follows lagS later.
// loggedLateS is how much later than it was the engine says that it was.
func comesAndGoes(lagS, loggedLateS float64) (draw func(float64) []reading, res *engine.Result) {
	const fromS, toS, perMs = 2.0, 42.0, 10
	r := rand.New(rand.NewPCG(7, 7))
	busy := make([]bool, int((toS-fromS)*1000)) // each ms
	for i, on := 0, true; i < len(busy); on = !on {
		for n := 200 + r.IntN(1000); n > 0 && i < len(busy); n, i = n-1, i+1 {
			busy[i] = on
		}
	}
	res = done(0)
	for i := 0; i < len(busy); i += 500 {
		v := engine.Interval{StartNs: host(fromS + loggedLateS + float64(i)*1e-3), EndNs: host(fromS + loggedLateS + float64(i+500)*1e-3)}
		for _, on := range busy[i : i+500] {
			if on {
				v.Reads, v.ReadBytes = v.Reads+perMs, v.ReadBytes+perMs*4096
			}
		}
		res.Intervals = append(res.Intervals, v)
		res.Read.IOs, res.Read.Bytes = res.Read.IOs+v.Reads, res.Read.Bytes+v.ReadBytes
	}
	res.EdgeU95Ns, res.Read.Latency.MaxUs = 2e6, 1000
	return func(s float64) []reading {
		x := idle55(s)
		if i := int(math.Floor((s - fromS - lagS) * 1000)); i >= 0 && i < len(busy) && busy[i] {
			x[0][1] += 400_000
		}
		return x
	}, res
}

// checked is a run of such a load in a stream that is placed within a millisecond.
func checked(t *testing.T, lagS, loggedLateS float64) *results.Document {
	t.Helper()
	r := record(t, meta())
	draw, res := comesAndGoes(lagS, loggedLateS)
	r.Stream(source{ToS: 46, PeriodNs: 1_024_000, PPM: 60, DelayNs: 200e3, EndReason: "done", Draw: draw})
	r.Load(randread, 2+loggedLateS, 42+loggedLateS, res, nil)
	r.Ended(46)
	return r.Compute()
}

// The power of a long load lies 4 ms behind its IOs: that is the drive's lag, which nobody
// knows beforehand. By nothing but how both come and go it is found within its own ±,
// which is some milliseconds where the engine's intervals are half seconds.
func TestLongLoadsCrossCheckTheMap(t *testing.T) {
	d := checked(t, 4e-3, 0)
	if n := len(d.Alignment.CrossChecks); n != 1 {
		t.Fatalf("%d cross-checks", n)
	}
	c := d.Alignment.CrossChecks[0]
	if c.OffsetS == nil {
		t.Fatalf("refused: %s", c.Why)
	}
	if off := math.Abs(*c.OffsetS - 4e-3); off > *c.OffsetU95S || *c.OffsetU95S < 1e-4 || *c.OffsetU95S > 60e-3 {
		t.Errorf("the power follows by %.2f ± %.2f ms, does by 4", *c.OffsetS*1e3, *c.OffsetU95S*1e3)
	}
	if warned(d, "alignment_disputed", "") {
		t.Errorf("disputed: %v", d.Warnings)
	}
	if text := d.Alignment.Text(); !strings.Contains(text, "cross-check by energy: in 1 of 1 long load the power follows the IOs") {
		t.Errorf("text %q", text)
	}
}

// An engine that writes its log by another clock, 400 ms late, has the power come before
// its cause. The map does not allow that, and the run says so. 400 ms early looks like a
// drive that keeps writes for a while: it is a figure, and no contradiction.
func TestPowerBeforeItsCauseIsDisputed(t *testing.T) {
	late, early := checked(t, 0, 0.4), checked(t, 0, -0.4)
	if !warned(late, "alignment_disputed", "before the IOs that cause it") {
		t.Errorf("warnings %v, cross-checks %+v", late.Warnings, late.Alignment.CrossChecks)
	}
	if warned(early, "alignment_disputed", "") {
		t.Errorf("warnings %v", early.Warnings)
	}
	near(t, "early", early.Alignment.CrossChecks[0].OffsetS, 0.4, 0.1)
}

// A load without a change tells nothing, and a short one is not asked.
func TestCrossCheckRefuses(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 80, PeriodNs: 1_024_000, DelayNs: 200e3, EndReason: "done", Draw: loadedFrom(2, 42)})
	even := func(step string, fromS, toS float64, n int) {
		job, res := randread, done(204_800)
		job.Step = step
		for i := range n {
			at := fromS + (toS-fromS)*float64(i)/float64(n)
			res.Intervals = append(res.Intervals, engine.Interval{StartNs: host(at), EndNs: host(at + (toS-fromS)/float64(n)), Reads: 100, ReadBytes: 409_600})
		}
		r.Load(job, fromS, toS, res, nil)
	}
	even("even", 2, 42, 80)
	even("short", 50, 70, 40)
	r.Ended(80)
	a := r.Compute().Alignment
	if len(a.CrossChecks) != 1 || a.CrossChecks[0].Step != "even" || a.CrossChecks[0].OffsetS != nil || !strings.Contains(a.CrossChecks[0].Why, "no unique offset") {
		t.Errorf("cross-checks %+v", a.CrossChecks)
	}
	if text := a.Text(); !strings.Contains(text, "cross-check by energy: no unique answer in 1 long load") {
		t.Errorf("text %q", text)
	}
}

// A stream of which only is known that it was asked for 0.2 s before it began, and whose
// blocks come 60 ms late, is placed within ± 130 ms: too little to tell steps of its power
// apart. The load as a whole comes and goes at one place only. It leaves the 60 ms of the
// blocks, 2 ms of the engine's stamps, 1 ms of its longest IO, and twice the ± of the find:
// no less than ± 31.5 ms, and less than half of what it was.
func TestLongLoadInAnUnsureStream(t *testing.T) {
	make := func(load bool) results.StreamAlignment {
		r := record(t, meta())
		draw, res := comesAndGoes(0, 0)
		r.Stream(source{FromS: 1, ToS: 46, SentS: 0.8, DelayNs: 60e6, PeriodNs: 1_024_000, EndReason: "done", Draw: draw})
		if load {
			r.Load(randread, 2, 42, res, nil)
		}
		a := r.Compute().Alignment.StreamAlignment
		placed(t, "the stream", a, 1)
		return a
	}
	before, after := make(false), make(true)
	if u := *before.OffsetU95S; math.Abs(u-0.130) > 1e-3 {
		t.Errorf("without the load ± %.1f ms, want 130", u*1e3)
	}
	if u := *after.OffsetU95S; after.Method != "hull + 2 bounds" || u < 31.5e-3 || u > 65e-3 {
		t.Errorf("with it ± %.1f ms, want 31.5 to 65; %s", u*1e3, after.Method)
	}
}
