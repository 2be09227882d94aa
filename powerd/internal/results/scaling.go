package results

import (
	"math"

	"powerd/analysis/idle"
	"powerd/analysis/scaling"
	"powerd/quarch"
)

// followLoad says of each matrix how power follows load.
func (d *Document) followLoad() {
	for _, g := range d.groups() {
		for _, r := range scaling.Judge(scaling.Input{Group: g.name, Cells: g.cells, Idle: d.withoutLoad(), Accuracy: d.Module.Calibration.Spec()}) {
			d.Scaling = append(d.Scaling, r)
			d.keep(r.Withheld, nil)
		}
	}
}

// withoutLoad returns what the drive draws without load; nil if that is not known.
func (d *Document) withoutLoad() *scaling.Idle {
	r := d.Idle
	if r == nil || r.Kind != idle.KindActive || r.Total == nil || r.Total.MeanW == nil || r.Total.U95NoiseW == nil {
		return nil
	}
	out := &scaling.Idle{Watts: *r.Total.MeanW, NoiseU95W: *r.Total.U95NoiseW, ModuleW: map[quarch.Rail]float64{}}
	for rail, f := range r.Rails {
		if f.U95W != nil && f.U95NoiseW != nil {
			out.ModuleW[rail] = math.Sqrt(max(0, *f.U95W**f.U95W-*f.U95NoiseW**f.U95NoiseW))
		}
	}
	return out
}
