package idle

import (
	"math"

	"powerd/analysis"
	"powerd/quarch"
)

// Zero is what a rail reads with its output on and no drive.
type Zero struct{ Amps, U95Amps float64 }

// net gives what is left of each rail and of the total without the zero. What module
// and fixture draw is a current: its power is at the volts that the rail has now. The
// zero was read by the same module, so its offset is in both readings and falls out.
func (a *Analyzer) net(r *Result) {
	if a.o.Zero == nil || len(r.Rails) == 0 {
		return
	}
	var zero, zeroU, u2 float64
	complete := true
	spec := a.o.Accuracy
	spec.OffsetAmps = 0
	for name, f := range quarch.ByRail(r.Rails) {
		z, known := a.o.Zero[name]
		if !known || f.MeanW == nil || f.U95NoiseW == nil {
			complete = false
			continue
		}
		w := z.Amps * *f.MeanV
		own := math.Hypot(z.U95Amps**f.MeanV, spec.U95Watts(*f.MeanV, *f.MeanA-z.Amps))
		f.ZeroU95W = analysis.Some(z.U95Amps * *f.MeanV) // of the reading: the module's own offset is part of what it read
		f.ZeroW, f.NetW = &w, analysis.Some(*f.MeanW-w)
		f.NetU95W = analysis.Some(math.Hypot(own, *f.U95NoiseW))
		zero, zeroU, u2 = zero+w, math.Hypot(zeroU, *f.ZeroU95W), u2+own*own
	}
	t := r.Total
	if !complete || t.MeanW == nil || t.U95NoiseW == nil {
		return
	}
	t.ZeroU95W = analysis.Some(zeroU)
	t.ZeroW, t.NetW = &zero, analysis.Some(*t.MeanW-zero)
	t.NetU95W = analysis.Some(math.Sqrt(u2 + *t.U95NoiseW**t.U95NoiseW))
}
