package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Power, output mode and set voltages.

func (c *client) outputMode([]string) answer { return say(c.m.setting.outputMode) }

// setOutputMode chooses what the first rail is. Another mode than before takes a while to
// settle, and ends a pattern.
func (c *client) setOutputMode(args []string) answer {
	m, mode := c.m, strings.ToUpper(args[0])
	if !slices.Contains(outputModes(), mode) {
		return fail(refusedValue, "Output mode must be 5V, 3V3 or DISABLED")
	}
	if mode == m.setting.outputMode {
		return say("OK")
	}
	if a, ok := m.wornOut(); !ok {
		return a
	}
	now := m.opts.Now()
	if mode == ModeDisabled || m.opts.Dialect.ModeOff {
		m.switchPower(now, false)
	}
	m.endPattern(now)
	was := m.setting
	m.setting.outputMode = mode
	m.setting.rails = railsIn(mode, m.opts.Rails)
	m.tellOutputs(now, &was)
	m.settledNs = now + m.opts.Dialect.SettleNs
	return say("OK")
}

// ModeDisabled is the output mode in which nothing can be switched on.
const ModeDisabled = "DISABLED"

func outputModes() []string { return []string{"5V", "3V3", ModeDisabled} }

// railsIn returns the rails of an output mode: the first one is 5 V or 3.3 V. While
// outputs are disabled it is what it was made as.
func railsIn(mode string, made []string) []string {
	rails := slices.Clone(made)
	for i, rail := range rails {
		switch {
		case mode == "3V3" && rail == "5v":
			rails[i] = "3v3"
		case mode == "5V" && rail == "3v3":
			rails[i] = "5v"
		}
	}
	return rails
}

func (c *client) pulldown([]string) answer { return say(onOff(c.m.setting.pulldown)) }

func (c *client) setPulldown(args []string) answer {
	on, ok := parseOnOff(args[0])
	if !ok {
		return fail(refusedValue, "Pulldown must be ON or OFF")
	}
	c.m.setting.pulldown = on
	return say("OK")
}

func (c *client) power([]string) answer {
	if c.m.on {
		return say("ON")
	}
	return say(c.m.opts.Dialect.OffWord)
}

func (c *client) setPower(args []string) answer {
	now := c.m.opts.Now()
	up := args[0] == "up"
	switch {
	case !up && args[0] != "down":
		return fail(refusedValue, "Power must be UP or DOWN")
	case up && c.m.setting.outputMode == ModeDisabled:
		return fail(refusedState, "Outputs are disabled, choose one with CONF:OUT:MODE first")
	case up && now < c.m.settledNs:
		return fail(refusedState, "Output mode is settling")
	}
	if a, ok := c.m.wornOut(); up && !ok { // off is always possible
		return a
	}
	c.m.switchPower(now, up)
	return say("OK")
}

func (c *client) railVoltage(args []string) answer {
	r := c.m.rail(args[0])
	if r < 0 {
		return noRail(args[0])
	}
	return say(fmt.Sprintf("%d mV", c.m.setting.milliVolts[args[0]]))
}

func (c *client) setRailVoltage(args []string) answer {
	rail := args[0]
	if c.m.rail(rail) < 0 {
		return noRail(rail)
	}
	mv, err := strconv.Atoi(strings.TrimSuffix(args[1], "mv"))
	if most := int(mostMilliVolts(rail)); err != nil || mv < 0 || mv > most {
		return fail(refusedValue, fmt.Sprintf("Voltage must be 0 to %d mV", most))
	}
	if mv != c.m.setting.milliVolts[rail] {
		if a, ok := c.m.wornOut(); !ok {
			return a
		}
		c.m.setting.milliVolts[rail] = mv
		c.m.tellRail(c.m.opts.Now(), rail, mv)
	}
	return say("OK")
}

// sameOutput reports whether two rails are one output: the first is 5 V or 3.3 V.
func sameOutput(a, b string) bool { return (a == "12v") == (b == "12v") }

// rail returns the index of a rail, or -1.
func (m *Module) rail(name string) int { return slices.Index(m.setting.rails, name) }

func noRail(name string) answer { return fail(refusedValue, "No output "+strings.ToUpper(name)) }

func onOff(on bool) string {
	if on {
		return "ON"
	}
	return "OFF"
}

func parseOnOff(s string) (on, ok bool) { return s == "on", s == "on" || s == "off" }
