package sim

import (
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
