package model

import "math"

// startup is the load current of both rails by cell of a life, without leakage
// and capacitors, until the drive has settled; and what it draws from then on.
type startup struct {
	amps [railCount][]float64 // one a cell; same length
	idle [railCount]float64   // afterwards, without the extras

	bumpAmps           float64 // added to 12 V
	bumpLong, bumpEach int64   // cells
}

// settleTaus is how many time constants after the last plateau the start-up is
// over: e^-25 of a step is below a picoampere.
const settleTaus = 25

func newStartup(c *Config) *startup {
	s := &startup{
		bumpAmps: c.IdleBump.Amps,
		bumpLong: c.IdleBump.LongNs / cellNs, bumpEach: c.IdleBump.EachNs / cellNs,
	}
	s.idle[on5V] = idleLoad(&c.Rail5V, c.Rail5V.IdleMeanW)
	s.idle[on12V] = idleLoad(&c.Rail12V, floorWatts(&c.Rail12V, c.IdleBump))
	var endNs int64
	for i := range railCount {
		r := c.rail(i)
		for _, p := range r.Plateaus {
			endNs = max(endNs, p.ToNs+settleTaus*r.TauNs)
		}
	}
	n := max(endNs, c.ReadyNs+settleTaus*msNs) / cellNs
	for i := range railCount {
		s.amps[i] = plateaus(c.rail(i), s.idle[i], n)
	}
	return s
}

// plateaus returns the mean current of each of n cells: a first-order approach
// to each plateau in turn, then to idle, and the crest on top.
func plateaus(r *Rail, idle float64, n int64) []float64 {
	out := make([]float64, n)
	x := float64(cellNs) / float64(r.TauNs)
	keep := math.Exp(-x)
	mean := (1 - keep) / x
	amps, next := 0.0, 0
	for c := range out {
		ns := int64(c) * cellNs
		for next < len(r.Plateaus) && ns >= r.Plateaus[next].ToNs {
			next++
		}
		level := 0.0
		switch {
		case next == len(r.Plateaus):
			level = idle
		case ns >= r.Plateaus[next].FromNs:
			level = r.Plateaus[next].Amps
		}
		out[c] = level + (amps-level)*mean
		amps = level + (amps-level)*keep
		if off := ns + cellNs/2 - r.Crest.CentreNs; 2*max(off, -off) < r.Crest.WidthNs {
			out[c] += r.Crest.Amps / 2 * (1 + math.Cos(2*math.Pi*float64(off)/float64(r.Crest.WidthNs)))
		}
	}
	return out
}

// settled returns the number of cells of a life until the drive has settled.
func (s *startup) settled() int64 { return int64(len(s.amps[on5V])) }

// load returns the load current of a rail in cell n of a life.
func (s *startup) load(rail int, n int64) float64 {
	if n < s.settled() {
		return s.amps[rail][n]
	}
	amps := s.idle[rail]
	if rail == on12V && s.bumping(n-s.settled()) {
		amps += s.bumpAmps
	}
	return amps
}

// bumping says whether cell k after settling is in a bump. Bumps stand in the
// middle of their period.
func (s *startup) bumping(k int64) bool {
	return (k+s.bumpEach/2)%s.bumpEach < s.bumpLong
}

// bumpCells returns how many of the first k cells after settling are in bumps.
func (s *startup) bumpCells(k int64) int64 {
	whole := func(x int64) int64 { return x/s.bumpEach*s.bumpLong + min(x%s.bumpEach, s.bumpLong) }
	return whole(k+s.bumpEach/2) - whole(s.bumpEach/2)
}

// idleLoad returns the load current at which a rail at its nominal supply draws
// watts.
func idleLoad(r *Rail, watts float64) float64 {
	if r.absent() {
		return 0
	}
	return ampsFor(r.NominalVolts, r.SourceOhms, watts) - r.LeakAmps
}

// floorWatts returns what a rail draws between bumps, so that its mean with them
// is IdleMeanW. With d = LongNs/EachNs, the mean is P0 + d·b·(V0 − R·(2·I0 + b)).
func floorWatts(r *Rail, b IdleBump) float64 {
	d := float64(b.LongNs) / float64(b.EachNs)
	p := r.IdleMeanW
	for range 20 { // each turn gains three digits
		i := ampsFor(r.NominalVolts, r.SourceOhms, p)
		p = r.IdleMeanW - d*b.Amps*(r.NominalVolts-r.SourceOhms*(2*i+b.Amps))
	}
	return p
}

// ampsFor returns the current at which watts arrive behind a source of v0 and
// ohms. Beyond what the source can give it returns the current of the most.
func ampsFor(v0, ohms, watts float64) float64 {
	return 2 * watts / (v0 + math.Sqrt(max(0, v0*v0-4*ohms*watts)))
}
