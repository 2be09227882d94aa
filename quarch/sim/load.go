package sim

import (
	"maps"
	"math/rand/v2"
)

// Load is what hangs on the module's rails. The module calls it from one
// goroutine at a time, with Fill moving forward: no request begins before the
// end of an earlier one, though time may be skipped between two.
type Load interface {
	// SetPower says that all rails are switched at host time atNs.
	SetPower(atNs int64, on bool)

	// SetRail says that a rail's set voltage changes at host time atNs. A rail
	// that was never set has its nominal voltage.
	SetRail(atNs int64, rail string, milliVolts int)

	// Fill stores the mean of each stripe: v[r][i] in mV and a[r][i] in µA are of
	// rails[r] over [startNs+i·periodNs, startNs+(i+1)·periodNs). All columns have
	// the same length. It is called so far behind real time that whatever the
	// drive completed in the window is known: Options.LagNs, or as a Settler says.
	Fill(startNs, periodNs int64, rails []string, v, a [][]int32)
}

// Settler is a Load that says by itself up to when it can be asked.
type Settler interface {
	// Settled returns up to when the load is known for good, at most nowNs, a host time
	// that has been read.
	Settled(nowNs int64) int64
}

// knownNs returns up to when the load can be asked at nowNs.
func (m *Module) knownNs(nowNs int64) int64 {
	if s, ok := m.load.(Settler); ok {
		return s.Settled(nowNs)
	}
	return nowNs - m.opts.LagNs
}

// behindNs is how far behind real time the load is asked at least.
func (m *Module) behindNs() int64 {
	if _, ok := m.load.(Settler); ok {
		return 0
	}
	return m.opts.LagNs
}

// ConstantLoad draws a constant current from each rail while power is on, and
// nothing while it is off or the rail is set to 0 V. Rails that it does not have read 0.
type ConstantLoad struct {
	steps []step // in time; the first holds since ever
	noise int    // µA
}

// step is a change of what the load's rails carry.
type step struct {
	atNs int64
	on   bool
	mv   map[string]int
	ua   map[string]int
}

// NewConstantLoad returns a load by rail: millivolts while on, microamperes
// while on. It starts switched off.
func NewConstantLoad(milliVolts, microAmps map[string]int) *ConstantLoad {
	return &ConstantLoad{steps: []step{{mv: maps.Clone(milliVolts), ua: maps.Clone(microAmps)}}}
}

// ReadNoise makes a rail that is off read up to so many µA, either way, as the amplifiers
// of a module do. A stripe's reading depends on its time alone.
func (l *ConstantLoad) ReadNoise(microAmps int) { l.noise = microAmps }

// SetPower implements Load.
func (l *ConstantLoad) SetPower(atNs int64, on bool) {
	s := l.steps[len(l.steps)-1]
	s.atNs, s.on = atNs, on
	l.steps = append(l.steps, s)
}

// SetRail implements Load.
func (l *ConstantLoad) SetRail(atNs int64, rail string, milliVolts int) {
	s := l.steps[len(l.steps)-1]
	s.atNs, s.mv = atNs, maps.Clone(s.mv)
	s.mv[rail] = milliVolts
	l.steps = append(l.steps, s)
}

// Fill implements Load. A stripe with a step inside gets the mean.
func (l *ConstantLoad) Fill(startNs, periodNs int64, rails []string, v, a [][]int32) {
	for len(l.steps) > 1 && l.steps[1].atNs <= startNs {
		l.steps = l.steps[1:]
	}
	endNs := startNs + int64(len(v[0]))*periodNs
	steady := len(l.steps) == 1 || l.steps[1].atNs >= endNs
	for r, rail := range rails {
		if steady {
			mv, ua := l.mean(rail, startNs, endNs)
			for i := range v[r] {
				v[r][i], a[r][i] = mv, ua
			}
		} else {
			for i := range v[r] {
				from := startNs + int64(i)*periodNs
				v[r][i], a[r][i] = l.mean(rail, from, from+periodNs)
			}
		}
		l.disturb(a[r], uint64(r), startNs, periodNs)
	}
}

// disturb puts noise on what reads 0.
func (l *ConstantLoad) disturb(a []int32, rail uint64, startNs, periodNs int64) {
	if l.noise == 0 {
		return
	}
	for i := range a {
		if a[i] == 0 {
			drawn := rand.NewPCG(uint64(startNs+int64(i)*periodNs), rail).Uint64()
			a[i] = int32(drawn%uint64(2*l.noise+1)) - int32(l.noise)
		}
	}
}

// mean returns what a rail carries on average over [from, to).
func (l *ConstantLoad) mean(rail string, from, to int64) (mv, ua int32) {
	vSum, aSum, at := int64(0), int64(0), from
	for i, s := range l.steps {
		end := to
		if i+1 < len(l.steps) {
			end = min(to, l.steps[i+1].atNs)
		}
		if end <= at {
			continue
		}
		if s.on && s.mv[rail] != 0 {
			vSum += int64(s.mv[rail]) * (end - at)
			aSum += int64(s.ua[rail]) * (end - at)
		}
		at = end
	}
	return int32(vSum / (to - from)), int32(aSum / (to - from))
}
