package sim

import (
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
)

// told is a load that notes what it is told, in order.
type told struct {
	ConstantLoad
	events []PowerEvent
}

func (l *told) SetPower(atNs int64, on bool) {
	l.events = append(l.events, PowerEvent{On: on})
	l.ConstantLoad.SetPower(atNs, on)
}

func (l *told) SetRail(atNs int64, rail string, mv int) {
	l.events = append(l.events, PowerEvent{Rail: rail, MilliVolts: mv})
	l.ConstantLoad.SetRail(atNs, rail, mv)
}

func listening() *told { return &told{ConstantLoad: *oneDrive()} }

// After a start a module's outputs are off, so they are after a restart too, and the set
// volts are back: the load feels both. The output mode is what the fixture says, or
// DISABLED without one.
func TestResetSwitchesTheOutputsOff(t *testing.T) {
	for _, c := range []struct {
		start, mode string
		want        []PowerEvent
	}{
		{"", "5V", []PowerEvent{{On: true}, {Rail: "5v", MilliVolts: 5200}, {On: false}, {Rail: "5v", MilliVolts: 5000}}},
		{"DISABLED", ModeDisabled, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			load := listening()
			m := New(Options{Powered: true, Dialect: Dialect{StartMode: c.start}, Now: virtualNow()}, load)
			h := newHost(t, connect(t, m, quarch.LinkFramed))
			h.must("sig:5v:volt 5200")
			h.send("*rst\r\n")
			if _, err := io.ReadAll(h.conn); err != nil {
				t.Fatal(err)
			}
			h = newHost(t, connect(t, m, quarch.LinkFramed))
			if power, mode := h.ask("run:power?"), h.ask("conf:out:mode?"); power != "OFF" || mode != c.mode {
				t.Errorf("after *rst power is %s, output mode %s; want OFF, %s", power, mode, c.mode)
			}
			if c.want != nil && !slices.Equal(load.events, c.want) {
				t.Errorf("the load was told %+v, want %+v", load.events, c.want)
			}
		})
	}
}

// No source tells what the default state is to the rails' power. Here it is that of a
// start, or power is kept.
func TestDefaultStateAndPower(t *testing.T) {
	for keeps, want := range map[bool]string{false: "OFF", true: "ON"} {
		synctest.Test(t, func(t *testing.T) {
			load := listening()
			m := New(Options{Powered: true, Dialect: Dialect{DefaultKeepsPower: keeps}, Now: virtualNow()}, load)
			h := newHost(t, connect(t, m, quarch.LinkFramed))
			h.must("sig:12v:volt 0", "conf:def:state")
			if got := h.ask("run:power?"); got != want {
				t.Errorf("power is %s, want %s", got, want)
			}
			if last := load.events[len(load.events)-1]; last != (PowerEvent{Rail: "12v", MilliVolts: 12000}) {
				t.Errorf("the load was told %+v last, want the 12 V rail back", last)
			}
		})
	}
}

// The first output is one wire. In mode 3V3 what hangs on it gets 3.3 V, or what that is
// set to; back in mode 5V it has 5 V again. While outputs are disabled nothing flows.
func TestOutputModeIsWhatTheLoadGets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Powered: true, Now: virtualNow()}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		for _, x := range []struct {
			order, rail, volts, amps string
		}{
			{"conf:out:mode 3v3", "3v3", "3300 mV", "500.123 mA"},
			{"sig:3v3:volt 3100", "3v3", "3100 mV", "500.123 mA"},
			{"sig:3v3:volt 0", "3v3", "0 mV", "0.000 mA"}, // without volts no current
			{"conf:out:mode 5v", "5v", "5000 mV", "500.123 mA"},
			{"sig:5v:volt 0", "5v", "0 mV", "0.000 mA"},
			{"sig:5v:volt 4800", "5v", "4800 mV", "500.123 mA"},
			{"conf:out:mode disabled", "5v", "0 mV", "0.000 mA"},
			{"conf:out:mode 5v", "5v", "0 mV", "0.000 mA"},
			{"run:power up", "5v", "4800 mV", "500.123 mA"},
			{"run:power down", "5v", "0 mV", "0.000 mA"},
		} {
			h.must(x.order)
			pass(20 * time.Millisecond)
			if volts, amps := h.ask("meas:volt "+x.rail+"?"), h.ask("meas:cur "+x.rail+"?"); volts != x.volts || amps != x.amps {
				t.Errorf("after %s the %s output reads %s, %s; want %s, %s", x.order, x.rail, volts, amps, x.volts, x.amps)
			}
		}
	})
}

// A module that comes up in mode 3V3 feeds what was made for 5 V with 3.3 V from the start.
func TestStartModeIsWhatTheLoadGets(t *testing.T) {
	load := listening()
	New(Options{Powered: true, Rails: []string{"5v", "12v"}, OutputMode: "3V3", Now: func() int64 { return 1 }}, load)
	if want := []PowerEvent{{Rail: "5v", MilliVolts: 3300}, {On: true}}; !slices.Equal(load.events, want) {
		t.Errorf("the load was told %+v, want %+v", load.events, want)
	}
}
