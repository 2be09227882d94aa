package idle

import (
	"math"
	"strings"
	"testing"

	"powerd/quarch"
)

// trust returns what is said of a trace of so many seconds.
func trust(t *testing.T, seconds int, watts func(ms int) float64) *Trust {
	t.Helper()
	b := atFiveVolts(seconds*1000, watts)
	return analyze(t, 1e6, Options{Step: "idle"}, int64(seconds)*1e9, b).Trust
}

// 0.3 W, and 1.5 W for 200 ms every 60 s: somebody polls, or the drive does something of
// its own. 10 min hold ten pulses of 1.2 W / 5 V = 240 mA, 5 min hold five. Found with
// noise of 3 mW as well as without.
func TestAPulseEveryMinuteIsFound(t *testing.T) {
	for _, minutes := range []int{10, 5} {
		for _, sigmaW := range []float64{0, 3e-3} {
			n := newNoise(1, 1, sigmaW, sigmaW)
			p := trust(t, minutes*60, func(ms int) float64 {
				if ms%60_000 >= 17_000 && ms%60_000 < 17_200 {
					return 1.5 + n.next()
				}
				return 0.3 + n.next()
			}).Pulses
			if p == nil {
				t.Errorf("%d min, noise %g W: no pulses found", minutes, sigmaW)
				continue
			}
			if math.Abs(p.PeriodS-60) > p.PeriodU95S || p.PeriodU95S > 0.1 || p.Count != minutes {
				t.Errorf("%d min: %d pulses every %g ± %g s, want %d every 60 s", minutes, p.Count, p.PeriodS, p.PeriodU95S, minutes)
			}
			if math.Abs(p.HeightW-1.2) > 0.02 || math.Abs(p.PeakW-1.5) > 0.02 || math.Abs(p.LengthS-0.2) > 0.003 || math.Abs(p.HeightA-0.24) > 4e-3 {
				t.Errorf("%d min: %+v, want 1.2 W (240 mA) more, 1.5 W in all, for 200 ms", minutes, p)
			}
			if text := p.Text(); !strings.HasPrefix(text, "pulses of 24") || !strings.Contains(text, "mA on 5V to 1.5 W for 200 ms every 60") ||
				!strings.Contains(text, "the drive's own, or somebody polls it") {
				t.Errorf("it reads %q", text)
			}
		}
	}
}

// A drive whose 12 V rail has 15 mA more for 8 ms of each second, on 71.44 mA, under
// noise of 10 mW with 50 ms of memory, and a 5 V rail without pulses beside it.
func TestABumpEverySecondIsFoundOnItsRail(t *testing.T) {
	n := newNoise(2, 1, 10e-3, 1.5e-3)
	const ms = 300_000
	b := &quarch.Block{PeriodNs: 1e6, Traces: []quarch.Trace{
		rail(quarch.Rail5V, ms, func(int) float64 { return 420 + 200*n.next() }),
		rail(quarch.Rail12V, ms, func(i int) float64 {
			if i%1000 < 8 {
				return 86.44
			}
			return 71.44
		}),
	}}
	p := analyze(t, 1e6, Options{Step: "idle"}, ms*1e6, b).Trust.Pulses
	if p == nil {
		t.Fatal("no pulses found")
	}
	if p.Rail != quarch.Rail12V || math.Abs(p.HeightA-15e-3) > 1e-3 || math.Abs(p.PeriodS-1) > max(1e-5, p.PeriodU95S) || math.Abs(p.LengthS-8e-3) > 1.5e-3 {
		t.Errorf("%+v, want 15 mA on 12 V for 8 ms every second", p)
	}
	if !strings.Contains(p.Text(), "mA on 12V") || !strings.Contains(p.Text(), "every 1.000 s") {
		t.Errorf("it reads %q", p.Text())
	}
}

// Polls that come late by up to 90 ms, one that never came, and patrol reads at random
// times in between: 10 s is still found.
func TestUnevenPollsAmongOtherWork(t *testing.T) {
	n := newNoise(3, 1, 5e-3, 1e-3)
	other := &bursts{Rand: n.Rand, stepMs: 1, heightW: 0.8, eachS: 20}
	late := make([]int, 40)
	for i := range late {
		late[i] = n.IntN(90)
	}
	p := trust(t, 300, func(ms int) float64 {
		w := 0.5 + n.next() + other.next()
		if i := ms / 10_000; i != 7 && ms%10_000 >= 3000+late[i] && ms%10_000 < 3050+late[i] {
			w += 0.4
		}
		return w
	}).Pulses
	if p == nil || math.Abs(p.PeriodS-10) > max(0.02, p.PeriodU95S) || p.Count < 24 {
		t.Errorf("found %+v, want one every 10 s", p)
	}
}

// Noise has no rhythm: white noise, correlated noise, correlated noise with work at
// random times, of 1, 5 and 20 a minute, in 2 min of cells of 4 ms. Fewer than one trace
// in a hundred may be said to have pulses: of 300 at most one, which 300 tries at 0.1 %
// exceed once in 27.
func TestNoiseIsTakenForNoPulses(t *testing.T) {
	const stepMs = 4
	shapes := []struct{ sigmaW, whiteW, workEachS float64 }{
		{0, 10e-3, 0}, {10e-3, 1e-3, 0}, {10e-3, 1e-3, 60}, {10e-3, 1e-3, 12}, {10e-3, 1e-3, 3},
	}
	found := 0
	cells := make([]float64, 30_000)
	for seed := range uint64(60) {
		for _, s := range shapes {
			n := newNoise(seed, stepMs, s.sigmaW, s.whiteW)
			work := &bursts{Rand: n.Rand, stepMs: stepMs, heightW: 0.5, eachS: s.workEachS}
			for i := range cells {
				cells[i] = 1 + n.next() + work.next()
			}
			if p := findPulses(cells, stepMs*1e-3); p != nil {
				found++
				t.Logf("seed %d, %+v: %s", seed, s, p.Text())
			}
		}
	}
	if found > 1 {
		t.Errorf("pulses in %d of 300 traces of noise", found)
	}
}
