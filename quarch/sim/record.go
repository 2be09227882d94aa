package sim

import (
	"slices"
	"strings"

	"powerd/quarch/wire"
)

// Averaging, channels, recording and triggers. Streams are in stream.go.

func (c *client) averaging([]string) answer {
	return say(wire.AveragingText(c.m.setting.exponent) + c.m.opts.Dialect.AveragingTail)
}

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

// channelRecorded answers as current firmware does, channelEnabled as older firmware.
func (c *client) channelRecorded(args []string) answer {
	if !isQuantity(args[1]) {
		return fail(refusedUnknown, "Unknown channel")
	}
	return say(onOff(c.m.rail(args[0]) >= 0))
}

func (c *client) channelEnabled(args []string) answer {
	if !isQuantity(args[1]) {
		return fail(refusedUnknown, "Unknown channel")
	}
	if c.m.rail(args[0]) < 0 {
		return say("DISABLED")
	}
	return say("ENABLED")
}

// isQuantity reports whether s names what a channel measures.
func isQuantity(s string) bool {
	for _, w := range []word{{short: "volt", long: "voltage"}, {short: "cur", long: "current"}} {
		if _, ok := match([]word{w}, []string{s}); ok {
			return true
		}
	}
	return false
}

// noMemory refuses what needs the module's own sample memory, which is read over USB.
func (c *client) noMemory([]string) answer {
	return fail(refusedState, "No recording to memory on this link")
}

// Triggers are kept as they were set. What they start is patterns; see pattern.go.

func (c *client) triggerMode([]string) answer { return say(c.m.setting.triggerMode) }

func (c *client) setTriggerMode(args []string) answer {
	return choose(&c.m.setting.triggerMode, "Trigger mode", args[0], "MANUAL", "PATTERN", "POWER", "EXTERNAL", "THRESHOLD")
}

func (c *client) triggerType([]string) answer { return say(c.m.setting.triggerType) }

func (c *client) setTriggerType(args []string) answer {
	return choose(&c.m.setting.triggerType, "Trigger type", args[0], "EDGE", "LEVEL")
}

func (c *client) triggerIn([]string) answer { return say(c.m.setting.triggerIn) }

func (c *client) setTriggerIn(args []string) answer {
	return choose(&c.m.setting.triggerIn, "Trigger input", args[0], "EDGE", "LEVEL")
}

func (c *client) triggerOut([]string) answer { return say(c.m.setting.triggerOut) }

func (c *client) setTriggerOut(args []string) answer {
	return choose(&c.m.setting.triggerOut, "Trigger output", args[0], "OFF", "RECORD", "THRESHOLD")
}

// choose sets one of several words.
func choose(setting *string, what, value string, words ...string) answer {
	value = strings.ToUpper(value)
	if !slices.Contains(words, value) {
		last := len(words) - 1
		return fail(refusedValue, what+" must be "+strings.Join(words[:last], ", ")+" or "+words[last])
	}
	*setting = value
	return say("OK")
}
