package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Dialect is what modules differ in, or what no source tells of the real ones. A client
// must not rest on any of it; a test may turn each. The zero value of a field means its
// default, which DialectKeys lists.
type Dialect struct {
	UnknownCode, ValueCode, StateCode int // the number in FAIL: no such command, value out of range, not now
	Terse                             bool
	OffWord                           string // what run:power? says while the rails are off
	OutputLabel                       string // of a line of measure:outputs?, with {rail} and {what} in it
	AmpDecimals                       int    // of meas:cur, in mA; negative = none
	TemperatureUnit                   string
	AveragingTail                     string // after the value in the reply to rec:ave?

	Supports        bool   // config:supports? is answered in XML; older firmware refuses it
	Fixture         string // name of the fixture that fix:chan:xml? describes; empty = none, refused
	PatternAbsolute bool   // the mV of pattern points are levels, not offsets from the set one
	ModeOff         bool   // another output mode switches the rails off

	StartMode         string // the output mode from a start on, as Options.OutputMode
	DefaultKeepsPower bool   // config:default state leaves the rails' power as it is; else they are off, as after a start

	SelfTestNs int64 // *tst? fails falsely for so long after a start
	ResetNs    int64 // the module is away for so long after *rst
	SettleNs   int64 // a change of output mode takes so long, until which power up is refused

	Clients int // TCP connections at once; one more is closed unanswered
}

// DialectKey is one thing that Dialect.Set sets.
type DialectKey struct {
	Name    string
	What    string // one line
	Want    string // what is allowed
	Default string
	set     func(d *Dialect, value string) bool
}

// DialectKeys lists them.
func DialectKeys() []DialectKey {
	return []DialectKey{
		{"code-unknown", "number in FAIL for an unknown command", wantCode, "0x01", codeKey(func(d *Dialect) *int { return &d.UnknownCode })},
		{"code-value", "number in FAIL for a value out of range", wantCode, "0x02", codeKey(func(d *Dialect) *int { return &d.ValueCode })},
		{"code-state", "number in FAIL for what cannot be done now", wantCode, "0x03", codeKey(func(d *Dialect) *int { return &d.StateCode })},
		{"fail-text", "whether FAIL is followed by a number and a text", "on or off", "on", func(d *Dialect, v string) bool {
			on, ok := parseOnOff(v)
			d.Terse = !on
			return ok
		}},
		{"off-word", "what run:power? says while the rails are off", "a word: OFF, PULLED", "OFF", wordKey(func(d *Dialect) *string { return &d.OffWord })},
		{"output-label", "label of a line of measure:outputs?", "text with {rail} and {what}", "{rail} {what}", wordKey(func(d *Dialect) *string { return &d.OutputLabel })},
		{"amp-decimals", "decimals of meas:cur, in mA", "0 to 3", "3", func(d *Dialect, v string) bool {
			n, err := strconv.Atoi(v)
			d.AmpDecimals = n
			if n == 0 {
				d.AmpDecimals = -1
			}
			return err == nil && n >= 0 && n <= 3
		}},
		{"temperature-unit", "unit of meas:temp", "a word", "C", wordKey(func(d *Dialect) *string { return &d.TemperatureUnit })},
		{"averaging-tail", "what follows the value in the reply to rec:ave?", "text that begins with a colon", "none", func(d *Dialect, v string) bool {
			d.AveragingTail = v
			return strings.HasPrefix(v, ":") && speakable(v)
		}},
		{"supports", "whether config:supports? is answered (in XML)", "on or off", "off", func(d *Dialect, v string) bool {
			on, ok := parseOnOff(v)
			d.Supports = on
			return ok
		}},
		{"fixture", "name of the fixture that fix:chan:xml? describes", "a name", "none, refused", wordKey(func(d *Dialect) *string { return &d.Fixture })},
		{"pattern", "what the mV of a pattern's points are", "offset or absolute", "offset", func(d *Dialect, v string) bool {
			d.PatternAbsolute = v == "absolute"
			return v == "absolute" || v == "offset"
		}},
		{"mode-power", "what another output mode does to the rails' power", "kept or off", "kept", func(d *Dialect, v string) bool {
			d.ModeOff = v == "off"
			return v == "off" || v == "kept"
		}},
		{"start-mode", "output mode from a start on, and after *rst: what a fixture sets, DISABLED without one", "5V, 3V3 or DISABLED", "5V", func(d *Dialect, v string) bool {
			d.StartMode = strings.ToUpper(v)
			return slices.Contains(outputModes(), d.StartMode)
		}},
		{"default-power", "what config:default state does to the rails' power; *rst switches them off", "off or kept", "off", func(d *Dialect, v string) bool {
			d.DefaultKeepsPower = v == "kept"
			return v == "off" || v == "kept"
		}},
		{"self-test", "how long *tst? fails falsely after a start; 5s on HD modules", wantSpan, "0s", spanKey(func(d *Dialect) *int64 { return &d.SelfTestNs })},
		{"reset", "how long the module is away after *rst; 600ms to some seconds", wantSpan, "0s", spanKey(func(d *Dialect) *int64 { return &d.ResetNs })},
		{"settle", "how long a change of output mode takes; 4s on HD modules", wantSpan, "0s", spanKey(func(d *Dialect) *int64 { return &d.SettleNs })},
		{"clients", "TCP connections at once", "1 to 1000", "8", func(d *Dialect, v string) (ok bool) {
			d.Clients, ok = parseWithin(v, 1, 1000)
			return ok
		}},
	}
}

const (
	wantCode = "0x01 to 0xFF"
	wantSpan = "a time from 0s to 10m"
)

func codeKey(field func(d *Dialect) *int) func(*Dialect, string) bool {
	return func(d *Dialect, v string) (ok bool) {
		*field(d), ok = parseWithin(v, 1, 0xff)
		return ok
	}
}

func wordKey(field func(d *Dialect) *string) func(*Dialect, string) bool {
	return func(d *Dialect, v string) bool {
		*field(d) = v
		return v != "" && speakable(v)
	}
}

// speakable reports whether a text can stand in a line of a reply: it has no control
// characters and nothing that ends a reply.
func speakable(v string) bool {
	return utf8.ValidString(v) && !strings.ContainsFunc(v, func(r rune) bool { return r == '>' || unicode.IsControl(r) })
}

func spanKey(field func(d *Dialect) *int64) func(*Dialect, string) bool {
	return func(d *Dialect, v string) bool {
		t, err := time.ParseDuration(v)
		*field(d) = t.Nanoseconds()
		return err == nil && t >= 0 && t <= 10*time.Minute
	}
}

// parseWithin reads a number in decimal or, after 0x, in hexadecimal.
func parseWithin(v string, least, most int) (n int, ok bool) {
	base := 10
	if hex, ok := strings.CutPrefix(v, "0x"); ok {
		v, base = hex, 16
	}
	x, err := strconv.ParseInt(v, base, 32)
	return int(x), err == nil && int(x) >= least && int(x) <= most
}

// Set sets one key of DialectKeys. An error names the key and what it may be.
func (d *Dialect) Set(key, value string) error {
	keys := DialectKeys()
	i := slices.IndexFunc(keys, func(k DialectKey) bool { return k.Name == key })
	if i < 0 {
		var names []string
		for _, k := range keys {
			names = append(names, k.Name)
		}
		return fmt.Errorf("dialect: no key %q; there is: %s", key, strings.Join(names, ", "))
	}
	set := *d
	if !keys[i].set(&set, value) {
		return fmt.Errorf("dialect %s: %q; want %s", key, value, keys[i].Want)
	}
	*d = set
	return nil
}

func (d Dialect) withDefaults() Dialect {
	for _, n := range []struct {
		field    *int
		standard int
	}{{&d.UnknownCode, 1}, {&d.ValueCode, 2}, {&d.StateCode, 3}, {&d.AmpDecimals, 3}, {&d.Clients, 8}} {
		if *n.field == 0 {
			*n.field = n.standard
		}
	}
	for _, w := range []struct {
		field    *string
		standard string
	}{{&d.OffWord, "OFF"}, {&d.OutputLabel, "{rail} {what}"}, {&d.TemperatureUnit, "C"}, {&d.StartMode, "5V"}} {
		if *w.field == "" {
			*w.field = w.standard
		}
	}
	return d
}

// refusal says no.
func (d Dialect) refusal(why refusal, text string) string {
	if d.Terse {
		return "FAIL"
	}
	code := map[refusal]int{refusedUnknown: d.UnknownCode, refusedValue: d.ValueCode, refusedState: d.StateCode}[why]
	return fmt.Sprintf("FAIL: 0x%02X -%s", code, text)
}

// current returns µA as meas:cur words them. What is cut off is rounded.
func (d Dialect) current(microAmps int32) string {
	return strconv.FormatFloat(float64(microAmps)/1000, 'f', max(0, d.AmpDecimals), 64) + " mA"
}

// label returns the label of a line of measure:outputs?.
func (d Dialect) label(rail, what string) string {
	return strings.NewReplacer("{rail}", strings.ToUpper(rail), "{what}", what).Replace(d.OutputLabel)
}
