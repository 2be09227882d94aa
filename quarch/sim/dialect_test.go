package sim

import (
	"strings"
	"testing"
)

func TestDialectKeysAreChecked(t *testing.T) {
	for _, c := range []struct{ key, value, names string }{
		{"accent", "broad", "off-word"},
		{"code-value", "0x100", "0x01 to 0xFF"},
		{"code-value", "0", "0x01 to 0xFF"},
		{"fail-text", "maybe", "on or off"},
		{"amp-decimals", "4", "0 to 3"},
		{"amp-decimals", "-1", "0 to 3"},
		{"averaging-tail", "OK", "colon"},
		{"off-word", "OFF>", "a word"},
		{"output-label", "", "{rail}"},
		{"reset", "-1s", "0s to 10m"},
		{"settle", "4", "0s to 10m"},
		{"clients", "0", "1 to 1000"},
		{"pattern", "relative", "offset or absolute"},
	} {
		d := Dialect{OffWord: "PULLED"}
		err := d.Set(c.key, c.value)
		if err == nil || !strings.Contains(err.Error(), c.key) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s=%s: error %v, want one that tells %q", c.key, c.value, err, c.names)
		}
		if d != (Dialect{OffWord: "PULLED"}) {
			t.Errorf("%s=%s was refused and left %+v", c.key, c.value, d)
		}
	}
}

// What the keys say is their default is what a dialect of which nothing was said does.
func TestDialectDefaultsAreAsListed(t *testing.T) {
	for _, k := range DialectKeys() {
		var d Dialect
		if strings.HasPrefix(k.Default, "none") { // an empty text
			continue
		}
		if err := d.Set(k.Name, k.Default); err != nil || d.withDefaults() != (Dialect{}).withDefaults() {
			t.Errorf("%s=%s is not the default: %+v, %v", k.Name, k.Default, d, err)
		}
	}
}

// 0.5 µA is lost at three decimals; what is cut off is rounded to the nearest, and a
// negative reading keeps its sign.
func TestCurrentsInWords(t *testing.T) {
	for _, c := range []struct {
		decimals  int
		microAmps int32
		want      string
	}{
		{3, 500_123, "500.123 mA"},
		{3, -483, "-0.483 mA"},
		{3, 0, "0.000 mA"},
		{1, 500_163, "500.2 mA"},
		{-1, 1_499, "1 mA"},
	} {
		if got := (Dialect{AmpDecimals: c.decimals}).current(c.microAmps); got != c.want {
			t.Errorf("%d µA with %d decimals is %q, want %q", c.microAmps, c.decimals, got, c.want)
		}
	}
}

// A number is decimal, also with zeros before it, or hexadecimal after 0x; nothing else.
func TestNumbersOfCommands(t *testing.T) {
	for text, want := range map[string]int{"7": 7, "010": 10, "0x10": 16, "0x00ff": 255} {
		if n, ok := parseWithin(text, 0, 255); !ok || n != want {
			t.Errorf("%s is %d, %v, want %d", text, n, ok, want)
		}
	}
	for _, text := range []string{"", "0x", "256", "-1", "0b1", "1_0", "ff", "0x0x1"} {
		if n, ok := parseWithin(text, 0, 255); ok {
			t.Errorf("%q is %d", text, n)
		}
	}
}
