package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A pattern moves the voltages of rails along points, all rails at once, and as often as
// it is told; then they are back at what is set. A point holds from its time on, or is
// reached in a line from the point before it (from the set voltage, if it is the first).
// The longest rail's last point ends a pass.

// point is one point of a rail's pattern.
type point struct {
	atUs int64 // from the start of a pass
	mv   int   // offset from the set voltage, or a level: Dialect says which
	line bool  // reached in a line
}

const (
	mostPoints   = 1023
	mostPointUs  = 1<<31 - 1
	mostRepeats  = 65_535
	patternGrain = 4_000  // ns between two changes on a line, a sample's
	mostChanges  = 10_000 // that one run may make to the load, which remembers each
)

func (c *client) clearPattern(args []string) answer {
	if c.m.rail(args[0]) < 0 {
		return noRail(args[0])
	}
	delete(c.m.setting.points, args[0])
	return say("OK")
}

func (c *client) addPoint(args []string) answer {
	rail := args[0]
	if c.m.rail(rail) < 0 {
		return noRail(rail)
	}
	points := c.m.setting.points[rail]
	atUs, err := strconv.ParseInt(strings.TrimSuffix(args[1], "us"), 10, 64)
	mv, mvErr := strconv.Atoi(strings.TrimSuffix(args[2], "mv"))
	most := int(mostMilliVolts(rail))
	least := -most
	if c.m.opts.Dialect.PatternAbsolute {
		least = 0
	}
	switch {
	case len(points) == mostPoints:
		return fail(refusedValue, fmt.Sprintf("A pattern has at most %d points", mostPoints))
	case err != nil || atUs < 0 || atUs > mostPointUs:
		return fail(refusedValue, fmt.Sprintf("Time must be 0 to %d uS", mostPointUs))
	case len(points) > 0 && atUs < points[len(points)-1].atUs:
		return fail(refusedValue, "Time must not go back")
	case mvErr != nil || mv < least || mv > most:
		return fail(refusedValue, fmt.Sprintf("Voltage must be %d to %d mV", least, most))
	case len(args) > 3 && args[3] != "i":
		return fail(refusedValue, "After the voltage there is I or nothing")
	}
	if c.m.setting.points == nil {
		c.m.setting.points = map[string][]point{}
	}
	c.m.setting.points[rail] = append(points, point{atUs, mv, len(args) > 3})
	return say("OK")
}

func (c *client) patternExternal([]string) answer { return say(onOff(c.m.setting.patternExternal)) }

func (c *client) setPatternExternal(args []string) answer {
	on, ok := parseOnOff(args[0])
	if !ok {
		return fail(refusedValue, "External trigger must be ON or OFF")
	}
	c.m.setting.patternExternal = on
	return say("OK")
}

func (c *client) patternType([]string) answer { return say(c.m.setting.patternType) }

func (c *client) setPatternType(args []string) answer {
	return choose(&c.m.setting.patternType, "Trigger type", args[0], "EDGE", "LEVEL")
}

// runPattern begins a pattern, or arms it if the trigger input is to begin it.
func (c *client) runPattern(args []string) answer {
	repeats := 1
	if len(args) > 0 {
		var ok bool
		if repeats, ok = parseWithin(args[0], 1, mostRepeats); !ok {
			return fail(refusedValue, fmt.Sprintf("Repeats must be 1 to %d", mostRepeats))
		}
	}
	if a, ok := c.m.wornOut(); !ok {
		return a
	}
	p, a := c.m.plan(repeats)
	if p == nil {
		return a
	}
	now := c.m.opts.Now()
	c.m.endPattern(now)
	if c.m.setting.patternExternal {
		c.m.armed = p
		return say("OK")
	}
	c.m.beginPattern(p, now)
	return say("OK")
}

// Trigger is an edge at the module's trigger input: a pattern that waits for it begins.
func (m *Module) Trigger() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.armed != nil {
		m.beginPattern(m.armed, m.opts.Now())
	}
}

// pattern is a run of one.
type pattern struct {
	startNs  int64
	lengthNs int64 // of a pass
	repeats  int
	changes  []change // of a pass, in time
	next     int      // of all changes of all passes
}

// change is a voltage that a rail takes.
type change struct {
	afterNs int64
	rail    string
	mv      int // as in point
}

// plan returns the run of the points that are set; if that cannot be, it is nil and a
// says why. The caller holds mu.
func (m *Module) plan(repeats int) (p *pattern, a answer) {
	p = &pattern{repeats: repeats}
	for _, rail := range m.setting.rails {
		points := m.setting.points[rail]
		for _, at := range points {
			if level := m.level(rail, at.mv); level < 0 || level > int(mostMilliVolts(rail)) {
				return nil, fail(refusedValue, fmt.Sprintf("%s would be at %d mV", strings.ToUpper(rail), level))
			}
			p.lengthNs = max(p.lengthNs, at.atUs*1000)
		}
		from := 0 // the set voltage
		if m.opts.Dialect.PatternAbsolute {
			from = m.setting.milliVolts[rail]
		}
		p.changes = appendChanges(p.changes, rail, from, points)
		if len(p.changes)*repeats > mostChanges {
			return nil, fail(refusedValue, fmt.Sprintf("The emulated supply changes at most %d times in a run", mostChanges))
		}
	}
	if p.lengthNs == 0 {
		return nil, fail(refusedState, "No pattern")
	}
	slices.SortStableFunc(p.changes, func(a, b change) int { return cmp.Compare(a.afterNs, b.afterNs) })
	return p, answer{}
}

// appendChanges appends what a rail does in one pass, but no more than a run may have.
func appendChanges(changes []change, rail string, from int, points []point) []change {
	fromNs := int64(0)
	for _, to := range points {
		toNs := to.atUs * 1000
		if steps := min(int64(abs(to.mv-from)), (toNs-fromNs)/patternGrain); to.line && steps > 1 {
			for i := int64(1); i < steps && len(changes) <= mostChanges; i++ {
				mv := from + int((int64(to.mv-from)*i)/steps)
				changes = append(changes, change{fromNs + (toNs-fromNs)*i/steps, rail, mv})
			}
		}
		changes = append(changes, change{toNs, rail, to.mv})
		from, fromNs = to.mv, toNs
	}
	return changes
}

func abs(n int) int { return max(n, -n) }

// level returns the voltage of a pattern's mV. The caller holds mu.
func (m *Module) level(rail string, mv int) int {
	if m.opts.Dialect.PatternAbsolute {
		return mv
	}
	return m.setting.milliVolts[rail] + mv
}

func (m *Module) beginPattern(p *pattern, atNs int64) {
	p.startNs = atNs
	m.armed, m.pattern = nil, p
}

// followPattern tells the load what the pattern does until atNs. The caller holds mu.
func (m *Module) followPattern(atNs int64) {
	p := m.pattern
	if p == nil {
		return
	}
	for ; p.next < len(p.changes)*p.repeats; p.next++ {
		c := p.changes[p.next%len(p.changes)]
		when := p.startNs + int64(p.next/len(p.changes))*p.lengthNs + c.afterNs
		if when > atNs {
			return
		}
		level := min(max(0, m.level(c.rail, c.mv)), int(mostMilliVolts(c.rail)))
		m.setRail(when, c.rail, level)
	}
	if end := p.startNs + int64(p.repeats)*p.lengthNs; end <= atNs {
		m.backToSet(p, end)
	}
}

// endPattern ends a pattern at atNs, wherever it is. The caller holds mu.
func (m *Module) endPattern(atNs int64) {
	m.followPattern(atNs)
	m.armed = nil
	if m.pattern != nil {
		m.backToSet(m.pattern, atNs)
	}
}

func (m *Module) backToSet(p *pattern, atNs int64) {
	m.pattern = nil
	for _, rail := range m.setting.rails {
		if slices.ContainsFunc(p.changes, func(c change) bool { return c.rail == rail }) {
			m.setRail(atNs, rail, m.setting.milliVolts[rail])
		}
	}
}
