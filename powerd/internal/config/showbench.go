package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

func (c *Config) showBenches(b *strings.Builder) {
	if len(c.Benches) == 0 {
		return
	}
	b.WriteString("benches:\n")
	for _, name := range slices.Sorted(maps.Keys(c.Benches)) {
		fmt.Fprintf(b, "  %s:\n", strconv.Quote(name))
		prefix, section := benchesPrefix+name+".", ""
		_, ownPort := c.values[prefix+"port"]
		for _, k := range benchKeys(prefix) {
			own, indent := strings.TrimPrefix(k.name, prefix), "    "
			v, said := c.values[k.name]
			text, from := v.text, v.origin.String()
			if !said {
				text, from = c.Benches[name].inForce(own, ownPort)
			}
			if s, rest, nested := strings.Cut(own, "."); nested {
				if s != section {
					fmt.Fprintf(b, "    %s:\n", s)
				}
				section, own, indent = s, rest, "      "
			}
			shown := quote(text)
			if isList(k.name) {
				shown = "[" + strings.Join(split(text), ", ") + "]"
			}
			fmt.Fprintf(b, "%s%s: %s # %s\n", indent, own, shown, from)
		}
	}
}

// inForce returns what holds for a key that the bench does not say, and whose it is. A
// bench without a port of its own takes what is said of its module elsewhere.
func (b Bench) inForce(own string, ownPort bool) (text, from string) {
	from = FromDefault
	ofModule := map[string]string{
		"port": b.Module.Port, "link": b.Module.Link, "baud": strconv.Itoa(b.Module.Baud), "timeout": short(b.Module.Timeout),
		"dtr": b.Module.DTR, "rts": b.Module.RTS,
	}
	if text, ok := ofModule[own]; ok {
		if !ownPort {
			from = "as its module has it"
		}
		return text, from
	}
	switch own {
	case "accuracy.gain_pct", "accuracy.offset_ma", "accuracy.offset_mv":
		return "", from + ": by the module's family"
	case "off_time":
		return short(b.OffTime), from
	case "detach":
		return strconv.FormatBool(b.Detach), from
	case "rescan":
		return strconv.FormatBool(b.Rescan), from
	case "rails":
		return "", from + ": those of its drive file, or else all that the module measures"
	case "consent":
		return "", from + ": nothing is written, no power is switched"
	}
	return "", from
}
