package results_test

import (
	"math"
	"strings"
	"testing"
	"time"
)

// loadedFrom draws 2 W more from 5 V between two seconds of the run.
func loadedFrom(fromS, toS float64) func(float64) []reading {
	return func(s float64) []reading {
		r := idle55(s)
		if s >= fromS && s < toS {
			r[0][1] += 400_000
		}
		return r
	}
}

// slowStream is a stream from 1 s to 9 s of the run whose blocks come 30 ms late and that
// was asked for 20 ms before it began: known to ± 25 ms by that.
func slowStream(draw func(float64) []reading) source {
	return source{FromS: 1, ToS: 9, SentS: 0.98, DelayNs: 30e6, PeriodNs: 1_024_000, EndReason: "done", Draw: draw}
}

// An engine's stamps of a job's start and end are good to ± 2 ms, and the power changes
// with neither earlier than they allow. In a stream that is known to ± 25 ms,
//
//   - a job that begins 1 ms after its stamp leaves 30 + 1 + 2 ms of 50, ± 16.5 ms;
//   - one that ramps up began at nobody knows what time, and only its end tells: the power
//     falls 3 ms after the stamp, the longest IO took 4 ms, so 30 + 3 + 2 + 4 ms, ± 19.5 ms;
//   - with both the start decides, ± 16.5 ms;
//   - a job that has a demand, or moves so many bytes, may have rested before its end: it
//     says nothing, nor does one whose longest IO took 40 ms; ± 25 ms where it ramps up too.
func TestJobsBoundTheAlignment(t *testing.T) {
	for _, c := range []struct {
		what       string
		ramp       time.Duration
		demand     int
		stopBytes  int64
		longestUs  float64
		wantU      float64
		wantMethod string
	}{
		{"start", 0, 0, 0, 0, 16.5e-3, "hull + 1 job start + 1 bound"},
		{"end", time.Second, 0, 0, 4000, 19.5e-3, "hull + 2 bounds"},
		{"both", 0, 0, 0, 4000, 16.5e-3, "hull + 1 job start + 2 bounds"},
		{"demand", time.Second, 500, 0, 4000, 25e-3, "hull + 1 bound"},
		{"bytes", time.Second, 0, 1 << 20, 4000, 25e-3, "hull + 1 bound"},
		{"slow IO", time.Second, 0, 0, 40_000, 25e-3, "hull + 1 bound"},
	} {
		r := record(t, meta())
		r.Stream(slowStream(loadedFrom(5.001, 8.003)))
		job, res := randread, done(204_800)
		job.Ramp, job.RateIOPS, job.StopBytes = c.ramp, c.demand, c.stopBytes
		res.EdgeU95Ns, res.Read.Latency.MaxUs = 2e6, c.longestUs
		r.Load(job, 5, 8, res, nil)
		a := r.Compute().Alignment
		placed(t, c.what, a.StreamAlignment, 1)
		if a.Method != c.wantMethod || math.Abs(*a.OffsetU95S-c.wantU) > 0.5e-3 {
			t.Errorf("%s: %s, ± %.2f ms, want %s, ± %.2f ms", c.what, a.Method, *a.OffsetU95S*1e3, c.wantMethod, c.wantU*1e3)
		}
	}
}

// Power that changes the other way at a stamp, or before it could, is another's doing: a
// drive that rests while the engine works, a load that began 60 ms before the engine says.
func TestJobsOfAnotherDriveBoundNothing(t *testing.T) {
	for name, draw := range map[string]func(float64) []reading{
		"the power falls": loadedFrom(2, 5.001), "it rises too early": loadedFrom(4.94, 7.5), "it does nothing": idle55,
	} {
		r := record(t, meta())
		r.Stream(slowStream(draw))
		res := done(204_800)
		res.EdgeU95Ns, res.Read.Latency.MaxUs = 2e6, 4000
		r.Load(randread, 5, 8, res, nil)
		a := r.Compute().Alignment
		placed(t, name, a.StreamAlignment, 1)
		if a.Method != "hull + 1 bound" || a.Status != "degraded" { // ± 25 ms is more than 5
			t.Errorf("%s: %s, %s %s", name, a.Method, a.Status, a.Why)
		}
	}
}

// The engine's stamps alone never place a stream better than they are: ten jobs a second
// apart whose power rises 150 µs after their first IO, each stamped early or late by up to
// 2 ms, in a stream whose blocks come 200 µs late. What the arrivals leave, 200 µs and the
// 50 µs since the stream was asked for, stays.
func TestJobsAreNoBetterThanTheirStamps(t *testing.T) {
	r := record(t, meta())
	on := func(s float64) bool {
		k := math.Floor(s)
		return k >= 2 && k < 12 && s >= k+150e-6 && s < k+0.5
	}
	r.Stream(source{ToS: 14, PeriodNs: 64_000, PPM: 80, DelayNs: 200e3, EndReason: "done", Draw: func(s float64) []reading {
		x := idle55(s)
		if on(s) {
			x[0][1] += 400_000
		}
		return x
	}})
	for i, offMs := range []float64{-2, 1.5, 0, 2, -1, 0.5, -0.5, 1, -1.5, 0} {
		job, res := randread, done(204_800)
		job.Step += strings.Repeat("x", i)
		res.EdgeU95Ns, res.Read.Latency.MaxUs = 2e6, 500
		from := float64(2 + i)
		r.Load(job, from+offMs*1e-3, from+0.5+offMs*1e-3, res, nil)
	}
	a := r.Compute().Alignment
	placed(t, "ten jobs", a.StreamAlignment, 0)
	if a.Status != "ok" || !strings.Contains(a.Method, "10 job starts") || *a.OffsetU95S < 100e-6 || *a.OffsetU95S > 400e-6 {
		t.Errorf("%s %s, %s, ± %.0f µs", a.Status, a.Why, a.Method, *a.OffsetU95S*1e6)
	}
}
