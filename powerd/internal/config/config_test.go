package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"powerd/configs"
)

// read reads a file of the given text beside variables and flags.
func read(t *testing.T, text string, env []string, flags ...Flag) (*Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "powerd.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(Sources{File: path, Env: env, Flags: flags})
}

// good is read where there must be no fault.
func good(t *testing.T, text string, env []string, flags ...Flag) *Config {
	t.Helper()
	c, err := read(t, text, env, flags...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// refused checks that reading fails and that each part stands in its message.
func refused(t *testing.T, text string, env []string, parts ...string) {
	t.Helper()
	_, err := read(t, text, env)
	if err == nil {
		t.Errorf("%q was taken", text)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("message does not say %q:\n%v", part, err)
		}
	}
}

// With no file there are the defaults, as powerd.yaml says in words.
func TestDefaults(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/state")
	c, err := Read(Sources{})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Out:       "runs",
		State:     map[bool]string{true: "/var/lib/powerd", false: "/state/powerd"}[os.Geteuid() == 0],
		Benches:   map[string]Bench{},
		Module:    Module{Link: "auto", Baud: 19200, Timeout: 3 * time.Second},
		Modules:   map[string]Module{},
		Fio:       Fio{IOEngine: "libaio"},
		Sampling:  Sampling{PowerCycle: 4 * time.Microsecond, Default: 64 * time.Microsecond},
		Alignment: Alignment{Beacons: Every(time.Minute)},
		Store:     Store{Path: "runs/powerd.db"},
		Influx:    Influx{Timeout: 10 * time.Second, Batch: 5000, RetryMax: time.Minute},
		Serve: Serve{
			Listen: "127.0.0.1:7780", Out: "runs/serve", DiskMax: 20 << 30, Segment: 10 * time.Minute, Sampling: 1024 * time.Microsecond, Keep: 7 * 24 * time.Hour,
		},
		Twin:   Twin{Size: 2 << 30, Scale: 4},
		values: c.values,
	}
	if !reflect.DeepEqual(*c, want) {
		t.Errorf("%+v\nwant\n%+v", *c, want)
	}
	if o := c.Origin("module.baud"); o.Kind != FromDefault {
		t.Errorf("origin %v, want the default", o)
	}
}

// powerd.yaml, the table of keys and the fields of Config name the same settings,
// and each setting in the file has a comment that says its default.
func TestFileAndStructNameTheSameKeys(t *testing.T) {
	var fields []string
	fieldsOf(reflect.TypeFor[Config](), "", &fields)
	var inFile []string
	var doc yaml.Node
	if err := yaml.Unmarshal(configs.Defaults, &doc); err != nil {
		t.Fatal(err)
	}
	commented(t, doc.Content[0], "", &inFile)
	table := keyNames(keys())
	for _, s := range [][]string{fields, inFile, table} {
		slices.Sort(s)
	}
	if !slices.Equal(fields, table) || !slices.Equal(inFile, table) {
		t.Errorf("fields %v\nfile   %v\ntable  %v", fields, inFile, table)
	}
}

func fieldsOf(typ reflect.Type, prefix string, out *[]string) {
	for f := range typ.Fields() {
		name := f.Tag.Get("mapstructure")
		switch {
		case name == "" || name == "-":
		case f.Type.Kind() == reflect.Struct:
			fieldsOf(f.Type, prefix+name+".", out)
		default:
			*out = append(*out, prefix+name)
		}
	}
}

func commented(t *testing.T, n *yaml.Node, prefix string, out *[]string) {
	t.Helper()
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, v := n.Content[i], n.Content[i+1]
		if name.Value == "modules" {
			continue
		}
		if v.Kind == yaml.MappingNode {
			commented(t, v, prefix+name.Value+".", out)
			continue
		}
		*out = append(*out, prefix+name.Value)
		if !strings.Contains(name.HeadComment, "Default: ") {
			t.Errorf("%s%s: its comment says no default", prefix, name.Value)
		}
	}
}

// Names of modules stay as written. Two that differ by case alone are refused by
// name and line: whoever lower-cases them would make one of them.
func TestModuleNamesKeepTheirCase(t *testing.T) {
	c := good(t, `
modules:
  PSU-A: {port: /dev/serial/by-id/usb-A}
  Rack7/Slot3: {port: /dev/serial/by-id/usb-C, baud: 115200, timeout: 500ms, serial: 0012}
`, nil)
	want := map[string]Module{
		"PSU-A":       {Port: "/dev/serial/by-id/usb-A", Link: "auto", Baud: 19200, Timeout: 3 * time.Second},
		"Rack7/Slot3": {Port: "/dev/serial/by-id/usb-C", Link: "auto", Baud: 115200, Timeout: 500 * time.Millisecond, Serial: "0012"},
	}
	if !reflect.DeepEqual(c.Modules, want) {
		t.Errorf("modules %+v\nwant %+v", c.Modules, want)
	}
	refused(t, `modules:
  PSU-A: {port: /dev/serial/by-id/usb-A}
  psu-a: {port: /dev/serial/by-id/usb-B}
  Rack7/Slot3: {port: /dev/serial/by-id/usb-C}
`, nil, "powerd.yaml:3: modules.psu-a", "PSU-A in line 2", "by case only")
}

// A value that comes by environment alone is there, nested as it is, although the
// file has no such section; its origin is known, and the token is never shown.
func TestEnvironmentAlone(t *testing.T) {
	c := good(t, "modules:\n  m1: {port: /dev/ttyFAKE0}\n", []string{
		"POWERD_INFLUX_TOKEN=t0", "POWERD_INFLUX_URL=http://127.0.0.1:8086", "POWERD_INFLUX_BUCKET=bench",
		"POWERD_OUT=", "POWERD_CONFIG=elsewhere.yaml", "HOME=/root",
	})
	if c.Influx.URL != "http://127.0.0.1:8086" || c.Influx.Token != "t0" || c.Influx.Bucket != "bench" || c.Out != "runs" {
		t.Errorf("influx %+v, out %q", c.Influx, c.Out)
	}
	if o := c.Origin("influx.url"); o != (Origin{FromEnv, "POWERD_INFLUX_URL"}) {
		t.Errorf("origin %v", o)
	}
	shown := c.Show()
	for _, want := range []string{
		`url: "http://127.0.0.1:8086" # environment POWERD_INFLUX_URL`,
		`token: "" # (hidden), from environment POWERD_INFLUX_TOKEN`,
		`baud: 19200 # default`, `"m1":`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("shown without %q:\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "t0") {
		t.Errorf("the token is shown:\n%s", shown)
	}
}

// A misspelt variable is refused like a misspelt key.
func TestUnknownVariable(t *testing.T) {
	refused(t, "", []string{"POWERD_INFLUX_BUKCET=x"}, "POWERD_INFLUX_BUKCET", "did you mean POWERD_INFLUX_BUCKET?")
}

// What stands above what: flag, environment, file, default.
func TestPrecedence(t *testing.T) {
	file := "module: {port: /dev/file, baud: 9600, serial: file}\n"
	env := []string{"POWERD_MODULE_PORT=/dev/env", "POWERD_MODULE_BAUD=4800"}
	c := good(t, file, env, Flag{Name: "--module", Key: "module.port", Value: "/dev/flag"})
	if c.Module.Port != "/dev/flag" || c.Module.Baud != 4800 || c.Module.Serial != "file" || c.Module.Link != "auto" {
		t.Errorf("module %+v", c.Module)
	}
	for key, want := range map[string]string{"module.port": "flag --module", "module.baud": "environment POWERD_MODULE_BAUD", "module.link": "default"} {
		if got := c.Origin(key).String(); got != want {
			t.Errorf("%s comes from %q, want %q", key, got, want)
		}
	}
	if got := c.Origin("module.serial").Where; !strings.HasSuffix(got, "powerd.yaml:1") {
		t.Errorf("module.serial stands at %q, want line 1", got)
	}
}

// A time without a unit is refused, quoted or not: 5 would be 5 ns. 90s and 1m30s
// are the same; what is out of range is refused with the range.
func TestDurationsHaveUnits(t *testing.T) {
	refused(t, "influx:\n  timeout: 5\nmodule:\n  timeout: '250'\n", nil,
		`powerd.yaml:2: influx.timeout: "5" needs a unit, e.g. 5ms; allowed: 100ms to 5m`,
		`powerd.yaml:4: module.timeout: "250" needs a unit, e.g. 5ms; allowed: 50ms to 5m`)
	refused(t, "", []string{"POWERD_MODULE_TIMEOUT=3"}, `POWERD_MODULE_TIMEOUT: module.timeout: "3" needs a unit`)
	for _, same := range []string{"90s", "1m30s", "'90s'"} {
		if c := good(t, "influx: {retry_max: "+same+"}", nil); c.Influx.RetryMax != 90*time.Second {
			t.Errorf("%s is %v, want 90 s", same, c.Influx.RetryMax)
		}
	}
	refused(t, "influx: {timeout: 6m}", nil, "out of range; allowed: 100ms to 5m")
	refused(t, "influx: {timeout: -5s}", nil, "out of range")
	refused(t, "influx: {timeout: soon}", nil, "is no time")
}

// Misspelt keys are all named at once, with their lines and what was meant.
func TestMisspeltKeys(t *testing.T) {
	refused(t, `modules:
  m1: {port: /dev/ttyFAKE0, buad: 115200}
influx: {url: 'http://127.0.0.1:8086', bukcet: bench}
token: abc
Sampling: {default: 64us}
`, nil,
		"powerd.yaml:2: modules.m1.buad: is no setting (did you mean baud?)",
		"powerd.yaml:3: influx.bukcet: is no setting (did you mean bucket?)",
		"powerd.yaml:4: token: is no setting (did you mean influx.token?)",
		"powerd.yaml:5: Sampling: is no setting (did you mean sampling?)")
}

// Every other fault names file, line, key, value and what is allowed.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"twice the same key", "out: a\nout: b\n", "powerd.yaml:2: out: is there already, in line 1"},
		{"no period of a module", "sampling: {default: 100us}", `"100us" is no period of a module; allowed: 4µs times a power of two`},
		{"too long a period", "sampling: {default: 1s}", "out of range"},
		{"unknown link", "module: {link: framd}", `must be one of terminal, framed, auto (did you mean framed?)`},
		{"relative port", "module: {port: ttyUSB0}", `"ttyUSB0" is no port`},
		{"octal-looking baud", "module: {baud: 019200}", "is no whole number; allowed: 300 to 12000000 bit/s"},
		{"fraction of points", "influx: {batch: 0.5}", "is no whole number; allowed: 1 to 5000 points"},
		{"too many points", "influx: {batch: 5001}", "out of range"},
		{"no URL", "influx: {url: 127.0.0.1:8086}", "is no address of a server"},
		{"URL without bucket", "influx: {url: 'http://h:1'}", "influx.bucket: is needed with influx.url"},
		{"decimal size", "twin: {size: 1GB}", `"1GB" is no size`},
		{"too small a drive", "twin: {size: 1m}", "allowed: 16MiB to 1TiB"},
		{"too fast a clock", "twin: {ppm: 2000}", "from -1000 to 1000 ppm"},
		{"no number", "twin: {ppm: NaN}", "from -1000 to 1000 ppm"},
		{"no folder", `out: ""`, "out: needs a folder"},
		{"a list", "target: [a, b]", "target: must be one value"},
		{"a value for a section", "module: /dev/ttyUSB0", `must be keys and values`},
		{"a list for a file", "[1, 2]", `powerd.yaml:1: the file: must be keys and values`},
		{"no value", "module:\n  port:\n", "powerd.yaml:2: module.port: has no value"},
		{"named module without a port", "modules:\n  a: {baud: 9600}\n", "powerd.yaml:2: modules.a.port: needs a port"},
		{"named module with a fault", "modules:\n  a: {port: /dev/a, timeout: 1}\n", `powerd.yaml:2: modules.a.timeout: "1" needs a unit`},
		{"dotted name", "modules:\n  a.b: {port: /dev/a}\n", "leave out dots"},
		{"not YAML", "out: [", "powerd.yaml: yaml:"},
		{"two documents", "out: a\n---\nout: b\n", "more than one YAML document"},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, c.file, nil, c.want) })
	}
}

// Each fault is a *KeyError; a password in a URL and a token are in no message.
func TestSecretsStayOutOfMessages(t *testing.T) {
	_, err := read(t, "influx: {url: 'http://u:hunter2@h:8086', token: [hunter3], timeout: 5}", nil)
	var f *KeyError
	if !errors.As(err, &f) || !strings.HasSuffix(f.Where, "powerd.yaml:1") {
		t.Fatalf("error %v, want a *KeyError of line 1", err)
	}
	if strings.Contains(err.Error(), "hunter") {
		t.Errorf("a secret is told: %v", err)
	}
}

// Two modules on one device, directly or through a link, are refused by name.
func TestOneDeviceTwice(t *testing.T) {
	dir := t.TempDir()
	device, link := filepath.Join(dir, "ttyFAKE0"), filepath.Join(dir, "by-id")
	if err := os.WriteFile(device, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(device, link); err != nil {
		t.Fatal(err)
	}
	refused(t, "modules:\n  m1: {port: "+device+"}\n  m2: {port: "+link+"}\n", nil,
		"powerd.yaml:3: modules.m2.port", "device of modules.m1 too")
}

// Sections that are there but empty, comments and aliases are no faults.
func TestHarmlessFiles(t *testing.T) {
	for _, text := range []string{
		"", "# nothing\n", "influx:\n  # url: http://h\n", "modules:\n",
		"module: &m {baud: 9600}\n", "out: &o /srv/runs\ntarget: *o\n",
	} {
		if _, err := read(t, text, nil); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What Show prints is a file that powerd reads, with the same settings in force.
func TestShownConfigurationReadsBack(t *testing.T) {
	c := good(t, `
out: "null"
target: "/dev/disk/by-id/a: #b"
module: {port: "tcp:10.0.0.7:9760", serial: "-1"}
modules: {"Rack 7": {port: /dev/a, serial: "0x10", dtr: false}}
benches: {"Left 1": {module: "0x10", target: "/dev/disk/by-id/a: #b", rails: [5v], consent: [power, write], accuracy: {gain_pct: 0.5, cal_date: 2026-03-31}, off_time: 12s, detach: true}}
influx: {url: "http://h:8086", bucket: "db/auto\"gen", token: secret}
twin: {size: 512m, ppm: -37.5, offset: 20ms}
`, nil)
	again := good(t, c.Show(), nil)
	c.Influx.Token = "" // left out on purpose
	c.values, again.values = nil, nil
	for _, of := range []*Config{c, again} { // where a bench stands is no setting
		for name, b := range of.Benches {
			b.Where, b.ConsentWhere = "", ""
			of.Benches[name] = b
		}
	}
	if !reflect.DeepEqual(again, c) {
		t.Errorf("%+v\nwant\n%+v", again, c)
	}
}

// A bench is shown whole: what it says, what holds where it says nothing, and what it takes
// from its module's entry.
func TestShownBenchHasItsDefaults(t *testing.T) {
	shown := good(t, `
modules: {rack: {port: /dev/ttyS9, serial: QTL1, baud: 115200}}
benches: {left: {module: QTL1, rails: [5v]}, right: {port: /dev/ttyS8, consent: [write]}}
`, nil).Show()
	_, left, _ := strings.Cut(shown, "\"left\":")
	left, right, _ := strings.Cut(left, "\"right\":")
	for _, want := range []string{
		"port: /dev/ttyS9 # as its module has it", "baud: 115200 # as its module has it", "rails: [5v] # file /",
		"off_time: 10s # default", "detach: false # default", "consent: [] # default: nothing is written, no power is switched",
	} {
		if !strings.Contains(left, want) {
			t.Errorf("left lacks %q:\n%s", want, left)
		}
	}
	for _, want := range []string{"port: /dev/ttyS8 # file /", "baud: 19200 # default", "rails: [] # default: those of its drive file", "consent: [write] # file"} {
		if !strings.Contains(right, want) {
			t.Errorf("right lacks %q:\n%s", want, right)
		}
	}
}

// Sizes are powers of 1024, and are written back as they may be read.
func TestBytes(t *testing.T) {
	for text, want := range map[string]Bytes{"512": 512, "4k": 4096, "4KiB": 4096, "1 GiB": 1 << 30, "2t": 2 << 40, "0": 0} {
		var b Bytes
		if err := b.UnmarshalText([]byte(text)); err != nil || b != want {
			t.Errorf("%q is %d (%v), want %d", text, b, err, want)
		}
		var back Bytes
		if err := back.UnmarshalText([]byte(b.String())); err != nil || back != want {
			t.Errorf("%d is written %q, read back as %d (%v)", want, b.String(), back, err)
		}
	}
	for _, text := range []string{"", "k", "-1k", "1kb", "1.5g", "9t9", "99999999999t"} {
		var b Bytes
		if err := b.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was taken as %d", text, b)
		}
	}
}

// A missing file that was named is an error; Find names only files that are.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	if _, err := Read(Sources{File: "no.yaml"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that no.yaml is missing", err)
	}
	if got := Find([]string{"POWERD_CONFIG=x.yaml"}); got != "x.yaml" {
		t.Errorf("found %q, want the one that POWERD_CONFIG names", got)
	}
	if err := os.WriteFile("powerd.yaml", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Find(nil); got != "powerd.yaml" {
		t.Errorf("found %q, want powerd.yaml of the working folder", got)
	}
}

// Whatever a file holds, reading ends with settings in range or a fault.
func FuzzReadFile(f *testing.F) {
	f.Add([]byte("modules:\n  a: {port: /dev/a}\n"))
	f.Add([]byte("influx: {url: 'http://h', bucket: b, timeout: 5}\nout: &a x\ntarget: *a\n"))
	f.Add([]byte("a: &a [*a]\n<<: {out: x}\n"))
	f.Add(configs.Defaults)
	defaults, err := readFile(FromDefault, "defaults", configs.Defaults)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := readFile(FromFile, "f", data)
		if err != nil {
			return
		}
		c, err := merge(defaults, file, settings{}, settings{})
		if err == nil && (c.Module.Timeout < 50*time.Millisecond || c.Module.Baud < 300 || c.Out == "") {
			t.Errorf("%+v was taken", c)
		}
	})
}
