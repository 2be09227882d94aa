package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"powerd/quarch/wire"
)

// commandTable returns every command that the module knows. Where two forms
// match, the first wins.
func commandTable() []command {
	forms := []struct {
		form string
		run  func(c *client, args []string) answer
	}{
		{"HELLO?", (*client).hello},
		{"*IDN?", (*client).identity},
		{"*SERIAL?", (*client).boardSerial},
		{"*ENCLOSURE?", (*client).enclosure},
		{"*POSITION?", (*client).position},
		{"*TST?", (*client).ok},
		{"*CLR", (*client).ok},
		{"*RST", (*client).reset},
		{"CONFig:RUNTimes?", (*client).runtime},
		{"CONFig:DEFault:STATe", (*client).defaultState},
		{"CONFig:TERMinal {}", (*client).setTerminal},
		{"CONFig:OUTput:MODE?", (*client).outputMode},
		{"CONFig:OUTput:MODE {}", (*client).setOutputMode},
		{"CONFig:OUTput:12V:PULLdown {}", (*client).setPulldown},
		{"CONFig:OUTput:12V:PULLdown?", (*client).pulldown},
		{"CONFig:STREam:ENable {}", (*client).enableStream},
		{"CONFig:SUPPorts?", (*client).noXML},
		{"FIXture:CHANnels:XML?", (*client).noXML},
		{"RUN:POWer?", (*client).power},
		{"RUN:POWer {}", (*client).setPower},
		{"POWer?", (*client).power},
		{"POWer {}", (*client).setPower},
		{"SIGnal:{}:VOLTage?", (*client).railVoltage},
		{"SIGnal:{}:VOLTage {}", (*client).setRailVoltage},
		{"SIGnal:{}:{}:ENABle?", (*client).channelEnabled},
		{"MEASure:OUTputs?", (*client).measureOutputs},
		{"MEASure:VOLTage {}?", (*client).measureVolts},
		{"MEASure:VOLTage {}", (*client).measureVolts},
		{"MEASure:CURrent {}?", (*client).measureAmps},
		{"MEASure:CURrent {}", (*client).measureAmps},
		{"RECord:AVEraging?", (*client).averaging},
		{"RECord:AVEraging {}", (*client).setAveraging},
		{"RECord:TRIGger:MODE?", (*client).triggerMode},
		{"RECord:TRIGger:MODE {}", (*client).setTriggerMode},
		{"RECord:{}:{}:ENABle?", (*client).channelEnabled},
		{"RECord:STREam?", (*client).streamState},
		{"RECord:STREam", (*client).startStream},
		{"RECord:STOP", (*client).stopStream},
	}
	table := make([]command, len(forms))
	for i, f := range forms {
		words, query := parseForm(f.form)
		table[i] = command{words: words, query: query, run: f.run}
	}
	return table
}

// Numbers of refusals. No list of the real ones is known, so clients must not
// rest on them.
const (
	refusedUnknown = 0x01
	refusedValue   = 0x02
	refusedState   = 0x03
)

func say(text string) answer { return answer{text: text} }

func fail(number int, text string) answer {
	return say(fmt.Sprintf("FAIL: 0x%02X -%s", number, text))
}

// execute runs one line. Comments and whatever the module does not know are
// answered too, so that client and module stay in step.
func (c *client) execute(line string) answer {
	if strings.HasPrefix(line, "#") {
		return say("")
	}
	cmd, args := find(c.m.commands, line)
	if cmd == nil {
		return fail(refusedUnknown, "Unknown command")
	}
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	return cmd.run(c, args)
}

func (c *client) ok([]string) answer { return say("OK") }
func (c *client) noXML([]string) answer {
	return fail(refusedUnknown, "Not supported by this firmware")
}
func (c *client) hello([]string) answer { return say(c.m.opts.Model) }

func (c *client) boardSerial([]string) answer {
	return say(strings.TrimPrefix(c.m.opts.BoardSerial, "QTL"))
}

func (c *client) enclosure([]string) answer {
	return say(strings.TrimPrefix(c.m.opts.Serial, "QTL"))
}

func (c *client) position([]string) answer { return say("1") }

func (c *client) identity([]string) answer {
	o := c.m.opts
	board := partNumber(o.BoardSerial)
	lines := []string{
		"Family: Programmable Power Module",
		"Name: " + o.Model,
		"Part#: " + partNumber(o.Serial),
		"Processor: " + board + "," + o.Firmware,
		"Bootloader: " + board + ",1.000",
		"FPGA 1: 1.000",
		"Serial#: " + strings.TrimPrefix(o.BoardSerial, "QTL"),
		"Enclosure#: " + strings.TrimPrefix(o.Serial, "QTL"),
		"Position#: 1",
	}
	if o.Alias != "" {
		lines = append(lines, "Alias: "+o.Alias)
	}
	return say(strings.Join(lines, "\r\n"))
}

func (c *client) runtime([]string) answer {
	return say(strconv.FormatInt((c.m.opts.Now()-c.m.bootNs)/1e9, 10) + "s")
}

// reset gives no reply, and the link drops: the hardware is away by then.
func (c *client) reset([]string) answer {
	if c.m.active != nil {
		c.m.active.stop(c.m.opts.Now())
	}
	c.m.restore()
	c.streamEnabled = false
	return answer{drop: true}
}

func (c *client) defaultState([]string) answer {
	if c.m.active != nil {
		return fail(refusedState, "A stream is running")
	}
	c.m.restore()
	return say("OK")
}

func (c *client) setTerminal(args []string) answer {
	if args[0] != "script" && args[0] != "user" {
		return fail(refusedValue, "Terminal mode must be USER or SCRIPT")
	}
	c.m.setting.script = args[0] == "script"
	return say("OK")
}

func (c *client) outputMode([]string) answer { return say(c.m.setting.outputMode) }

func (c *client) setOutputMode(args []string) answer {
	mode := strings.ToUpper(args[0])
	if !slices.Contains([]string{"5V", "3V3", "DISABLED"}, mode) {
		return fail(refusedValue, "Output mode must be 5V, 3V3 or DISABLED")
	}
	c.m.setting.outputMode = mode
	if mode == "DISABLED" {
		c.m.switchPower(c.m.opts.Now(), false)
	}
	return say("OK")
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

func (c *client) power([]string) answer { return say(onOff(c.m.on)) }

func (c *client) setPower(args []string) answer {
	up := args[0] == "up"
	switch {
	case !up && args[0] != "down":
		return fail(refusedValue, "Power must be UP or DOWN")
	case up && c.m.setting.outputMode == "DISABLED":
		return fail(refusedState, "Outputs are disabled, choose one with CONF:OUT:MODE first")
	}
	c.m.switchPower(c.m.opts.Now(), up)
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
		c.m.setting.milliVolts[rail] = mv
		c.m.tellRail(c.m.opts.Now(), rail, mv)
	}
	return say("OK")
}

func (c *client) measureOutputs([]string) answer {
	c.m.refresh()
	return say(c.m.outputsText())
}

func (c *client) measureVolts(args []string) answer {
	r := c.m.rail(args[0])
	if r < 0 {
		return noRail(args[0])
	}
	c.m.refresh()
	return say(voltText(c.m.reading.v[r][0]))
}

func (c *client) measureAmps(args []string) answer {
	r := c.m.rail(args[0])
	if r < 0 {
		return noRail(args[0])
	}
	c.m.refresh()
	return say(ampText(c.m.reading.a[r][0]))
}

func (c *client) averaging([]string) answer { return say(wire.AveragingText(c.m.setting.exponent)) }

func (c *client) setAveraging(args []string) answer {
	e, err := wire.ParseAveraging(args[0])
	switch {
	case err != nil:
		return fail(refusedValue, "Averaging must be 0, 2, 4 ... 512, 1k ... 32k")
	case c.m.active != nil:
		return fail(refusedState, "A stream is running")
	}
	c.m.setting.exponent = e
	return say("OK")
}

func (c *client) triggerMode([]string) answer { return say(c.m.setting.triggerMode) }

func (c *client) setTriggerMode(args []string) answer {
	mode := strings.ToUpper(args[0])
	if !slices.Contains([]string{"MANUAL", "PATTERN", "POWER", "EXTERNAL", "THRESHOLD"}, mode) {
		return fail(refusedValue, "Trigger mode must be MANUAL, PATTERN, POWER, EXTERNAL or THRESHOLD")
	}
	c.m.setting.triggerMode = mode
	return say("OK")
}

func (c *client) channelEnabled(args []string) answer {
	volts, amps := word{short: "volt", long: "voltage"}, word{short: "cur", long: "current"}
	for _, w := range []word{volts, amps} {
		if _, ok := match([]word{w}, args[1:]); ok {
			return say(onOff(c.m.rail(args[0]) >= 0))
		}
	}
	return fail(refusedUnknown, "Unknown channel")
}

// rail returns the index of a rail, or -1.
func (m *Module) rail(name string) int { return slices.Index(m.opts.Rails, name) }

func noRail(name string) answer { return fail(refusedValue, "No output "+strings.ToUpper(name)) }

func onOff(on bool) string {
	if on {
		return "ON"
	}
	return "OFF"
}

func parseOnOff(s string) (on, ok bool) { return s == "on", s == "on" || s == "off" }
