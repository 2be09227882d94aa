package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const listSeparator = ","

// DefaultOffTime is how long a drive is off in a power cycle where its bench does not
// say: its capacitors are empty then.
const DefaultOffTime = 10 * time.Second

// benchKeys lists the settings of one bench.
func benchKeys(prefix string) []key {
	return []key{
		{name: prefix + "module", fault: anyText},
		{name: prefix + "port", fault: port},
		{name: prefix + "link", fault: oneOf("terminal", "framed", "auto")},
		{name: prefix + "baud", fault: integer(300, 12_000_000, "bit/s")},
		{name: prefix + "timeout", fault: duration(50*time.Millisecond, 5*time.Minute)},
		{name: prefix + "dtr", fault: optional(oneOf("true", "false"))},
		{name: prefix + "rts", fault: optional(oneOf("true", "false"))},
		{name: prefix + "target", fault: absolutePath},
		{name: prefix + "target_serial", fault: anyText},
		{name: prefix + "drive", fault: anyText},
		{name: prefix + "rails", fault: listOf("5v", "12v", "3v3")},
		{name: prefix + "fixture", fault: anyText},
		{name: prefix + "accuracy.gain_pct", fault: optional(number(0, 20, "%"))},
		{name: prefix + "accuracy.offset_ma", fault: optional(number(0, 1000, "mA"))},
		{name: prefix + "accuracy.offset_mv", fault: optional(number(0, 1000, "mV"))},
		{name: prefix + "accuracy.cal_date", fault: optional(date)},
		{name: prefix + "consent", fault: listOf("write", "power", "purge", "command")},
		{name: prefix + "off_time", fault: offTime},
		{name: prefix + "detach", fault: oneOf("true", "false")},
		{name: prefix + "rescan", fault: oneOf("true", "false")},
	}
}

// isList reports whether a key takes a list.
func isList(key string) bool {
	return strings.HasPrefix(key, benchesPrefix) && (strings.HasSuffix(key, ".rails") || strings.HasSuffix(key, ".consent"))
}

// benchDefault is what a bench does not say; other keys are those of module.
func benchDefault(own string, defaults settings) value {
	switch own {
	case "link", "baud", "timeout", "dtr", "rts":
		return defaults.values["module."+own]
	case "off_time":
		return value{text: short(DefaultOffTime)}
	case "detach", "rescan":
		return value{text: "false"}
	}
	return value{}
}

func absolutePath(text string) string {
	if text == "" || filepath.IsAbs(text) {
		return ""
	}
	return "must be a whole path, best the stable one under /dev/disk/by-id"
}

func date(text string) string {
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return "is no date; write e.g. 2026-03-31"
	}
	return ""
}

// offTime wants long enough for a drive to lose its power.
func offTime(text string) string {
	if text == "0" || text == "0s" {
		return "would switch off and on at once: capacitors keep a drive alive for a while, and a disk must not spin up twice within 12s; allowed: 1s to 1h"
	}
	return duration(time.Second, time.Hour)(text)
}

func optional(fault func(string) string) func(string) string {
	return func(text string) string {
		if text == "" {
			return ""
		}
		return fault(text)
	}
}

// listOf wants words out of those allowed, each once.
func listOf(allowed ...string) func(string) string {
	return func(text string) string {
		words := split(text)
		for i, w := range words {
			if why := oneOf(allowed...)(w); why != "" {
				return "has " + strconv.Quote(w) + ", which " + why
			}
			if slices.Contains(words[:i], w) {
				return "has " + w + " twice"
			}
		}
		return ""
	}
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, listSeparator)
}

// namedBenches decodes and checks what stands under benches.
func namedBenches(file, defaults settings) (map[string]Bench, error) {
	out := make(map[string]Bench)
	var faults []error
	for _, n := range file.benches {
		prefix := benchesPrefix + n.name + "."
		text := make(map[string]string)
		before := len(faults)
		for _, k := range benchKeys(prefix) {
			own := strings.TrimPrefix(k.name, prefix)
			v, ok := file.values[k.name]
			if !ok {
				v = benchDefault(own, defaults)
			}
			if err := k.check(k.name, v); err != nil {
				faults = append(faults, err)
			}
			text[own] = v.text
		}
		if len(faults) > before {
			continue
		}
		b, err := decodeBench(n.name, text)
		faults = append(faults, err)
		b.Where, b.ConsentWhere = n.where, file.values[prefix+"consent"].origin.Where
		out[n.name] = b
	}
	return out, errors.Join(faults...)
}

// decodeBench turns texts that were checked into a bench.
func decodeBench(name string, text map[string]string) (Bench, error) {
	var faults []error
	baud, err := strconv.Atoi(text["baud"])
	faults = append(faults, err)
	timeout, err := time.ParseDuration(text["timeout"])
	faults = append(faults, err)
	off, err := time.ParseDuration(text["off_time"])
	faults = append(faults, err)
	maybe := func(key string) *float64 {
		if text[key] == "" {
			return nil
		}
		x, err := strconv.ParseFloat(text[key], 64)
		faults = append(faults, err)
		return &x
	}
	b := Bench{
		Name:   name,
		Module: Module{Port: text["port"], Link: text["link"], Baud: baud, Timeout: timeout, Serial: text["module"], DTR: text["dtr"], RTS: text["rts"]},
		Target: text["target"], TargetSerial: text["target_serial"], Drive: text["drive"],
		Rails: split(text["rails"]), Fixture: text["fixture"], Consent: split(text["consent"]),
		Accuracy: Accuracy{
			GainPct: maybe("accuracy.gain_pct"), OffsetMA: maybe("accuracy.offset_ma"), OffsetMV: maybe("accuracy.offset_mv"),
			CalDate: text["accuracy.cal_date"],
		},
		OffTime: off, Detach: text["detach"] == "true", Rescan: text["rescan"] == "true",
	}
	return b, errors.Join(faults...)
}

// Bench returns a bench by its name.
func (c *Config) Bench(name string) (Bench, error) {
	if b, ok := c.Benches[name]; ok {
		return b, nil
	}
	names := slices.Sorted(maps.Keys(c.Benches))
	if len(names) == 0 {
		return Bench{}, fmt.Errorf("no bench is called %q, and the settings have none; `powerd init` writes one", name)
	}
	return Bench{}, fmt.Errorf("no bench is called %q%s; there is: %s", name, didYouMean(name, names), strings.Join(names, ", "))
}

// stateFolder is where what outlives a run is kept, if nobody says.
func stateFolder() string {
	if os.Geteuid() == 0 {
		return "/var/lib/powerd"
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "powerd")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "powerd-state")
	}
	return filepath.Join(home, ".local", "state", "powerd")
}
