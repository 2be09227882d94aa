package config

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

// NewBench is a bench to be written into a file of settings. What is empty is left out,
// with a comment that shows how to give it.
type NewBench struct {
	Name                        string
	Module, Port, Link          string // Module is the serial number
	Baud                        int    // 0 = the default
	Target, TargetSerial, Drive string
	Rails                       []string
	Fixture                     string
	AboutModule, AboutDrive     string // for the comments: model, size
}

// CheckName says what is wrong with the name of a new bench.
func (c *Config) CheckName(name string) error {
	switch {
	case name == "" || strings.TrimSpace(name) != name || strings.Contains(name, ".") || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("%q is no name for a bench; use letters, digits, dashes", name)
	case c.Benches[name].Name != "":
		return fmt.Errorf("there is a bench called %q already, at %s; choose another name, or edit it there", name, c.benchPlace(name))
	}
	for other := range c.Benches {
		if strings.EqualFold(other, name) {
			return fmt.Errorf("the name %q differs from that of bench %q (%s) by case only; choose another", name, other, c.benchPlace(other))
		}
	}
	return nil
}

// benchPlace is where a key of a bench stands.
func (c *Config) benchPlace(name string) string {
	for _, k := range benchKeys(benchesPrefix + name + ".") {
		if v, ok := c.values[k.name]; ok {
			return v.origin.Where
		}
	}
	return "an unknown place"
}

// Text returns the bench as it stands below `benches:`, every line indented.
func (n *NewBench) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "    "+format+"\n", args...) }
	fmt.Fprintf(&b, "  %s:\n", quote(n.Name))
	line("# %s; another module on its port is refused.", comment(cmp.Or(n.AboutModule, "The power module, by its serial number")))
	line("module: %s", quote(n.Module))
	line("port: %s", quote(n.Port))
	if n.Link != "" {
		line("link: %s", n.Link)
	}
	if n.Baud != 0 {
		line("baud: %d", n.Baud)
	}
	n.drive(line)
	line("# Supply lines that the drive uses.")
	given(line, len(n.Rails) > 0, "rails: ["+strings.Join(n.Rails, ", ")+"]", "rails: [5v, 12v]")
	line("# What is between module and drive.")
	given(line, n.Fixture != "", "fixture: "+quote(n.Fixture), "fixture: riser 7")
	line("# Nothing is written to the drive and its power is not switched until you consent,")
	line("# of write, power, purge, command:")
	line("# consent: [write, power]")
	line("# Time without power in a power cycle:")
	line("# off_time: 10s")
	line("# From the module's sheet; else that of its family is assumed:")
	line("# accuracy: {gain_pct: 1, offset_ma: 2, offset_mv: 1, cal_date: 2026-03-31}")
	return b.String()
}

func (n *NewBench) drive(line func(string, ...any)) {
	line("# %s.", comment(cmp.Or(n.AboutDrive, "The drive, by its stable name")))
	given(line, n.Target != "", "target: "+quote(n.Target), "target: /dev/disk/by-id/…")
	if n.TargetSerial != "" {
		line("target_serial: %s", quote(n.TargetSerial))
	}
	line("# Drive file: what its maker claims. A built-in one, or a path.")
	given(line, n.Drive != "", "drive: "+quote(n.Drive), "drive: seagate-1200-400")
}

// given writes a setting, or how one looks.
func given(line func(string, ...any), known bool, setting, example string) {
	if known {
		line("%s", setting)
		return
	}
	line("# %s", example)
}

// comment makes one line of what hardware says of itself.
func comment(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
}
