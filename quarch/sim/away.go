package sim

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// strike ends a visit that began at beganNs when the port is pulled or the firmware
// restarts.
func (c *client) strike(ctx context.Context, beganNs int64, leave context.CancelFunc) {
	now := c.m.opts.Now
	atNs, ok := c.m.nextBreak(beganNs)
	if !ok {
		return
	}
	timer := time.NewTimer(time.Duration(max(0, atNs-now())))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
		c.broken = true
		c.m.catchUp(now())
		leave()
	}
}

// breaks returns the faults that break a link, in time.
func (m *Module) breaks() []*liveFault {
	if len(m.faults.live) == 0 {
		return nil
	}
	var out []*liveFault
	for _, f := range m.faults.live {
		if f.Name == faultUnplug || f.Name == faultReset {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b *liveFault) int { return cmp.Compare(a.At, b.At) })
	return out
}

// nextBreak returns the host time of the first break after atNs.
func (m *Module) nextBreak(afterNs int64) (atNs int64, ok bool) {
	for _, f := range m.breaks() {
		if atNs := m.faults.bornNs + f.At.Nanoseconds(); atNs > afterNs {
			return atNs, true
		}
	}
	return 0, false
}

// catchUp restarts the firmware as often as it is due by atNs.
func (m *Module) catchUp(atNs int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.breaks() {
		due := m.faults.bornNs + f.At.Nanoseconds()
		if due > atNs || f.Name != faultReset || f.done {
			continue
		}
		f.done = true
		m.restart(due, due+f.For.Nanoseconds())
		m.active = nil
	}
}

// awayUntil returns until when the port is away; ok is false if it is there.
func (m *Module) awayUntil(atNs int64) (ns int64, ok bool) {
	if f, ok := m.faults.holding(faultUnplug, atNs-m.faults.bornNs); ok {
		return m.faults.bornNs + (f.At + f.For).Nanoseconds(), true
	}
	return 0, false
}

// away reports whether the port is away.
func (m *Module) away() bool {
	_, is := m.awayUntil(m.opts.Now())
	return is
}

// back waits until the port is there again; false if ctx was done before.
func (m *Module) back(ctx context.Context) bool {
	untilNs, away := m.awayUntil(m.opts.Now())
	if !away {
		return true
	}
	timer := time.NewTimer(time.Duration(untilNs - m.opts.Now()))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// pulls calls pull each time the port is pulled, until ctx is done.
func (m *Module) pulls(ctx context.Context, pull func()) {
	for _, f := range m.breaks() {
		if f.Name != faultUnplug {
			continue
		}
		timer := time.NewTimer(time.Duration(max(0, m.faults.bornNs+f.At.Nanoseconds()-m.opts.Now())))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
			pull()
		}
	}
}
