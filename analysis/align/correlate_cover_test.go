package align_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"powerd/analysis/align"
	"powerd/engine"
)

// wandering is a load that nobody switches: IOs of each 10 ms scatter by 10 %, and their
// mean wanders by 10 % within seconds. The power follows lateMs later, with a noise of its
// own that remembers itself, as a drive's housekeeping does.
func wandering(seed uint64, seconds, binMs, lateMs float64) (*align.Energy, []engine.Interval) {
	const startNs, stepMs = 5e12, 10.0
	r := rand.New(rand.NewPCG(seed, 9))
	n := int((seconds + 4) * 1000 / stepMs)
	ios := make([]float64, n) // of each step, from 2 s before the load
	var mean float64
	for i := range ios {
		mean += -mean*0.005 + 0.01*r.NormFloat64()
		ios[i] = 100 * (1 + mean + 0.1*r.NormFloat64())
	}
	sums := make([]float64, n+1) // IOs until each step
	for i, v := range ios {
		sums[i+1] = sums[i] + v
	}
	until := func(ms float64) float64 {
		k := int(ms / stepMs)
		return sums[k] + (ms/stepMs-float64(k))*ios[k]
	}
	var watts []float64
	var own float64
	for ms := 0.0; ms < seconds*1000; ms++ {
		own += -own*0.1 + 0.05*r.NormFloat64()
		from := 2000 + ms - lateMs
		watts = append(watts, 3+0.3*(until(from+1)-until(from))+own)
	}
	var out []engine.Interval
	for ms := 0.0; ms+binMs <= seconds*1000; ms += binMs {
		reads := until(2000+ms+binMs) - until(2000+ms)
		out = append(out, engine.Interval{StartNs: int64(startNs + ms*1e6), EndNs: int64(startNs + (ms+binMs)*1e6), Reads: uint64(math.Round(reads))})
	}
	return align.NewEnergy(startNs, 1e6, watts), out
}

// Of a load that only scatters by itself, as an engine logs it in half seconds, the energy
// tells the offset to some tens of milliseconds, and says so: in forty such loads of a
// minute each the truth is inside U95 in 95 % at least, or it is refused.
func TestCorrelateStatesWhatItIsWorth(t *testing.T) {
	in, told := 0, 0
	for seed := range uint64(40) {
		late := float64(seed%20) - 5
		e, intervals := wandering(seed, 60, 500, late)
		o, err := align.Correlate(e, intervals, 1e9)
		if err != nil {
			continue
		}
		told++
		if math.Abs(o.Ns-late*1e6) <= o.U95Ns {
			in++
		}
	}
	if told < 20 || in*100 < 95*told {
		t.Errorf("of 40 loads %d were told, %d of them within U95", told, in)
	}
}
