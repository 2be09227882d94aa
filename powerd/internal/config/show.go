package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Origin returns where the value of a dotted key came from; the zero Origin for a
// key that there is not.
func (c *Config) Origin(key string) Origin { return c.values[key].origin }

// Show returns all settings as a file that powerd reads, each with its origin. A
// token is left out.
func (c *Config) Show() string {
	var b strings.Builder
	section := ""
	for _, k := range keys() {
		name := k.name
		if s, rest, nested := strings.Cut(k.name, "."); nested {
			if s != section {
				fmt.Fprintf(&b, "%s:\n", s)
			}
			section, name = s, "  "+rest
		}
		v := c.values[k.name]
		if v.text == "" {
			v.text = c.inForce(k.name)
		}
		if k.shown(v.text) == hidden {
			fmt.Fprintf(&b, "%s: \"\" # %s, from %s\n", name, hidden, v.origin)
			continue
		}
		fmt.Fprintf(&b, "%s: %s # %s\n", name, quote(v.text), v.origin)
	}
	c.showModules(&b)
	c.showBenches(&b)
	return b.String()
}

// inForce returns the place that is used where nobody names one; "" for other keys.
func (c *Config) inForce(key string) string {
	switch key {
	case "state":
		return c.State
	case "store.path":
		return c.Store.Path
	case "serve.out":
		return c.Serve.Out
	}
	return ""
}

func (c *Config) showModules(b *strings.Builder) {
	if len(c.Modules) == 0 {
		return
	}
	b.WriteString("modules:\n")
	for _, name := range slices.Sorted(maps.Keys(c.Modules)) {
		m := c.Modules[name]
		fmt.Fprintf(b, "  %s:\n", strconv.Quote(name))
		fmt.Fprintf(b, "    port: %s\n    link: %s\n    baud: %d\n    timeout: %v\n    serial: %s\n",
			quote(m.Port), m.Link, m.Baud, m.Timeout, quote(m.Serial))
		fmt.Fprintf(b, "    dtr: %s\n    rts: %s\n", quote(m.DTR), quote(m.RTS))
	}
}

// quote writes a text so that YAML reads it back as it is.
func quote(text string) string {
	plain := func(r rune) bool {
		return (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || strings.ContainsRune("./_-", r)
	}
	odd := strings.ContainsFunc(text, func(r rune) bool { return !plain(r) })
	if odd || text == "" || text[0] == '-' || strings.EqualFold(text, "null") {
		return strconv.Quote(text)
	}
	return text
}
