package sim

import (
	"fmt"
	"strings"
	"testing"
)

// Clients mix long and short forms, colons and blanks, and cases; all of these
// are in use. Each line holds spellings of one command and its parameters.
func TestFormsOfOneCommandMeanTheSame(t *testing.T) {
	table := commandTable()
	for _, c := range []struct {
		args  string
		forms []string
	}{
		{"16", []string{"rec:ave 16", "rec ave 16", "record:averaging 16", "RECORD AVERAGING 16", "Rec:Aver:16"}},
		{"", []string{"rec:ave?", "record averaging?", "REC AVE?"}},
		{"up", []string{"run:power up", "run pow up", "RUN:POWER UP", "run:power:up"}},
		{"", []string{"config:output mode?", "conf:out:mode?", "config:output:mode?", "conf out mode?"}},
		{"12v", []string{"meas:volt 12v?", "meas:volt:12v?", "measure:voltage 12v?", "MEAS VOLT 12V?"}},
		{"5v", []string{"meas:cur 5v?", "measure:current:5v?"}},
		{"5v volt", []string{"rec:5v:volt:enable?", "record 5V volt ENABLE?"}},
		{"3v3 3300", []string{"sig:3v3:volt 3300", "signal 3v3 voltage 3300"}},
		{"on", []string{"conf stream enable on", "CONFIG:STREAM:ENABLE ON"}},
		{"", []string{"conf:def state", "config:default state", "conf def stat"}},
		{"", []string{"rec stop", "record:stop"}},
		{"", []string{"*idn?", "*IDN?"}},
	} {
		first, _ := find(table, c.forms[0])
		if first == nil {
			t.Errorf("%q is not known", c.forms[0])
			continue
		}
		for _, form := range c.forms {
			cmd, args := find(table, form)
			if cmd != first || strings.Join(args, " ") != c.args {
				t.Errorf("%q differs from %q: parameters %q, want %q", form, c.forms[0], args, c.args)
			}
		}
	}
}

func TestWhatIsNoFormOfACommandIsUnknown(t *testing.T) {
	table := commandTable()
	for _, line := range []string{
		"", "?", ":", "HEZZ0?",
		"re:ave 16",       // shorter than the short form
		"recording:ave 1", // longer than the long one
		"rec:axe 16",      // beside it
		"rec:ave 16 32",   // one parameter too many
		"rec:ave",         // one too few
		"hello",           // not asked
		"rec stop?",       // asked where there is nothing to ask
	} {
		if cmd, _ := find(table, line); cmd != nil {
			t.Errorf("%q is taken for a command", line)
		}
	}
}

// Whatever comes, the matcher does not fail, and case and separators change
// nothing.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"rec:ave 16", "meas:volt 5v?", "*idn?", "run power up", "::? ?", "\xff\x00 {}?", "sig:{}:volt {}"} {
		f.Add(s)
	}
	table := commandTable()
	f.Fuzz(func(t *testing.T, line string) {
		cmd, args := find(table, line)
		for _, arg := range args {
			if strings.ContainsAny(arg, ": \t") {
				t.Errorf("%q gave the parameter %q, which should have been split", line, arg)
			}
		}
		if other, _ := find(table, strings.ReplaceAll(line, ":", " ")); other != cmd {
			t.Errorf("%q means something else with blanks for colons", line)
		}
	})
}

// Whatever a client says, the module goes on, every set voltage stays one that its rail can
// have, and what is refused changes nothing.
func FuzzExecute(f *testing.F) {
	for _, s := range []string{
		"sig:12v:volt 14400", "sig:5v:pat:add 1us 5 i", "run:pattern 65535", "conf:out:mode 3v3", "run:power up", "rec:ave 32k",
		"write 0xffff 0xffff", "meas:outputs?", "*rst", "conf:def:state", "conf:term script", "# remark", "rec stream", "\xff:\x00?",
	} {
		f.Add(s, "run:pattern")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		now := int64(0)
		m := New(Options{Now: func() int64 { now += 1_000_000; return now }}, oneDrive())
		c := &client{m: m, framed: true, streamEnabled: true}
		for _, line := range []string{one, two, "*tst?"} {
			before := fmt.Sprintf("%+v", m.setting)
			a := c.execute(line)
			if strings.HasPrefix(a.text, "FAIL") && fmt.Sprintf("%+v", m.setting) != before {
				t.Errorf("%q was refused and changed\n%s to\n%+v", line, before, m.setting)
			}
			if strings.Contains(a.text, "\n>") {
				t.Errorf("%q was answered %q, which looks like a prompt", line, a.text)
			}
			for rail, mv := range m.setting.milliVolts {
				if mv < 0 || mv > int(mostMilliVolts(rail)) {
					t.Errorf("%q set %s to %d mV", line, rail, mv)
				}
			}
			if line == "*tst?" && a.text != "OK" {
				t.Errorf("after %q and %q the self-test says %q", one, two, a.text)
			}
		}
	})
}
