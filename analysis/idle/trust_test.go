package idle

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"powerd/analysis/accuracy"
	"powerd/engine"
	"powerd/quarch"
)

// The 95 % interval of a mean idle power holds the truth in 95 of 100 windows, also
// where noise has a memory and work comes at random times: 400 windows of a minute. The
// formula for independent samples, s/√n, is beside it. 91 % to 97 % is what 400 windows
// leave of 95 % (standard error 1.1 %) and of blocking, which is a little narrow.
func TestIntervalsHoldTheTruth(t *testing.T) {
	const windows, stepMs, n = 400, 4, 15_000
	truth := 1 + 0.2*0.1/(2+0.1) // W: bursts of 0.2 W for 0.1 s, 2 s between them on average
	held, naive := 0, 0
	for seed := range uint64(windows) {
		hum := newNoise(seed, stepMs, 10e-3, 2e-3)
		work := &bursts{Rand: rand.New(rand.NewPCG(seed, 9)), stepMs: stepMs, heightW: 0.2, eachS: 2}
		b := atFiveVolts(n, func(int) float64 { return 1 + hum.next() + work.next() })
		b.PeriodNs = stepMs * 1e6
		r := analyze(t, b.PeriodNs, Options{}, n*b.PeriodNs, b)
		off := math.Abs(*r.Total.MeanW - truth)
		if off <= *r.Total.U95NoiseW {
			held++
		}
		if off <= 1.96**r.Total.StdW/math.Sqrt(n) {
			naive++
		}
	}
	share := func(n int) float64 { return 100 * float64(n) / windows }
	t.Logf("the interval holds the truth in %.1f %% of windows, s/√n in %.1f %%", share(held), share(naive))
	if s := share(held); s < 91 || s > 97 {
		t.Errorf("the interval holds the truth in %.1f %% of windows, want 91 to 97 %%", s)
	}
}

// Regular pulses are no scatter: with 0.18 W for 8 ms of each second on noise, the ± is
// that of the noise alone, and not of a mean that jumps with every pulse.
func TestRegularPulsesAreNoScatter(t *testing.T) {
	u95 := func(height float64) float64 {
		n := newNoise(4, 1, 1e-3, 1e-3)
		r := analyze(t, 1e6, Options{}, 300e9, atFiveVolts(300_000, func(ms int) float64 {
			if ms%1000 < 8 {
				return 1 + height + n.next()
			}
			return 1 + n.next()
		}))
		return *r.Total.U95NoiseW
	}
	quiet, pulsed := u95(0), u95(0.18)
	edge := 2 / math.Sqrt(3) * 0.18 * 8e-3 / 300 // one pulse more or less: 5.5 µW
	if want := math.Hypot(quiet, edge); math.Abs(pulsed-want) > 0.05*want {
		t.Errorf("± %g W with pulses, want %g W as without", pulsed, want)
	}
}

// A module of 1 % and 2 mA at 5 V · 420 mA and 12 V · 73.4 mA: 2·(4.2 + 2)/√3 = 7.16 mA
// and 2·(0.734 + 2)/√3 = 3.16 mA. Volts are taken as exact here, so that is 35.8 mW and
// 37.9 mW, together 52.1 mW of 2.981 W. There is no noise.
func TestAccuracyIsInTheInterval(t *testing.T) {
	b := &quarch.Block{PeriodNs: 1e6, Traces: []quarch.Trace{
		rail(quarch.Rail5V, 60_000, func(int) float64 { return 420 }),
		rail(quarch.Rail12V, 60_000, func(int) float64 { return 73.4 }),
	}}
	amps := accuracy.Spec{GainPct: 1, OffsetAmps: 2e-3}
	r := analyze(t, 1e6, Options{Accuracy: amps}, 60e9, b)
	near(t, "noise", r.Total.U95NoiseW, 0, 1e-9)
	volts := func(a, v float64) float64 { return a * 2 * 0.01 * v / math.Sqrt(3) } // 1 % of volts too
	five, twelve := math.Hypot(35.80e-3, volts(0.420, 5)), math.Hypot(37.88e-3, volts(0.0734, 12))
	near(t, "5 V", r.Rails[quarch.Rail5V].U95W, five, 1e-4)
	near(t, "12 V", r.Rails[quarch.Rail12V].U95W, twelve, 1e-4)
	near(t, "total", r.Total.U95W, math.Hypot(five, twelve), 1e-4)
	near(t, "in the trust line", r.Trust.U95W, *r.Total.U95W, 0)
}

// The second half draws 20 mW more than the first, and noise accounts for 1 mW.
func TestHalvesAreCompared(t *testing.T) {
	n := newNoise(5, 1, 1e-3, 1e-3)
	r := analyze(t, 1e6, Options{Step: "idle"}, 60e9, atFiveVolts(60_000, func(ms int) float64 {
		if ms >= 30_000 {
			return 1.02 + n.next()
		}
		return 1 + n.next()
	}))
	d, u := r.Trust.HalvesDiffW, r.Trust.HalvesU95W
	near(t, "difference", d, 0.02, 1e-3)
	if *u > 1e-3 || *u <= 0 || !warnsOf(r, "halves_differ") {
		t.Errorf("± %g W, warnings %v", *u, r.Warnings)
	}
	if text := r.Trust.Text(); !strings.HasPrefix(text, "trust: halves differ by ") || !strings.Contains(text, "; host IO not watched; no regular pulses; coverage 100 %; zero not subtracted; ± ") {
		t.Errorf("it reads %q", text)
	}
}

// Kernel counts of 100 ms each over and around a window of 10 s: IOs before and after do
// not matter, one inside does. Where nobody watched half of it, nothing is said.
func TestHostIOInsideTheWindow(t *testing.T) {
	counts := func(fromMs, toMs int64, busyMs ...int64) []engine.Interval {
		out := []engine.Interval{}
		for ms := fromMs; ms < toMs; ms += 100 {
			v := engine.Interval{StartNs: ms * 1e6, EndNs: (ms + 100) * 1e6}
			for _, b := range busyMs {
				if b == ms {
					v.Reads, v.Writes = 2, 1
				}
			}
			out = append(out, v)
		}
		return out
	}
	zero, three := uint64(0), uint64(3)
	for name, c := range map[string]struct {
		io   []engine.Interval
		want *uint64
	}{
		"not watched":       {nil, nil},
		"quiet":             {counts(-1000, 11_000), &zero},
		"busy beside it":    {counts(-1000, 11_000, -500, 10_400), &zero},
		"busy":              {counts(-1000, 11_000, 5000), &three},
		"half of it unseen": {counts(5000, 11_000), nil},
	} {
		r := analyze(t, 1e6, Options{Step: "idle", HostIO: c.io}, 10e9, atFiveVolts(10_000, func(int) float64 { return 1 }))
		got := r.Trust.HostIOs
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: host IOs %v, want %v", name, got, c.want)
		}
		if busy := c.want != nil && *c.want > 0; warnsOf(r, "host_io") != busy {
			t.Errorf("%s: warnings %v", name, r.Warnings)
		}
	}
}

func warnsOf(r *Result, code string) bool {
	for _, w := range r.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}
