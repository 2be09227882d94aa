package inrush

import (
	"math"

	"powerd/analysis"
	"powerd/analysis/accuracy"
)

// Charge and energy are means over the whole cycle, times its length: what the module is
// off by does not average out, and of the scatter of so many stripes little is left.

// chargeU95 returns the U95 of a rail's charge.
func (a *Analyzer) chargeU95(r *railState) *float64 {
	n, s := float64(a.taken), a.seenS()
	amps := r.charge.Float() / n * r.lsbA
	return analysis.Some(s * math.Hypot(a.o.Accuracy.U95Amps(amps), 2*r.amps.noise.sigma(n)*r.lsbA))
}

// heat returns ∫ I² dt of a rail, what a fuse or a switch in its path is heated by, with
// its ±. Current that is off by δI changes it by 2·∫ I·δI, which of a gain and an offset is
// what they change at the current ∫ I² dt ÷ ∫ I dt. Scatter of σ adds σ² to each square,
// and nobody knows how much of it is the drive's. What the current does within one stripe is not
// in it: the true integral is not smaller.
func (a *Analyzer) heat(r *railState) (a2s, u95 *float64) {
	integral := a.joules(r.squares.Float(), r.lsbA*r.lsbA)
	coulombs := math.Abs(a.joules(r.charge.Float(), r.lsbA))
	sigma := r.amps.noise.sigma(1) * r.lsbA
	u := sigma * sigma * a.seenS()
	if coulombs > 0 {
		u += 2 * coulombs * a.o.Accuracy.U95Amps(integral/coulombs)
	}
	return &integral, &u
}

// energyU95 returns the U95 of a rail's energy.
func (a *Analyzer) energyU95(r *railState) float64 {
	return a.workU95(r, r.energy.Float(), float64(a.taken))
}

// workU95 returns the U95 of a rail's energy, a sum of counts over n stripes, at its
// nominal voltage.
func (a *Analyzer) workU95(r *railState, sum, n float64) float64 {
	volts := r.rail.NominalVolts()
	watts := sum / n * r.lsbW
	return n * a.stripeS() * math.Hypot(a.o.Accuracy.U95Watts(volts, watts/volts), 2*r.watts.noise.sigma(n)*r.lsbW)
}

// totalEnergyU95 is energyU95 of all rails, which are independent.
func (a *Analyzer) totalEnergyU95() float64 {
	u := 0.0
	for _, r := range a.rails {
		u = math.Hypot(u, a.energyU95(r))
	}
	return u
}

// readyU95 returns the U95 of the energy to readiness: that of the rails' energy until
// then, and half of what was drawn between the earliest and the latest that it may have
// been.
func (a *Analyzer) readyU95() float64 {
	u := a.joules(a.late.sum-a.early.sum, a.lsb) / 2
	for _, r := range a.rails {
		u = math.Hypot(u, a.workU95(r, r.ready.sum, max(1, a.ready.end-float64(a.origin))))
	}
	return u
}

// seenS returns the seconds that were seen since the origin.
func (a *Analyzer) seenS() float64 { return float64(a.taken) * a.stripeS() }

// droopU95 returns the U95 of a droop: it is a difference of two voltages, so that the
// module's offset falls out and its gain is left. The means over 1 ms scatter by σ about
// the line that they are held against, and the lowest of m lies about σ·√(2 ln m) below
// the lowest true one, as the highest of peaks lies above.
func (r *ramp) droopU95(droop float64, spec accuracy.Spec) float64 {
	sigma := r.line.residual()
	spec.OffsetVolts = 0
	many := max(1, r.line.n/float64(r.per))
	return sigma*math.Sqrt(2*math.Log(many)) + math.Hypot(spec.U95Volts(droop), 2*sigma)
}

// residual returns the standard deviation of y about the line, or about its mean where
// there is no slope to be seen.
func (g *regression) residual() float64 {
	mx, my := g.x/g.n, g.y/g.n
	syy, sxy := g.yy/g.n-my*my, g.xy/g.n-mx*my
	if slope, _ := g.fit(); slope < 0 {
		syy -= slope * sxy
	}
	return math.Sqrt(max(0, syy))
}
