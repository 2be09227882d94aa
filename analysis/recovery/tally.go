package recovery

import (
	"math"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/efficiency"
	"powerd/analysis/window"
	"powerd/quarch"
	"powerd/quarch/units"
)

// tally adds windows up.
type tally struct {
	ios, bytes      uint64
	counts, counted []float64 // IOs of each burst, and its seconds
	joules, seconds []float64 // of each window of power
	borderNs        int64
	volts, amps     map[quarch.Rail]float64 // times seconds
	least           float64                 // coverage
	why             string                  // why there is no mean power
}

// count takes a burst's IOs.
func (t *tally) count(b *Burst) {
	t.ios, t.bytes = t.ios+b.IOs, t.bytes+b.Bytes
	t.counts, t.counted = append(t.counts, float64(b.IOs)), append(t.counted, b.Seconds())
	t.borderNs = max(t.borderNs, b.U95Ns)
}

// power takes a window's watts; what was not sampled of it draws what the rest does. It
// returns why there are none; empty if there are.
func (t *tally) power(s *window.Stats, noRails []quarch.Rail) (why string) {
	switch {
	case analysis.NoTotal(s.Lacks(noRails)) != "":
		why = analysis.NoTotal(s.Lacks(noRails))
	case !(s.Total.Coverage >= analysis.RequiredCoverage):
		why = analysis.Uncovered("window", s.Total.Coverage, analysis.RequiredCoverage)
	}
	if why != "" {
		t.why = why
		return why
	}
	length := s.Window.Seconds()
	if t.volts == nil {
		t.volts, t.amps, t.least = map[quarch.Rail]float64{}, map[quarch.Rail]float64{}, 1
	}
	t.least = min(t.least, s.Total.Coverage)
	t.joules, t.seconds = append(t.joules, s.Total.MeanW*length), append(t.seconds, length)
	for i := range s.Rails {
		if r := &s.Rails[i]; !r.Unused {
			t.volts[r.Rail] += r.MeanV * length
			t.amps[r.Rail] += r.MeanA * length
		}
	}
	return ""
}

func sum(of []float64) float64 {
	total := 0.0
	for _, x := range of {
		total += x
	}
	return total
}

// figures are the sums, as far as all windows have them.
func (t *tally) figures(spec accuracy.Spec) *Figures {
	f := &Figures{Count: max(len(t.counts), len(t.joules)), DurationS: sum(t.seconds), IOs: t.ios, Bytes: t.bytes}
	if counted := sum(t.counted); counted > 0 {
		f.DurationS = counted
		f.IOPS, f.MBPerS = analysis.Some(float64(t.ios)/counted), analysis.Some(float64(t.bytes)*1e-6/counted)
		// Each burst has two borders, and theirs do not depend on one another.
		borders := math.Sqrt2 * float64(t.borderNs) * 1e-9 * math.Sqrt(float64(len(t.counts))) / counted
		f.scatterRel = math.Hypot(efficiency.RelU95(t.counts, t.counted), borders)
		f.IOPSU95 = analysis.Some(*f.IOPS * f.scatterRel)
	}
	if t.why != "" || len(t.joules) == 0 {
		return f
	}
	joules, seconds := sum(t.joules), sum(t.seconds)
	mean, module := joules/seconds, 0.0
	for rail, v := range quarch.ByRail(t.volts) {
		module = math.Hypot(module, spec.U95Watts(v/seconds, t.amps[rail]/seconds))
	}
	f.MeanW, f.EnergyJ, f.Coverage = &mean, &joules, analysis.Some(t.least)
	f.MeanU95W = analysis.Some(math.Hypot(mean*efficiency.RelU95(t.joules, t.seconds), module))
	if f.IOPS != nil && t.ios > 0 && mean > 0 {
		f.IOPSPerMW = analysis.Some(*f.IOPS / units.Watts(mean).Milliwatts())
		f.UJPerIO = analysis.Some(joules / float64(t.ios) * 1e6)
	}
	return f
}
