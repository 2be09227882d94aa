package model

import "math"

// startup is the load current of both rails by cell of a life, without leakage
// and capacitors, until the drive has settled; and what it draws from then on.
type startup struct {
	amps [railCount][]float64 // one a cell; same length
	idle [railCount]float64   // afterwards, without the extras

	noiseRail          int // of the idle noise
	bumpRail           int
	bumpAmps           float64
	bumpLong, bumpEach int64 // cells

	spin     []float64 // the motor's current by cell as it spins up
	states   []rest
	spunDown int64 // cells of rest until the motor has stopped, 0 = never
	deepest  int64 // cells of rest until the last state has been entered
	tasks    []task
}

// rest is an IdleState in cells, and its load current.
type rest struct {
	after, entered int64
	load           [railCount]float64
}

// settleTaus is how many time constants after the last plateau the start-up is
// over: e^-25 of a step is below a picoampere.
const settleTaus = 25

func newStartup(c *Config) *startup {
	s := &startup{
		noiseRail: max(0, c.index(c.IdleNoise.Rail)), bumpRail: max(0, c.index(c.IdleBump.Rail)),
		bumpAmps: c.IdleBump.Amps, bumpLong: c.IdleBump.LongNs / cellNs, bumpEach: max(1, c.IdleBump.EachNs/cellNs),
		spin: c.Motor.spinUp(&c.Rail12V),
	}
	for i := range railCount {
		watts := c.rail(i).IdleMeanW
		if i == s.bumpRail && s.bumpAmps > 0 {
			watts = floorWatts(c.rail(i), c.IdleBump)
		}
		s.idle[i] = idleLoad(c.rail(i), watts)
	}
	s.rest(c)
	endNs := c.Motor.StartNs + int64(len(s.spin))*cellNs
	for i := range railCount {
		r := c.rail(i)
		for _, p := range r.Plateaus {
			endNs = max(endNs, p.ToNs+settleTaus*r.TauNs)
		}
	}
	n := max(endNs, c.ReadyNs+settleTaus*msNs) / cellNs
	for i := range railCount {
		idle := s.idle[i]
		if i == on12V {
			idle -= c.Motor.IdleAmps
		}
		s.amps[i] = plateaus(c.rail(i), idle, n)
	}
	if start := c.Motor.StartNs / cellNs; len(s.spin) > 0 {
		for n := range s.amps[on12V][start:] {
			s.amps[on12V][start+int64(n)] += s.motor(int64(n))
		}
	}
	return s
}

// rest prepares what the drive does on its own when it is idle.
func (s *startup) rest(c *Config) {
	for _, state := range c.IdleStates {
		r := rest{after: state.AfterNs / cellNs, entered: (state.AfterNs + state.EnterNs) / cellNs}
		r.load[on5V] = idleLoad(&c.Rail5V, state.Rail5VW)
		r.load[on12V] = idleLoad(&c.Rail12V, state.Rail12VW)
		s.states = append(s.states, r)
		s.deepest = r.entered
		if state.SpunDown && s.spunDown == 0 {
			s.spunDown = r.entered
		}
	}
	for _, t := range c.Tasks {
		s.tasks = append(s.tasks, task{
			long: t.LongNs / cellNs, each: t.EachNs / cellNs, random: t.Random, wakes: t.Wakes,
			watts: split(t.Portion5V, t.ExtraW),
		})
	}
}

// motor returns the motor's current n cells after it began to spin up.
func (s *startup) motor(n int64) float64 { return s.spin[min(n, s.spinCells()-1)] }

func (s *startup) spinCells() int64 { return int64(len(s.spin)) }

// exitNs returns how long an IO waits that finds the drive in a state.
func (s *startup) exitNs(state *IdleState) int64 {
	if state.SpunDown {
		return max(state.ExitNs, s.spinCells()*cellNs)
	}
	return state.ExitNs
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

// bumping says whether cell k after settling is in a bump. Bumps stand in the
// middle of their period.
func (s *startup) bumping(k int64) bool {
	return (k+s.bumpEach/2)%s.bumpEach < s.bumpLong
}

// bumpFor returns for how many cells from cell k after settling on it stays as it is: in
// a bump, or out of one.
func (s *startup) bumpFor(k int64) int64 {
	at := (k + s.bumpEach/2) % s.bumpEach
	if at < s.bumpLong {
		return s.bumpLong - at
	}
	return s.bumpEach - at
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
