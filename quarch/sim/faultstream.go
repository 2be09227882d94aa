package sim

import "powerd/quarch/wire"

// bend returns how the clock of a new stream departs from a straight line; nil if it
// does not. The caller holds mu.
func (m *Module) bend(c stripeClock) *bend {
	warm, warms := m.faults.named(faultWarmUp)
	step, steps := m.faults.holding(faultClockStep, 1<<62) // at its time within the stream
	if !warms && !steps {
		return nil
	}
	return &bend{
		warmPPM: warm.PPM, warmNs: c.t0Ns - m.faults.bornNs, // a restart does not cool it
		stop: step.At.Nanoseconds() / c.periodNs, stopNs: step.By.Nanoseconds(),
	}
}

// saidExponent is the averaging that a new stream's header says. The caller holds mu.
func (m *Module) saidExponent() byte {
	if f, ok := m.faults.strikes(faultHeaderMismatch, 0); ok {
		if e, err := wire.ParseAveraging(f.Averaging); err == nil {
			return e
		}
	}
	return m.setting.exponent
}

// blocked returns how many of due stripes are made now: all, unless the module sends
// whole blocks only.
func (s *stream) blocked(due int64, last bool) int64 {
	if f, ok := s.m.faults.named(faultDelay); !ok || f.Model != "ftdi16-locked" || last {
		return due
	}
	block := max(1, lockedBlockNs/s.clock.periodNs)
	return due - due%block
}

// cut returns how many of due stripes are made until a fault ends the stream, and with
// what status.
func (s *stream) cut(due int64) (end int64, status wire.Status) {
	reachedNs := due * s.clock.periodNs
	status = wire.StatusOverrun
	f, ok := s.m.faults.strikes(faultOverrun, reachedNs)
	if !ok {
		if f, ok = s.m.faults.strikes(faultEarlyEnd, reachedNs); !ok {
			return due, 0
		}
		status = wire.Status(f.Status)
	}
	return max(s.made, min(due-1, f.At.Nanoseconds()/s.clock.periodNs)), status
}

// stoodStill notes that the clock stood still before the stripe that is made next.
func (s *stream) stoodStill() {
	b := s.clock.bend
	if b == nil || b.stopNs == 0 || s.made != b.stop {
		return
	}
	s.lost(uint64(b.stop), uint64(b.stopNs/s.clock.periodNs), "the clock stood still before this stripe")
}

// lost notes what became of n stripes from first on. Neighbours of one cause are one.
func (s *stream) lost(first, n uint64, what string) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	all := s.truth.Losses
	if last := len(all) - 1; last >= 0 && all[last].What == what && all[last].Index+all[last].Stripes == first {
		all[last].Stripes += n
		return
	}
	if len(all) < maxLosses {
		s.truth.Losses = append(all, Loss{first, n, what})
	}
}

// maxLosses bounds what a module remembers of a line that damages frame after frame.
const maxLosses = 100_000

// saturateByFault lets a rail's current read as the end of the range in stripes from k
// on of c, as far as a fault says so. The caller holds mu.
func (m *Module) saturateByFault(c stripeClock, k int64, a [][]int32) {
	for _, f := range m.faults.concerning(faultSaturated) {
		r := m.rail(f.Rail)
		if r < 0 {
			continue
		}
		for i := range a[r] {
			if f.holds((k + int64(i)) * c.periodNs) {
				a[r][i] = mostMicroAmps
			}
		}
	}
}

// ignoresSync reports whether the answer to a sync is not taken.
func (m *Module) ignoresSync() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.active == nil {
		return false
	}
	_, ok := m.faults.holding(faultSyncIgnored, m.opts.Now()-m.active.clock.t0Ns)
	return ok
}
