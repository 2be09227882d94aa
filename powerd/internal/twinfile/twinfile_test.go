package twinfile

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"powerd/configs"
	"powerd/engine/twin/model/modeltest"
)

// Every key lands in its field and in its unit: the published drive as a file is the
// published drive as the model's own tests have it, in SI and nanoseconds.
func TestPublishedDrive(t *testing.T) {
	got, err := Find("seagate-1200-400")
	if err != nil {
		t.Fatal(err)
	}
	want := modeltest.Published(1)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Every file that ships is a drive.
func TestBuiltinTwins(t *testing.T) {
	for _, name := range Names() {
		c, err := Find(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if c.Name != name {
			t.Errorf("%s: it calls itself %q", name, c.Name)
		}
		for _, scale := range []int{1, 4, 1000} {
			if c := c.Scaled(scale); c.Faults() != nil {
				t.Errorf("%s at scale %d: %v", name, scale, c.Faults())
			}
		}
	}
}

// published returns the file of the published drive.
func published(t testing.TB) string {
	t.Helper()
	data, err := configs.Twins.ReadFile("twins/seagate-1200-400.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// lineOf returns the line of a text that has part in it, from 1.
func lineOf(t *testing.T, text, part string) int {
	t.Helper()
	before, _, found := strings.Cut(text, part)
	if !found {
		t.Fatalf("no %q in the file", part)
	}
	return strings.Count(before, "\n") + 1
}

// What is wrong with a twin file is told with its file and line, the key, the value, and
// what is allowed. Each case changes one place of the published drive.
func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"negative capacity", "capacity_bytes: 400e9", "capacity_bytes: -1", `capacity_bytes: "-1": it is a number of 1048576 to 1e+18`},
		{"ramp of 0 s", "ramp_ms: 100", "ramp_ms: 0", `supply.ramp_ms: "0": it is a number of 0.02 to 3600000`},
		{"idle above the power limit", "power_limit_w: 12", "power_limit_w: 2.5", `power_limit_w: "2.5": it must be above the idle power of all rails, 2.981 W`},
		{"overlapping plateaus", "from_ms: 2050,", "from_ms: 2000,", `rails.5v.plateaus[3]: it must be after the one before, on multiples of 20 µs`},
		{"a plateau that ends first", "from_ms: 50, to_ms: 300", "from_ms: 400, to_ms: 300", `rails.12v.plateaus[0]: it must be after`},
		{"a plateau of a drive that is ready", "to_ms: 3200, amps: 0.50", "to_ms: 3201, amps: 0.50", `rails.5v.plateaus[4].to_ms: "3201": it must be 3200 ms at most, when the drive is ready`},
		{"a crest of a drive that is ready", "centre_ms: 326", "centre_ms: 3200", `rails.5v.crest.centre_ms: "3200": it must be 3200 ms at most, when the drive is ready, with half its width`},
		{"unknown key", "leak_ma: 2", "leak_a: 2", `rails.12v.leak_a: unknown key; there is: nominal_v, source_ohms, farads_uf, leak_ma,`},
		{"a key twice", "ready_ms: 3200", "ready_ms: 3200\nready_ms: 3300", `ready_ms: "3300": it stands in line`},
		{"not a number", "farads_uf: 68", "farads_uf: 68 uF", `rails.12v.farads_uf: "68 uF": it is a number of 0 to 100000`},
		{"not a number, either", "farads_uf: 68", "farads_uf: .nan", `rails.12v.farads_uf: ".nan": it is a number`},
		{"a list for a value", "farads_uf: 68", "farads_uf: [68]", `rails.12v.farads_uf: one value is wanted here`},
		{"a value for a list", "tau_ms: 4", "tau_ms: 4\n    crest: 3", `rails.12v.crest: "3": it has keys below it: centre_ms, width_ms, amps`},
		{"a part of an IO", "depth: 128", "depth: 1.5", `queue.depth: "1.5": it is a whole number of 1 to 65536`},
		{"lock-out on a rail that is none", "lock_out: {rail: 5v,", "lock_out: {rail: 3v3,", `lock_out.rail: "3v3": it is one of 5v, 12v`},
		{"lock-out above its rail", "volts: 3.9}", "volts: 6}", `lock_out.volts: "6": it must be between 0 and its rail's nominal`},
		{"least volts above the rail", "volts: 3.9}", "volts: 3.9, other_volts: 12.5}", `lock_out.other_volts: "12.5": it must be between 0 and the nominal of the other rail`},
		{"lags the wrong way round", "lag_min_us: 100", "lag_min_us: 300", `pulse.lag_min_us: "300": it must be ordered`},
		{"idle below its leakage", "idle_mean_w: 0.881", "idle_mean_w: 0.01", `rails.12v.idle_mean_w: "0.01": it must be above its leakage and within half of what the source can give`},
		{"no such word", "sigma_w: 0.010", "sigma_w: 3", `idle.noise.sigma_w: "3": it must be 0 or more, and below a fifth of the idle power`},
		{"bursts that never end", "each_ms: 1000, extra_w", "each_ms: 150, extra_w", `flash.bursts: it must be 1 to 500 ms long, at most half of the time`},
		{"a name with a slash", "name: seagate-1200-400", "name: ../x", `name: "../x": it is of letters`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(published(t), c.old, c.new, 1)
			line := lineOf(t, text, c.new) + strings.Count(c.new, "\n")
			_, err := Parse("drive.yaml", []byte(text))
			want := "drive.yaml:" + strconv.Itoa(line) + ": " + c.want
			if err == nil || !strings.Contains("\n"+err.Error(), "\n"+want) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// All faults come at once, missing keys too, and a mistake is told once.
func TestAllFaultsAtOnce(t *testing.T) {
	text := strings.NewReplacer("ramp_ms: 100", "ramp_ms: 0", "    leak_ma: 2\n", "", "depth: 128", "depth: 0", "sequential_wa: 1.05", "sequential_wa: 0.5").Replace(published(t))
	_, err := Parse("drive.yaml", []byte(text))
	if err == nil {
		t.Fatal("no error")
	}
	got := strings.Split(err.Error(), "\n")
	for i, want := range []string{"supply.ramp_ms", "queue.depth", "flash.sequential_wa", "rails.12v.leak_ma: it is missing"} {
		if i >= len(got) || !strings.Contains(got[i], ": "+want) {
			t.Errorf("fault %d: want %s in\n%v", i+1, want, err)
		}
	}
	if len(got) != 4 {
		t.Errorf("%d faults, want 4:\n%v", len(got), err)
	}
}

// A file that builds on another takes what that says, replaces what it says itself, and
// a list as a whole. Paths are looked for beside it.
func TestExtends(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("mine.yaml", "name: mine\nextends: seagate-1200-400\nrails:\n  5v:\n    leak_ma: 5\n    plateaus:\n      - {from_ms: 0, to_ms: 100, amps: 0.2}\n")
	c, err := Find(write("child.yaml", "name: child\nextends: mine.yaml\nready_ms: 4000\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "child" || c.ReadyNs != 4000e6 || c.Rail5V.LeakAmps != 5e-3 || len(c.Rail5V.Plateaus) != 1 || len(c.Rail12V.Plateaus) != 4 {
		t.Errorf("got %+v", c)
	}
	for text, want := range map[string]string{
		"extends: seagate-1200-400\n":                         "own.yaml:1: name: the twin needs one, of its own",
		"name: x\nextends: nope\n":                            `own.yaml:2: extends: no twin "nope"`,
		"name: x\nextends: own.yaml\n":                        `own.yaml:2: extends: "own.yaml": more than 8 files build on each other`,
		"name: x\nextends: mine.yaml\npower_limit_w: 1\n":     "own.yaml:3: power_limit_w",
		"name: x\nextends: mine.yaml\nlock_out: {volts: 9}\n": "own.yaml:3: lock_out.volts",
		"":            "own.yaml is empty",
		"- a\n":       "own.yaml:1: a twin file is keys and values",
		"a: 1\n---\n": "more than one YAML document",
		"a: [1\n":     "own.yaml:",
	} {
		if _, err := Find(write("own.yaml", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// A name that there is not lists those that there are.
func TestUnknownTwin(t *testing.T) {
	_, err := Find("seagate")
	if want := `no twin is called "seagate"; there is: hdd-7200, nvme-12v, sata-ssd-devslp, seagate-1200-400, seagate-1200-400-half, seagate-1200-400-patrol, ssd-gc-90s, `; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Whatever stands in a file, reading it ends, with a drive that the model takes or with
// an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte(published(f)))
	for _, name := range Names() {
		data, err := configs.Twins.ReadFile("twins/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("name: &a x\nrails: *a\n"))
	f.Add([]byte("idle: {tasks: [{}, 3], states: {}}\n? [a]: b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte("extends")) && !bytes.Contains(data, []byte("seagate")) {
			t.Skip("a file of the host's")
		}
		c, err := Parse("fuzz.yaml", data)
		if err == nil && c.Faults() != nil {
			t.Errorf("%v", c.Faults())
		}
	})
}
