package catalog

import (
	"fmt"
	"strings"

	"powerd/quarch/sim"
)

// Dialect is what emulated modules differ in.
type Dialect = sim.Dialect

// ParseDialect reads settings of the form key=value.
func ParseDialect(texts []string) (Dialect, error) {
	var d Dialect
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return d, fmt.Errorf("dialect %q: want key=value", text)
		}
		if err := d.Set(key, value); err != nil {
			return d, err
		}
	}
	return d, nil
}

// DialectHelp lists what can be set, a line each.
func DialectHelp() string {
	var b strings.Builder
	for _, k := range sim.DialectKeys() {
		fmt.Fprintf(&b, "  %-16s %s [%s; default %s]\n", k.Name, k.What, k.Want, k.Default)
	}
	return b.String()
}

// SimFormats lists the formats of a stream that emulated modules have.
func SimFormats() []string {
	var names []string
	for _, f := range sim.Formats() {
		names = append(names, string(f))
	}
	return names
}

// ParseFormat returns the one of SimFormats that a name means.
func ParseFormat(name string) (string, error) {
	f, err := sim.ParseFormat(name)
	return string(f), err
}
