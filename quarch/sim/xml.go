package sim

import (
	"encoding/xml"
	"strconv"
	"strings"

	"powerd/quarch/wire"
)

// element is a piece of an answer in XML: it has a text or children.
type element struct {
	name, text string
	children   []element
}

func leaf(name, text string) element                  { return element{name: name, text: text} }
func branch(name string, children ...element) element { return element{name: name, children: children} }

func named(kind, name string, children ...element) element {
	return branch(kind, append([]element{leaf("Name", name)}, children...)...)
}

// param is a name and its value, as both answers have them.
func param(name, value string) element { return named("Param", name, leaf("Value", value)) }

// options is a name and the values that it may have.
func options(name string, values ...string) element {
	e := named("ParamList", name)
	for _, v := range values {
		e.children = append(e.children, leaf("Value", v))
	}
	return e
}

func (e element) write(b *strings.Builder) {
	b.WriteString("<" + e.name + ">")
	_ = xml.EscapeText(b, []byte(e.text)) // a Builder does not fail
	for _, child := range e.children {
		child.write(b)
	}
	b.WriteString("</" + e.name + ">")
}

// document is one line.
func document(root string, body element) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>`)
	branch(root, branch("Header", leaf("Version", "1.0")), body).write(&b)
	return b.String()
}

// noXML is what older firmware says, and any with a fixture that knows nothing of itself.
func noXML() answer { return fail(refusedUnknown, "Not supported by this firmware") }

// supports tells what the module can do.
func (c *client) supports([]string) answer {
	if !c.m.opts.Dialect.Supports {
		return noXML()
	}
	return say(document("ConfigSupports", branch("XmlResponse",
		branch("Identity", leaf("Description", c.m.opts.Model), leaf("Class", "Power:PPM"),
			leaf("Part", partNumber(c.m.opts.BoardSerial)), leaf("FwVersion", c.m.opts.Firmware)),
		branch("Supply", named("Feature", "PowerControl"), named("Feature", "VoltageControl"), named("Feature", "Pattern")),
		branch("Measure", c.sampleEngine()),
		branch("Triggering",
			named("Feature", "RecordTrigger",
				options("TriggerOptions", "MANUAL", "PATTERN", "POWER", "EXTERNAL", "THRESHOLD"), options("TriggerType", "EDGE", "LEVEL")),
			named("Feature", "TriggerOut", options("TriggerOptions", "OFF", "RECORD", "THRESHOLD"))),
		branch("PolledMeasurements", c.polled()...))))
}

func (c *client) sampleEngine() element {
	var averaging []string
	for e := byte(0); e <= wire.MaxExponent; e++ {
		averaging = append(averaging, wire.AveragingText(e))
	}
	return named("Feature", "SampleEngine", param("MultiRate", "0"), param("BaseRate", "250000"), options("HwAveraging", averaging...))
}

func (c *client) polled() []element {
	var all []element
	for _, rail := range c.m.setting.rails {
		for _, kind := range []string{"Voltage", "Current"} {
			all = append(all, named("Measurement", rail, leaf("Source", "Output"), leaf("Type", kind)))
		}
	}
	return all
}

// fixture describes what the drive is plugged into.
func (c *client) fixture([]string) answer {
	d := c.m.opts.Dialect
	if d.Fixture == "" {
		return noXML()
	}
	return say(document("FixtureInfo", branch("XmlResponse",
		branch("General", param("FixtureStatus", "OK"), param("FixtureName", d.Fixture)),
		branch("Features", branch("Feature", param("PowerControl", "1"))),
		branch("Groups", branch("Group",
			param("Number", "0"), param("SampleBase", "25000"), param("SampleExponent", "1"), param("SampleAveraging", wire.AveragingText(c.m.setting.exponent)))),
		branch("Channels", c.channels()...))))
}

func (c *client) channels() []element {
	var all []element
	for _, rail := range c.m.setting.rails {
		for _, ch := range []struct{ kind, unit, most string }{{"V", "mV", "16383"}, {"A", "uA", "16777215"}} {
			all = append(all, branch("Channel", param("Number", strconv.Itoa(len(all))), param("Name", strings.ToUpper(rail)),
				param("Group", "0"), param("Type", ch.kind), param("Unit", ch.unit), param("MaxVal", ch.most), param("Enabled", "True")))
		}
	}
	return all
}
