package results_test

import (
	"bytes"
	"math"
	"testing"

	"powerd/powerd/internal/results"
)

const before = "2026-09-20T09:00:00Z, run r0"

// known returns a meta with a remembered rate.
func known(ppm, u95 float64) results.Meta {
	m := meta()
	m.Rate = &results.KnownRate{PPM: ppm, U95PPM: u95, From: before}
	return m
}

// Ten seconds tell a rate to some 20 ppm at best. One that is remembered to ± 7 ppm serves
// instead, and the results say what it was and from when.
func TestRememberedRateServesAShortRun(t *testing.T) {
	r := record(t, known(118, 7))
	r.Stream(source{FromS: 1, ToS: 11, PeriodNs: 64_000, PPM: 120, Draw: idle55, EndReason: "done"})
	a := r.Compute().Alignment
	placed(t, "the stream", a.StreamAlignment, 1)
	if *a.DriftPPM != 118 || *a.DriftU95PPM != 7 || a.Method != "prior rate + 1 bound" {
		t.Errorf("%g ± %g ppm by %s, want what was remembered", *a.DriftPPM, *a.DriftU95PPM, a.Method)
	}
	if *a.PriorPPM != 118 || *a.PriorU95PPM != 7 || a.PriorFrom != before {
		t.Errorf("prior %g ± %g ppm of %q", *a.PriorPPM, *a.PriorU95PPM, a.PriorFrom)
	}
	// The rest of the folder is the same for whoever has a copy of it, wherever that is.
	if a, b := r.Copied(), r.Copied(); !bytes.Equal(computed(t, a), computed(t, b)) {
		t.Error("a copy in another folder gives other results")
	}
}

func computed(t *testing.T, dir string) []byte {
	t.Helper()
	d, err := results.Reopen(dir, results.Loader(nil))
	must(t, err)
	return encoded(t, d)
}

// Nothing remembered, nothing said.
func TestWithoutARememberedRate(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 10, PeriodNs: 64_000, Draw: idle55, EndReason: "done"})
	d := r.Compute()
	if a := d.Alignment; a.PriorPPM != nil || a.PriorU95PPM != nil || a.PriorFrom != "" {
		t.Errorf("prior %v ± %v of %q", a.PriorPPM, a.PriorU95PPM, a.PriorFrom)
	}
	if warned(d, "rate_not_remembered", "") || warned(d, "rate_changed", "") {
		t.Errorf("warnings %v", d.Warnings)
	}
}

// A remembered rate that 40 s contradict by 170 ppm is of another module, or of another
// crystal in it: it is set aside, told, and no other stream of the run hears of it.
func TestContradictedRateIsSetAside(t *testing.T) {
	r := record(t, known(-50, 3))
	r.Stream(source{FromS: 1, ToS: 3, PeriodNs: 64_000, PPM: 120, Draw: idle55, EndReason: "done"})
	r.Stream(source{FromS: 4, ToS: 44, PeriodNs: 1_024_000, PPM: 120, Draw: idle55, EndReason: "done"})
	d := r.Compute()
	for _, s := range d.Alignment.Streams {
		placed(t, "stream", s, map[int]float64{1: 1, 2: 4}[s.Stream])
		if math.Abs(*s.DriftPPM-120) > *s.DriftU95PPM {
			t.Errorf("stream %d: %g ± %g ppm, is 120", s.Stream, *s.DriftPPM, *s.DriftU95PPM)
		}
	}
	if short := d.Alignment.Streams[0]; short.PriorFrom != "stream 2" {
		t.Errorf("the short stream's prior is %q", short.PriorFrom)
	}
	if !warned(d, "rate_changed", "-50.0 ± 3.0 ppm were remembered ("+before+")") {
		t.Errorf("warnings %v", d.Warnings)
	}
}

// Where the memory itself is damaged the run says so, and goes on as if nothing had been
// remembered.
func TestDamagedMemoryIsTold(t *testing.T) {
	m := meta()
	m.Rate = &results.KnownRate{Fault: "read what module QTL1 remembers: it is torn"}
	r := record(t, m)
	r.Stream(source{ToS: 10, PeriodNs: 64_000, Draw: idle55, EndReason: "done"})
	d := r.Compute()
	if !warned(d, "rate_not_remembered", "it is torn") || d.Alignment.PriorPPM != nil {
		t.Errorf("warnings %v, prior %v", d.Warnings, d.Alignment.PriorPPM)
	}
}

// What is worth remembering: a rate that a minute and more told, of a stream that is
// placed well. Of a minute of 1.024 ms stripes at +40 ppm it is right within its ±.
func TestRateWorthRemembering(t *testing.T) {
	for _, c := range []struct {
		name    string
		seconds float64
		delayNs int64
		want    bool
	}{
		{"a minute", 61, 50e3, true},
		{"half of one", 30, 50e3, false},
		{"badly placed", 61, 50e6, false},
	} {
		r := record(t, known(38, 12))
		r.Stream(source{FromS: 1, ToS: 1 + c.seconds, SentS: 0.999, DelayNs: c.delayNs, PeriodNs: 1_024_000, PPM: 40, Draw: idle55, EndReason: "done"})
		d := r.Compute()
		got, ok := d.MeasuredRate()
		if ok != c.want {
			t.Errorf("%s: %+v, %v (%s)", c.name, got, ok, d.Alignment.Text())
		}
		if ok && (math.Abs(got.PPM-40) > got.U95PPM || got.U95PPM > 12 || math.Abs(got.Seconds-c.seconds) > 1) {
			t.Errorf("%s: %+v, is 40 ppm", c.name, got)
		}
	}
	r := record(t, meta()) // a polled link has no clock of its own
	r.Stream(source{ToS: 90, PollNs: 80_000_000, Draw: idle55, EndReason: "done"})
	if got, ok := r.Compute().MeasuredRate(); ok {
		t.Errorf("polled: %+v", got)
	}
}
