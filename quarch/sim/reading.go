package sim

import (
	"fmt"
	"strings"

	"powerd/quarch/wire"
)

// reading is the last averaged sample, which polled measurements give: mV and µA
// by rail. A module that has just started reads 0.
type reading struct {
	v, a [][]int32 // one value a rail
}

func newReading(rails int) reading {
	return reading{v: columns(rails, 1), a: columns(rails, 1)}
}

// columns returns n columns of the same length.
func columns(n, length int) [][]int32 {
	c := make([][]int32, n)
	for i := range c {
		c[i] = make([]int32, length)
	}
	return c
}

// refresh brings the reading up to date: it changes once per averaging window.
// While a stream is made its stripes are the windows. The caller holds mu.
func (m *Module) refresh() {
	if m.active != nil && !m.active.truth.Overrun {
		return
	}
	c := m.clock(m.bootNs)
	k := c.ended(m.opts.Now()-m.opts.LagNs) - 1
	if k < 0 || c.startNs(k) < m.filledNs {
		return // no window has ended since the last one
	}
	m.fill(c, k, 1, m.reading.v, m.reading.a)
}

// clock returns the module's clock with the averaging that is set.
func (m *Module) clock(t0Ns int64) stripeClock {
	return stripeClock{t0Ns: t0Ns, periodNs: wire.PeriodNs(m.setting.exponent), driftPPM: m.opts.DriftPPM}
}

func voltText(mv int32) string { return fmt.Sprintf("%d mV", mv) }

// ampText returns a current in mA with three decimals.
func ampText(ua int32) string {
	sign := ""
	if ua < 0 {
		sign, ua = "-", -ua
	}
	return fmt.Sprintf("%s%d.%03d mA", sign, ua/1000, ua%1000)
}

// outputsText returns all readings, one a line. Currents are in µA here.
func (m *Module) outputsText() string {
	var lines []string
	for r, rail := range m.opts.Rails {
		name := strings.ToUpper(rail)
		lines = append(lines,
			fmt.Sprintf("%s voltage = %d mV", name, m.reading.v[r][0]),
			fmt.Sprintf("%s current = %d uA", name, m.reading.a[r][0]))
	}
	return strings.Join(lines, "\r\n")
}
