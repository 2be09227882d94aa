package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"powerd/configs"
)

func readText(t *testing.T, text string) (*Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bench.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Read(Sources{File: file})
}

// A bench as the comments of powerd.yaml show it, and one that says the least: what it
// leaves out is harmless.
func TestBenchIsReadAsWritten(t *testing.T) {
	c, err := readText(t, `
benches:
  Left:
    module: QTL1999-02-001
    port: /dev/serial/by-id/X
    target: /dev/disk/by-id/Y
    target_serial: S3Z8NB0K
    drive: seagate-1200-400
    rails: [5v, 12v]
    fixture: riser 7
    accuracy: {gain_pct: 0.5, offset_ma: 1, offset_mv: 2, cal_date: 2026-03-31}
    consent: [write, power]
    off_time: 12s
    detach: true
  right: {port: "tcp:192.168.1.5"}
`)
	if err != nil {
		t.Fatal(err)
	}
	half, one, two := 0.5, 1.0, 2.0
	left, err := c.Bench("Left")
	want := Bench{
		Name: "Left", Module: Module{Port: "/dev/serial/by-id/X", Link: "auto", Baud: 19200, Timeout: 3 * time.Second, Serial: "QTL1999-02-001"},
		Target: "/dev/disk/by-id/Y", TargetSerial: "S3Z8NB0K", Drive: "seagate-1200-400", Rails: []string{"5v", "12v"}, Fixture: "riser 7",
		Accuracy: Accuracy{GainPct: &half, OffsetMA: &one, OffsetMV: &two, CalDate: "2026-03-31"},
		Consent:  []string{"write", "power"}, OffTime: 12 * time.Second, Detach: true,
	}
	if !strings.HasSuffix(left.Where, ".yaml:3") || !strings.HasSuffix(left.ConsentWhere, ".yaml:12") {
		t.Errorf("it stands at %s, its consent at %s", left.Where, left.ConsentWhere)
	}
	want.Where, want.ConsentWhere = left.Where, left.ConsentWhere
	if err != nil || !reflect.DeepEqual(left, want) {
		t.Errorf("%+v, %v\nwant %+v", left, err, want)
	}
	right, err := c.Bench("right")
	if err != nil || right.ConsentWhere != "" || len(right.Consent) != 0 || right.OffTime != 10*time.Second || right.Accuracy != (Accuracy{}) {
		t.Errorf("a bench that says little: %+v, %v", right, err)
	}
	if _, err := c.Bench("lefd"); err == nil || !strings.Contains(err.Error(), "Left, right") {
		t.Errorf("an unknown bench: %v, want the names that there are", err)
	}
	if s := c.Show(); !strings.Contains(s, "consent: [write, power] # file ") {
		t.Errorf("shown without its consent:\n%s", s)
	}
}

// All faults come together, each with its line, key, value and what is allowed.
func TestFaultsOfBenches(t *testing.T) {
	for text, want := range map[string]string{
		"off_time: 0":                `:4: benches.left.off_time: "0" would switch off and on at once`,
		"off_time: 500ms":            `off_time: "500ms" is out of range; allowed: 1s to 1h`,
		"consent: [write, pover]":    `consent: "write,pover" has "pover", which must be one of write, power, purge, command (did you mean power?)`,
		"consent: [power, power]":    `has power twice`,
		"rails: [5V]":                `has "5V", which must be one of 5v, 12v, 3v3`,
		"target: sda":                `target: "sda" must be a whole path`,
		"accuracy: {gain_pct: 101}":  `accuracy.gain_pct: "101" must be a number from 0 to 20 %`,
		"accuracy: {cal_date: 31/3}": `cal_date: "31/3" is no date; write e.g. 2026-03-31`,
		"concent: [power]":           `benches.left.concent: is no setting (did you mean consent?)`,
		"detach: perhaps":            `detach: "perhaps" must be one of true, false`,
	} {
		_, err := readText(t, "benches:\n  left:\n    port: /dev/ttyS0\n    "+text+"\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Benches that cannot both be right are refused, naming both: each would measure what
// the other loads.
func TestBenchesThatContradict(t *testing.T) {
	dir := t.TempDir()
	device, link := filepath.Join(dir, "ttyFAKE0"), filepath.Join(dir, "by-id")
	if err := os.WriteFile(device, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(device, link); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, left, right, want string }{
		{
			"one port by two names", "{module: M1, port: " + device + "}", "{module: M2, port: " + link + "}",
			"benches.right.port: \"" + link + "\" is the device of benches.left too (" + device + "), whose module is M1, not M2",
		},
		{"one module on two ports", "{module: M1, port: /dev/a}", "{module: M1, port: /dev/b}", "benches.right.module: \"M1\" is the module of benches.left too, on another port (/dev/a, here /dev/b)"},
		{"one drive on two modules", "{module: M1, port: /dev/a, target: " + device + "}", "{module: M2, port: /dev/b, target: " + link + "}", "is the drive of benches.left too"},
		{"no port", "{module: M1, port: /dev/a}", "{module: M9}", "benches.right.port: needs a port"},
		{"names that differ by case", "{module: M1, port: /dev/a}\n  LEFT: {module: M2, port: /dev/b}", "{module: M3, port: /dev/c}", "benches.LEFT: differs from left in line 2 by case only"},
		{"one network address, with and without its port", "{module: M1, port: 'tcp:10.0.0.7'}", "{module: M2, port: 'tcp:10.0.0.7:9760'}", "is the device of benches.left too"},
		{"two drives on one module, by turns", "{module: M1, port: /dev/a, target: /d1}", "{module: M1, port: /dev/a, target: /d2}", ""},
	} {
		_, err := readText(t, "benches:\n  left: "+tc.left+"\n  right: "+tc.right+"\n")
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

// So are a bench and an entry of modules, and two entries of modules.
func TestBenchesAndModulesThatContradict(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{
			"another module on the port", "modules:\n  rack7: {port: /dev/a, serial: M1}\nbenches:\n  left: {module: M2, port: /dev/a}\n",
			`bench.yaml:4: benches.left.port: "/dev/a" is the device of modules.rack7 too (/dev/a), whose module is M1, not M2`,
		},
		{
			"the module on another port", "modules:\n  rack7: {port: /dev/a, serial: M1}\nbenches:\n  left: {module: M1, port: /dev/b}\n",
			`bench.yaml:4: benches.left.module: "M1" is the module of modules.rack7 too, on another port (/dev/a, here /dev/b)`,
		},
		{
			"one module twice", "modules:\n  rack7: {port: /dev/a, serial: M1}\n  rack8: {port: /dev/b, serial: M1}\n",
			`bench.yaml:3: modules.rack8.serial: "M1" is the module of modules.rack7 too`,
		},
		{"the same, said twice", "modules:\n  rack7: {port: /dev/a, serial: M1}\nbenches:\n  left: {module: M1, port: /dev/a}\n", ""},
	} {
		_, err := readText(t, tc.text)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

// A bench may name its module by serial number alone where `modules` says its port, and
// is reached as it says there, but for what the bench says itself.
func TestBenchTakesThePortOfItsModule(t *testing.T) {
	c, err := readText(t, "modules:\n  rack7: {port: /dev/ttyX, serial: M7, link: framed, baud: 115200, dtr: false}\nbenches:\n  left: {module: M7, baud: 9600}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := Module{Port: "/dev/ttyX", Serial: "M7", Link: "framed", Baud: 9600, Timeout: 3 * time.Second, DTR: "false"}
	if b, err := c.Bench("left"); err != nil || b.Module != want {
		t.Errorf("%+v, %v", b, err)
	}
}

// Opening a port leaves DTR and RTS alone unless the settings say how they are to be:
// some boards restart on an edge.
func TestControlLines(t *testing.T) {
	c, err := readText(t, "module: {dtr: false}\nbenches:\n  left: {port: /dev/a}\n  right: {port: /dev/b, rts: true}\n")
	if err != nil {
		t.Fatal(err)
	}
	level := func(line *bool) string {
		if line == nil {
			return "alone"
		}
		return map[bool]string{true: "on", false: "off"}[*line]
	}
	for name, tc := range map[string]struct {
		m    Module
		want string
	}{
		"module": {c.Module, "off alone"}, "left": {c.Benches["left"].Module, "alone alone"}, "right": {c.Benches["right"].Module, "alone on"},
	} {
		dtr, rts := tc.m.Lines()
		if got := level(dtr) + " " + level(rts); got != tc.want {
			t.Errorf("%s: DTR and RTS %s, want %s", name, got, tc.want)
		}
	}
	if _, err := readText(t, "module: {dtr: low}\n"); err == nil || !strings.Contains(err.Error(), `module.dtr: "low" must be one of true, false`) {
		t.Errorf("dtr: low: %v", err)
	}
}

// Benches come from the file alone: a variable has no names that are the user's.
func TestNoVariableReachesABench(t *testing.T) {
	_, err := Read(Sources{Env: []string{"POWERD_BENCHES_LEFT_PORT=/dev/a"}})
	if err == nil || !strings.Contains(err.Error(), "POWERD_BENCHES_LEFT_PORT: is no setting") {
		t.Errorf("%v, want the variable refused", err)
	}
}

// The bench that the comments of powerd.yaml show is one: a user copies it.
func TestBenchOfTheDefaultsIsOne(t *testing.T) {
	var text strings.Builder
	for line := range strings.Lines(string(configs.Defaults)) {
		if rest, ok := strings.CutPrefix(line, "#   "); ok && (text.Len() > 0 || strings.HasPrefix(rest, "benches:")) {
			text.WriteString(rest)
		}
	}
	c, err := readText(t, text.String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Bench("left")
	if err != nil || b.Accuracy.GainPct == nil || *b.Accuracy.GainPct != 1 || len(b.Consent) != 2 || b.OffTime != 10*time.Second {
		t.Errorf("%+v, %v", b, err)
	}
}

// The module to use may be named as `modules` does; another word is no port.
func TestModuleByName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.yaml")
	if err := os.WriteFile(file, []byte("modules:\n  Rack7: {port: /dev/a}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Rack7": "", "rack7": `--module: module.port: "rack7" is no port`} {
		c, err := Read(Sources{File: file, Flags: []Flag{{Name: "--module", Key: "module.port", Value: name}}})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if err == nil && c.Modules[c.Module.Port].Port != "/dev/a" {
			t.Errorf("%s: %+v", name, c.Module)
		}
	}
}
