package sim

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a person types, and what is meant.
func TestFaultsAsTheyAreTyped(t *testing.T) {
	for _, c := range []struct {
		text string
		want Fault
	}{
		{"lost-byte", Fault{Name: "lost-byte", At: time.Second, Count: 1}}, // one of a stream, at a second
		{"lost-byte:p=0.01", Fault{Name: "lost-byte", At: time.Second, P: 0.01}},
		{"lost-byte:at=0s,for=2s", Fault{Name: "lost-byte", For: 2 * time.Second}}, // every frame of two seconds
		{"lost-byte:at=20s,count=3,stream=2", Fault{Name: "lost-byte", At: 20 * time.Second, Count: 3, Stream: 2}},
		{" stall : by = 40ms , at = 1m ", Fault{}}, // blanks belong into no name
		{"stall:by=40ms, at=1m", Fault{Name: "stall", At: time.Minute, By: 40 * time.Millisecond, Count: 1}},
		{"no-echo", Fault{Name: "no-echo"}},
		{"delay:model=exp5+16", Fault{Name: "delay", Model: "exp5+16"}},
		{"unplug", Fault{Name: "unplug", At: 5 * time.Second, For: 3 * time.Second}},
		{"early-end:status=0", Fault{Name: "early-end", At: time.Second}},
		{"header-mismatch:averaging=1k", Fault{Name: "header-mismatch", Averaging: "1k"}},
		{"warm-up:ppm=-12.5", Fault{Name: "warm-up", PPM: -12.5}},
	} {
		got, err := ParseFault(c.text)
		if c.want.Name == "" {
			if err == nil {
				t.Errorf("%q is taken: %+v", c.text, got)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v, want %+v", c.text, got, err, c.want)
		}
		if again, err := ParseFault(got.String()); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%q, said as %q, is %+v, %v", c.text, got.String(), again, err)
		}
	}
}

// Every kind can be switched on as it is, and says itself so that it can be read again.
func TestEveryFaultHasDefaults(t *testing.T) {
	for _, k := range Faults() {
		f, err := ParseFault(k.Name)
		if err != nil || k.What == "" {
			t.Errorf("%s (%q): %v", k.Name, k.What, err)
		}
		if again, err := ParseFault(f.String()); err != nil || !reflect.DeepEqual(again, f) {
			t.Errorf("%s, said as %q, is %+v, %v", k.Name, f.String(), again, err)
		}
	}
}

// What cannot be is refused with the fault, the key, the value and what is allowed.
func TestFaultsThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"":                            `no fault is called ""; there is: lost-byte, `,
		"lost-bite":                   `no fault is called "lost-bite"; there is: lost-byte, `,
		"stall:":                      "fault stall: its keys: want key=value",
		"stall:=5":                    "fault stall: its keys: no such key",
		"stall:at":                    "fault stall: at: want key=value",
		"stall:every=1s":              "fault stall: every: no such key; it takes at, p, for, count, by, stream",
		"no-echo:at=1s":               "fault no-echo: at: it takes no key",
		"stall:at=1s,at=2s":           "fault stall: at: given twice",
		"stall:by=5":                  `fault stall: by: "5"; want 1ms to 10s, with its unit`,
		"stall:by=11s":                `fault stall: by: "11s"; want 1ms to 10s`,
		"stall:at=-1s":                `fault stall: at: "-1s"; want 0s to 1000h0m0s`,
		"lost-byte:p=0":               `fault lost-byte: p: "0"; want 1e-9 to 1`,
		"lost-byte:p=NaN":             `fault lost-byte: p: "NaN"; want 1e-9 to 1`,
		"lost-byte:p=1.1":             `fault lost-byte: p: "1.1"; want 1e-9 to 1`,
		"lost-byte:count=0":           `fault lost-byte: count: "0"; want 1 to 1000000`,
		"split-writes:bytes=1e3":      `fault split-writes: bytes: "1e3"; want 1 to 65536 bytes`,
		"slow-line:baud=300":          `fault slow-line: baud: "300"; want 1200 to 100000000`,
		"delay:model=ftdi":            `fault delay: model: "ftdi"; want usbcdc, tcp, ftdi1, ftdi16, ftdi16-locked, exp5+16`,
		"rail-missing:rail=24v":       `fault rail-missing: rail: "24v"; want 5v, 3v3, 12v`,
		"header-mismatch:averaging=3": `fault header-mismatch: averaging: "3"; want 0, 2, 4 … 512, 1k … 32k`,
		"early-end:status=7":          `fault early-end: status: "7"; want 0, 1 or 2`,
		"warm-up:ppm=2000":            `fault warm-up: ppm: "2000"; want -200 to 200 ppm`,
	} {
		_, err := ParseFault(text)
		var wrong *FaultError
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Faults are combined freely, but for those that would leave nothing to measure, or of
// which only the first would do anything.
func TestFaultsThatCannotBeTogether(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string // empty: they can
	}{
		{[]string{"lost-byte:p=0.1", "lost-byte:at=2s", "delay", "slow-line", "stall", "stall:at=3s"}, ""},
		{[]string{"saturated", "saturated:rail=12v", "unplug", "unplug:at=20s"}, ""},
		{[]string{"clock-step:stream=1", "clock-step:stream=2"}, ""},
		{[]string{"rail-missing:rail=5v", "rail-missing:rail=3v3"}, ""}, // one output
		{[]string{"clock-step:stream=1", "clock-step:at=2s"}, "fault clock-step: given twice: only the first would be on"},
		{[]string{"delay", "no-echo", "delay:model=tcp"}, "fault delay: given twice"},
		{[]string{"rail-missing", "rail-missing:rail=5v"}, `fault rail-missing: rail: "5v"; want a rail to be left beside 12v`},
	} {
		var faults []Fault
		for _, text := range c.texts {
			f, err := ParseFault(text)
			if err != nil {
				t.Fatal(err)
			}
			faults = append(faults, f)
		}
		err := CheckFaults(faults)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.texts, err, c.want)
		}
	}
}

// A rail that is missing is an output that is not there, whatever the output mode calls it.
func TestMissingRails(t *testing.T) {
	for rail, want := range map[string]string{"5v": "12v", "3v3": "12v", "12v": "5v"} {
		o := Options{Faults: []Fault{{Name: "rail-missing", Rail: rail}}}.withDefaults()
		if !slices.Equal(o.Rails, []string{want}) {
			t.Errorf("without %s there is %q, want %s", rail, o.Rails, want)
		}
	}
}

// Whatever is typed, a fault that is taken says itself so that it can be read again.
func FuzzParseFault(f *testing.F) {
	for _, k := range Faults() {
		f.Add(k.Name + ":" + strings.ReplaceAll(k.Keys, " ", ","))
	}
	f.Add("stall:by=\xff,,=")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseFault(text)
		if err != nil {
			return
		}
		if again, err := ParseFault(got.String()); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%q, said as %q, is %+v, %v", text, got.String(), again, err)
		}
	})
}
