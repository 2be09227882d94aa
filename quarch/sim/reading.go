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
	k := c.ended(m.knownNs(m.opts.Now())) - 1
	if k < 0 || c.startNs(k) < m.filledNs {
		return // no window has ended since the last one
	}
	m.fill(c, k, 1, m.reading.v, m.reading.a)
}

// clock returns the module's clock with the averaging that is set.
func (m *Module) clock(t0Ns int64) stripeClock {
	return stripeClock{t0Ns: t0Ns, periodNs: wire.PeriodNs(m.setting.exponent), driftPPM: m.opts.DriftPPM}
}

func (c *client) measureVolts(args []string) answer {
	r := c.m.rail(args[0])
	if r < 0 {
		return noRail(args[0])
	}
	c.m.refresh()
	return say(milliVolts(c.m.reading.v[r][0]))
}

func (c *client) measureAmps(args []string) answer {
	r := c.m.rail(args[0])
	if r < 0 {
		return noRail(args[0])
	}
	c.m.refresh()
	return say(c.m.opts.Dialect.current(c.m.reading.a[r][0]))
}

// measureOutputs gives all readings, one a line. Currents are in µA here.
func (c *client) measureOutputs([]string) answer {
	c.m.refresh()
	var lines []string
	for r, rail := range c.m.setting.rails {
		d := c.m.opts.Dialect
		lines = append(lines,
			fmt.Sprintf("%s = %d mV", d.label(rail, "voltage"), c.m.reading.v[r][0]),
			fmt.Sprintf("%s = %d uA", d.label(rail, "current"), c.m.reading.a[r][0]))
	}
	return say(strings.Join(lines, "\r\n"))
}

func milliVolts(mv int32) string { return fmt.Sprintf("%d mV", mv) }

// measureSelf gives the module's own rails, which are as they should be.
func (c *client) measureSelf(args []string) answer {
	mv, ok := map[string]int32{"1v2": 1_200, "3v3": 3_300, "6v5": 6_500, "12v": 12_000}[args[0]]
	if !ok {
		return fail(refusedValue, "No internal supply "+strings.ToUpper(args[0]))
	}
	return say(milliVolts(mv))
}

// unitDegrees is how warm the module is. Its outputs are some degrees warmer.
const unitDegrees = 35

func (c *client) measureTemperature(args []string) answer {
	degrees := unitDegrees
	switch {
	case args[0] == "unit":
	case c.m.rail(args[0]) >= 0:
		degrees += 3
	default:
		return fail(refusedValue, "No temperature of "+strings.ToUpper(args[0]))
	}
	return say(fmt.Sprintf("%d %s", degrees, c.m.opts.Dialect.TemperatureUnit))
}
