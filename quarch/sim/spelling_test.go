package sim

import (
	"strings"
	"testing"
)

// tableRow is a command in the form in which it is documented, the capitals its short
// form, with parameters, and what the module answers to it.
type tableRow struct {
	form, args, want string // want: the whole answer, or with … at its end how it begins
	before           string // what must be said first; parted by ;
}

// tableRows are the commands of a power module, each with what clients send with it.
func tableRows() []tableRow {
	return []tableRow{
		{form: "HELLO?", want: "HD Programmable Power Module +Triggering"},
		{form: "*IDN?", want: "Family: Programmable Power Module\r\nName: …"},
		{form: "*SERIAL?", want: "1944-02-001"},
		{form: "*ENCLOSURE?", want: "1999-02-001"},
		{form: "*POSITION?", want: "1"},
		{form: "*TST?", want: "OK"},
		{form: "*CLR", want: "OK"},
		{form: "*RST", want: ""},
		{form: "CONFig:RUNTimes?", want: "0s"},
		{form: "CONFig:DEFault:STATe", want: "OK"},
		{form: "CONFig:TERMinal", args: "SCRIPT", want: "OK"},
		{form: "CONFig:TERMinal", args: "user", want: "OK"},
		{form: "CONFig:SUPPorts?", want: "FAIL: 0x01 -…"}, // older firmware
		{form: "FIXture:CHANnels:XML?", want: "FAIL: 0x01 -…"},
		{form: "READ", args: "0x0006", want: "0x0000"},
		{form: "WRITe", args: "0xf009 0x0000", want: "OK"},

		{form: "RUN:POWer", args: "up", want: "OK"},
		{form: "RUN:POWer", args: "DOWN", want: "OK"},
		{form: "RUN:POWer?", want: "OFF"},
		{form: "POWer", args: "up", want: "OK"},
		{form: "POWer?", want: "ON", before: "power up"},
		{form: "CONFig:OUTput:MODE", args: "5V", want: "OK"},
		{form: "CONFig:OUTput:MODE", args: "3V3", want: "OK"},
		{form: "CONFig:OUTput:MODE?", want: "3V3", before: "conf:out:mode 3v3"},
		{form: "CONFig:OUTput:12V:PULLdown", args: "ON", want: "OK"},
		{form: "CONFig:OUTput:12V:PULLdown", args: "off", want: "OK"},
		{form: "CONFig:OUTput:12V:PULLdown?", want: "OFF"},
		{form: "SIGnal:5V:VOLTage", args: "4800", want: "OK"},
		{form: "SIGnal:5V:VOLTage", args: "5000mV", want: "OK"},
		{form: "SIGnal:12V:VOLTage", args: "12000mV", want: "OK"},
		{form: "SIGnal:3V3:VOLTage", args: "3300mV", want: "OK", before: "conf out mode 3v3"},
		{form: "SIGnal:5V:VOLTage?", want: "4750 mV", before: "sig 5v volt 4750 mV"},
		{form: "SIGnal:12V:PATtern:CLEar", want: "OK"},
		{form: "SIGnal:12V:PATtern:ADD", args: "1000uS 100mV i", want: "OK"},
		{form: "SIGnal:12V:PATtern:ADD", args: "1000uS -100mV I", want: "OK"},
		{form: "SIGnal:12V:PATtern:ADD", args: "2147483647uS 100mV", want: "OK"},
		{form: "SIGnal:5V:PATtern:ADD", args: "1000 100 i", want: "OK"},
		{form: "RUN:PATtern", want: "OK", before: "sig:5v:pat:add 1000 uS 100 mV i"},
		{form: "RUN:PATtern", args: "3", want: "OK", before: "sig:5v:pat:add 1000uS 100mV"},
		{form: "PATtern:TRIGger:EXTernal", args: "ON", want: "OK"},
		{form: "PATtern:TRIGger:EXTernal?", want: "OFF"},
		{form: "PATtern:TRIGger:TYPE", args: "edge", want: "OK"},
		{form: "PATtern:TRIGger:TYPE?", want: "EDGE"},

		{form: "MEASure:VOLTage:5V?", want: "0 mV"},
		{form: "MEASure:VOLTage:12V?", want: "0 mV"},
		{form: "MEASure:VOLTage:3V3?", want: "0 mV", before: "conf:out:mode 3v3"},
		{form: "MEASure:VOLTage:12V", want: "0 mV"}, // as an old note has it
		{form: "MEASure:CURrent:5V?", want: "0.000 mA"},
		{form: "MEASure:CURrent:12V", want: "0.000 mA"},
		{form: "MEASure:OUTputs?", want: "5V voltage = 0 mV\r\n5V current = 0 uA\r\n12V voltage = 0 mV\r\n12V current = 0 uA"},
		{form: "MEASure:VOLTage:SELF:3V3?", want: "3300 mV"},
		{form: "MEASure:TEMPerature:UNIT?", want: "35 C"},
		{form: "MEASure:TEMPerature:5V?", want: "38 C"},
		{form: "MEASure:TEMPerature:12V?", want: "38 C"},

		{form: "RECord:AVEraging", args: "16", want: "OK"},
		{form: "RECord:AVEraging", args: "32k", want: "OK"},
		{form: "RECord:AVEraging?", want: "1k", before: "rec:ave 1 k"},
		{form: "RECord:TRIGger:MODE", args: "external", want: "OK"},
		{form: "RECord:TRIGger:MODE?", want: "MANUAL"},
		{form: "RECord:TRIGger:TYPE", args: "LEVEL", want: "OK"},
		{form: "RECord:TRIGger:TYPE?", want: "EDGE"},
		{form: "TRIGger:IN:TYPE", args: "LEVEL", want: "OK"},
		{form: "TRIGger:IN:TYPE?", want: "EDGE"},
		{form: "TRIGger:OUT:MODE", args: "record", want: "OK"},
		{form: "TRIGger:OUT:MODE?", want: "OFF"},
		{form: "RECord:5V:VOLTage:ENABle?", want: "ON"},
		{form: "RECord:12V:CURrent:ENABle?", want: "ON"},
		{form: "SIGnal:5V:VOLTage:ENABle?", want: "ENABLED"},
		{form: "CONFig:STREam:ENable", args: "on", want: "OK"},
		{form: "RECord:STREam", want: "OK", before: "conf stream enable on"},
		{form: "RECord:STREam?", want: "Stopped"},
		{form: "RECord:STOP", want: "OK"},
		{form: "RECord:RUN", want: "FAIL: 0x03 -…"}, // is read over USB
		{form: "RECord:BDUMP", want: "FAIL: 0x03 -…"},
	}
}

// Every command answers the same however it is spelt: words in their short or long form or
// between, parted by colons, blanks or both, in capitals or not, numbers with their unit
// beside them or after a blank.
func TestEveryCommandInEverySpelling(t *testing.T) {
	seen := map[int]bool{}
	for _, row := range tableRows() {
		for _, line := range spellings(row) {
			m := New(Options{Now: func() int64 { return 1 }}, oneDrive())
			c := &client{m: m, framed: true}
			if row.before != "" {
				for first := range strings.SplitSeq(row.before, ";") {
					if a := c.execute(first); a.text != "OK" {
						t.Fatalf("%q was answered %q", first, a.text)
					}
				}
			}
			if got := c.execute(line).text; !answers(got, row.want) {
				t.Errorf("%q was answered %q, want %q", line, got, row.want)
			}
			if cmd, _ := find(m.commands, line); cmd != nil {
				for i := range m.commands {
					if cmd == &m.commands[i] {
						seen[i] = true
					}
				}
			}
		}
	}
	for i, cmd := range commandTable() {
		if !seen[i] {
			t.Errorf("command %d, %+v, stands in no row", i, cmd.words)
		}
	}
}

func answers(got, want string) bool {
	if begin, ok := strings.CutSuffix(want, "…"); ok {
		return strings.HasPrefix(got, begin)
	}
	return got == want
}

// spellings returns the lines that mean a row.
func spellings(row tableRow) (lines []string) {
	form, query := strings.CutSuffix(row.form, "?")
	words := strings.Split(form, ":")
	for _, length := range []func(i int, w string) string{
		func(_ int, w string) string { return short(w) },
		func(_ int, w string) string { return w },
		func(i int, w string) string { // by turns
			if i%2 == 0 {
				return w
			}
			return short(w)
		},
		func(_ int, w string) string { return w[:min(len(w), len(short(w))+1)] }, // between
	} {
		var spelt []string
		for i, w := range words {
			spelt = append(spelt, length(i, w))
		}
		last := len(spelt) - 1
		for _, head := range []string{
			strings.Join(spelt, ":"), strings.Join(spelt, " "),
			strings.TrimPrefix(strings.Join(spelt[:last], ":")+" "+spelt[last], " "),
		} {
			if query {
				lines = append(lines, head+"?", strings.ToLower(head)+"?", strings.ToUpper(head)+"?")
				continue
			}
			for _, args := range spaced(row.args) {
				line := strings.TrimSpace(head + " " + args)
				lines = append(lines, line, strings.ToLower(line), strings.ToUpper(line), strings.ReplaceAll(line, " ", ":"), strings.ReplaceAll(line, " ", "  "))
			}
		}
	}
	return lines
}

// short is the short form of a word: its capitals.
func short(w string) string { return strings.TrimRight(w, "abcdefghijklmnopqrstuvwxyz") }

// spaced returns parameters with units beside their numbers, and after a blank.
func spaced(args string) []string {
	return []string{args, strings.NewReplacer("uS", " uS", "mV", " mV").Replace(args)}
}

// A unit goes with the number before it and with nothing else; a number that has one takes
// no second.
func TestUnitsGoWithNumbers(t *testing.T) {
	for line, want := range map[string]string{
		"sig:5v:pat:add 1000 uS 100 mV i": "sig 5v pat add 1000uS 100mV i",
		"sig:12v:volt -5 mV":              "sig 12v volt -5mV",
		"rec:ave 32 k":                    "rec ave 32k",
		"run:power up":                    "run power up",
		"a mV 5 mV mV":                    "a mV 5mV mV",
		"5 s s":                           "5s s",
	} {
		fields, _ := splitCommand(line)
		if got := strings.Join(joinUnits(fields), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
