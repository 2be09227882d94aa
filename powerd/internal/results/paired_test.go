package results

import (
	"strings"
	"testing"

	"powerd/analysis/pairing"
)

// Figures say so where nothing shows that they are the drive's: two emulated benches can
// be crossed as well as two real ones. A twin, which has its own module, and a pairing that
// was shown or typed give no cause for doubt.
func TestPairingThatNothingShows(t *testing.T) {
	for _, tc := range []struct {
		name string
		d    Document
		want string // in the warning; empty = none
	}{
		{"a module by itself", Document{}, "a run that loads it shows it"},
		{"a bench", Document{Bench: Bench{Name: "left"}}, "`powerd pair left` shows it"},
		{"an emulated bench", Document{Bench: Bench{Name: "left"}, Suite: Suite{Simulated: true}}, "`powerd pair left` shows it"},
		{"a twin", Document{Drive: Drive{Interface: TwinInterface}, Suite: Suite{Simulated: true}}, ""},
		{"shown", Document{Bench: Bench{Name: "left", Pairing: &pairing.Evidence{Confirmed: true}}}, ""},
	} {
		tc.d.pairingKnown()
		switch {
		case tc.want == "" && len(tc.d.Warnings) > 0:
			t.Errorf("%s: %v", tc.name, tc.d.Warnings)
		case tc.want != "" && (len(tc.d.Warnings) != 1 || !strings.Contains(tc.d.Warnings[0].Text, tc.want)):
			t.Errorf("%s: %v, want %q", tc.name, tc.d.Warnings, tc.want)
		}
	}
}
