package suite

import (
	"strings"
	"testing"
	"time"

	"powerd/analysis/idle"
)

// An idle step lasts 5 min unless it says otherwise, and waits only where it is asked
// to; what a rule leaves out is the default's. The wait counts with its least length.
func TestIdleStepsAndTheirWait(t *testing.T) {
	standard := idle.DefaultRule()
	short := idle.Rule{Mean: 10 * time.Second, WithinPct: 2.5, For: 3 * time.Minute, AtMost: 15 * time.Minute}
	for text, want := range map[string]*idle.Rule{
		"":                                       nil,
		", settle: false":                        nil,
		", settle: true":                         &standard,
		", settle: {}":                           &standard,
		", settle: {mean: 10s, within_pct: 2.5}": &short,
	} {
		p := parse(t, "name: x\nsteps:\n  - {name: a, kind: idle"+text+"}\n").Plan(Defaults{})
		got := p[0].Settle
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%q: rule %v, want %v", text, got, want)
		}
		least := 5*time.Minute + stepOverhead
		if want != nil {
			least += 3 * time.Minute
		}
		if p[0].Duration != 5*time.Minute || p[0].Total() != least {
			t.Errorf("%q: %v of %v in all, want 5m of %v", text, p[0].Duration, p[0].Total(), least)
		}
	}
}

// A rule that no drive could meet, or that cannot be read, is refused where it stands.
func TestRulesThatSayNothing(t *testing.T) {
	for text, want := range map[string]string{
		"settle: maybe":                   `s.yaml:3: settle: "maybe": it is true, false, or`,
		"settle: [1m]":                    "s.yaml:3: settle: it is true, false, or",
		"settle: {men: 1m}":               "s.yaml:3: settle: unknown key men",
		"settle: {mean: 60}":              `s.yaml:3: "60" is no duration`,
		"settle: {mean: 1m, mean: 2m}":    "settle: mean stands there twice",
		"settle: {within_pct: much}":      `settle.within_pct: "much" is no number`,
		"settle: {within_pct: 0}":         "settle.within_pct: 0: it is above 0, up to 50",
		"settle: {mean: 500ms}":           "settle.mean: 500ms: it is a whole number of seconds",
		"settle: {for: 30s}":              "settle.for: 30s: it is a whole number of seconds, 1m0s to 24h0m0s",
		"settle: {at_most: 2m}":           "settle.at_most: 2m0s: it is a whole number of seconds, 3m0s to",
		"settle: true, kind: power_cycle": "settle: it belongs to idle, not to power_cycle",
	} {
		kind := ", kind: idle"
		if strings.Contains(text, "kind:") {
			kind = ""
		}
		_, err := Parse("s.yaml", []byte("name: x\nsteps:\n  - {name: a, duration: 1m, "+text+kind+"}\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
