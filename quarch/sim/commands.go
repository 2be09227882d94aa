package sim

import "strings"

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
		{"*TST?", (*client).selfTest},
		{"*CLR", (*client).ok},
		{"*RST", (*client).reset},
		{"READ {}", (*client).readRegister},
		{"WRITe {} {}", (*client).writeRegister},

		{"CONFig:RUNTimes?", (*client).runtime},
		{"CONFig:DEFault:STATe", (*client).defaultState},
		{"CONFig:TERMinal {}", (*client).setTerminal},
		{"CONFig:OUTput:MODE?", (*client).outputMode},
		{"CONFig:OUTput:MODE {}", (*client).setOutputMode},
		{"CONFig:OUTput:12V:PULLdown {}", (*client).setPulldown},
		{"CONFig:OUTput:12V:PULLdown?", (*client).pulldown},
		{"CONFig:STREam:ENable {}", (*client).enableStream},
		{"CONFig:SUPPorts?", (*client).supports},
		{"FIXture:CHANnels:XML?", (*client).fixture},

		{"RUN:POWer?", (*client).power},
		{"RUN:POWer {}", (*client).setPower},
		{"POWer?", (*client).power},
		{"POWer {}", (*client).setPower},
		{"SIGnal:{}:VOLTage?", (*client).railVoltage},
		{"SIGnal:{}:VOLTage {}", (*client).setRailVoltage},
		{"SIGnal:{}:PATtern:CLEar", (*client).clearPattern},
		{"SIGnal:{}:PATtern:ADD {} {}", (*client).addPoint},
		{"SIGnal:{}:PATtern:ADD {} {} {}", (*client).addPoint},
		{"RUN:PATtern", (*client).runPattern},
		{"RUN:PATtern {}", (*client).runPattern},
		{"PATtern:TRIGger:EXTernal?", (*client).patternExternal},
		{"PATtern:TRIGger:EXTernal {}", (*client).setPatternExternal},
		{"PATtern:TRIGger:TYPE?", (*client).patternType},
		{"PATtern:TRIGger:TYPE {}", (*client).setPatternType},

		{"MEASure:OUTputs?", (*client).measureOutputs},
		{"MEASure:VOLTage:SELF {}?", (*client).measureSelf},
		{"MEASure:TEMPerature {}?", (*client).measureTemperature},
		{"MEASure:VOLTage {}?", (*client).measureVolts},
		{"MEASure:VOLTage {}", (*client).measureVolts},
		{"MEASure:CURrent {}?", (*client).measureAmps},
		{"MEASure:CURrent {}", (*client).measureAmps},

		{"RECord:AVEraging?", (*client).averaging},
		{"RECord:AVEraging {}", (*client).setAveraging},
		{"RECord:TRIGger:MODE?", (*client).triggerMode},
		{"RECord:TRIGger:MODE {}", (*client).setTriggerMode},
		{"RECord:TRIGger:TYPE?", (*client).triggerType},
		{"RECord:TRIGger:TYPE {}", (*client).setTriggerType},
		{"TRIGger:IN:TYPE?", (*client).triggerIn},
		{"TRIGger:IN:TYPE {}", (*client).setTriggerIn},
		{"TRIGger:OUT:MODE?", (*client).triggerOut},
		{"TRIGger:OUT:MODE {}", (*client).setTriggerOut},
		{"RECord:{}:{}:ENABle?", (*client).channelRecorded},
		{"SIGnal:{}:{}:ENABle?", (*client).channelEnabled},
		{"RECord:STREam?", (*client).streamState},
		{"RECord:STREam", (*client).startStream},
		{"RECord:STOP", (*client).stopStream},
		{"RECord:RUN", (*client).noMemory},
		{"RECord:BDUMP", (*client).noMemory},
	}
	table := make([]command, len(forms))
	for i, f := range forms {
		words, query := parseForm(f.form)
		table[i] = command{words: words, query: query, run: f.run}
	}
	return table
}

// refusal is why a command is not done. No list of the real modules' numbers is known,
// so each has one that Dialect gives.
type refusal int

const (
	refusedUnknown refusal = iota + 1 // no such command
	refusedValue                      // out of range
	refusedState                      // not now
)

func say(text string) answer { return answer{text: text} }

func fail(why refusal, text string) answer { return answer{text: text, refused: why} }

// execute runs one line. Comments and whatever the module does not know are
// answered too, so that client and module stay in step.
func (c *client) execute(line string) answer {
	if strings.HasPrefix(line, "#") {
		return say("")
	}
	a := fail(refusedUnknown, "Unknown command")
	if len(line) > longestLine {
		a = fail(refusedValue, "Line too long")
	} else if cmd, args := find(c.m.commands, line); cmd != nil {
		c.m.mu.Lock()
		a = cmd.run(c, args)
		c.m.mu.Unlock()
	}
	if a.refused != 0 {
		a.text = c.m.opts.Dialect.refusal(a.refused, a.text)
	}
	return a
}
