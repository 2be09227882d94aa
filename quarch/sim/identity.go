package sim

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
)

// What a module says of itself, and its life: self-test, run time, reset, registers.

func (c *client) hello([]string) answer { return say(c.m.opts.Model) }

func (c *client) boardSerial([]string) answer {
	return say(strings.TrimPrefix(c.m.opts.BoardSerial, "QTL"))
}

func (c *client) enclosure([]string) answer {
	return say(strings.TrimPrefix(c.m.opts.Serial, "QTL"))
}

func (c *client) position([]string) answer { return say(strconv.Itoa(c.m.opts.Position)) }

// versions of what else has one.
const (
	bootloaderVersion = "1.000"
	fpgaVersion       = "1.000"
)

// identity gives nine keys in the order that old clients count on, and a tenth if the
// module has a label.
func (c *client) identity([]string) answer {
	o := c.m.opts
	board := partNumber(o.BoardSerial)
	lines := []string{
		"Family: Programmable Power Module",
		"Name: " + o.Model,
		"Part#: " + partNumber(o.Serial),
		"Processor: " + board + "," + o.Firmware,
		"Bootloader: " + board + "," + bootloaderVersion,
		"FPGA 1: " + fpgaVersion,
		"Serial#: " + strings.TrimPrefix(o.BoardSerial, "QTL"),
		"Enclosure#: " + strings.TrimPrefix(o.Serial, "QTL"),
		"Position#: " + strconv.Itoa(o.Position),
	}
	if o.Alias != "" {
		lines = append(lines, "Alias: "+o.Alias)
	}
	return say(strings.Join(lines, "\r\n"))
}

func (c *client) ok([]string) answer { return say("OK") }

// selfTest fails for a while after a start, as HD modules do until their 6.5 V
// regulator is up.
func (c *client) selfTest([]string) answer {
	if c.m.opts.Now()-c.m.bootNs < c.m.opts.Dialect.SelfTestNs {
		return fail(refusedState, "6.5V supply out of range")
	}
	return say("OK")
}

func (c *client) runtime([]string) answer {
	return say(strconv.FormatInt((c.m.opts.Now()-c.m.bootNs)/1e9, 10) + "s")
}

// reset gives no reply, and every link drops: the hardware is away by then.
func (c *client) reset([]string) answer {
	m := c.m
	now := m.opts.Now()
	m.restart(now, now+m.opts.Dialect.ResetNs)
	for other, leave := range m.clients {
		if other != c {
			leave()
		}
	}
	return answer{drop: true}
}

// restart lets the firmware begin again: it is back at host time backNs. The caller
// holds mu.
func (m *Module) restart(nowNs, backNs int64) {
	if m.active != nil {
		m.active.stop(nowNs)
	}
	m.restore(false)
	m.bootNs = backNs
	m.restarting.until(backNs)
	m.reading = newReading(len(m.opts.Rails))
	m.registers = nil
}

func (c *client) defaultState([]string) answer {
	if c.m.active != nil {
		return fail(refusedState, "A stream is running")
	}
	if a, ok := c.m.wornOut(); !ok {
		return a
	}
	c.m.restore(c.m.opts.Dialect.DefaultKeepsPower)
	return say("OK")
}

func (c *client) setTerminal(args []string) answer {
	if args[0] != "script" && args[0] != "user" {
		return fail(refusedValue, "Terminal mode must be USER or SCRIPT")
	}
	c.m.setting.script = args[0] == "script"
	return say("OK")
}

// Registers hold what was written to them; nothing depends on it.

func (c *client) readRegister(args []string) answer {
	address, ok := parseWithin(args[0], 0, 0xffff)
	if !ok {
		return fail(refusedValue, "Address must be 0x0000 to 0xFFFF")
	}
	return say(fmt.Sprintf("0x%04X", c.m.registers[address]))
}

func (c *client) writeRegister(args []string) answer {
	address, ok := parseWithin(args[0], 0, 0xffff)
	value, valid := parseWithin(args[1], 0, 0xffff)
	if !ok || !valid {
		return fail(refusedValue, "Address and value must be 0x0000 to 0xFFFF")
	}
	if c.m.registers == nil {
		c.m.registers = map[int]int{}
	}
	c.m.registers[address] = value
	return say("OK")
}

// absence is a time in which the module neither hears nor says anything because it
// starts.
type absence struct{ endNs atomic.Int64 }

func (a *absence) until(ns int64)         { a.endNs.Store(ns) }
func (a *absence) lasts(nowNs int64) bool { return nowNs < a.endNs.Load() }

// enter notes a client, which leave ends.
func (m *Module) enter(c *client, leave context.CancelFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.clients == nil {
		m.clients = map[*client]context.CancelFunc{}
	}
	m.clients[c] = leave
}
