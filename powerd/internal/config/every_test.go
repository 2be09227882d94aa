package config

import (
	"strings"
	"testing"
	"time"
)

// Beacons are as far apart as a time says, or never; anything else is a fault that says
// what may stand there.
func TestBeaconsSetting(t *testing.T) {
	for text, want := range map[string]time.Duration{"off": 0, "30s": 30 * time.Second, "1h": time.Hour} {
		c, err := Read(Sources{Env: []string{"POWERD_ALIGNMENT_BEACONS=" + text}})
		if err != nil || time.Duration(c.Alignment.Beacons) != want {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
	for _, text := range []string{"60", "0s", "2h", "never"} {
		_, err := Read(Sources{Env: []string{"POWERD_ALIGNMENT_BEACONS=" + text}})
		if err == nil || !strings.Contains(err.Error(), "alignment.beacons") || !strings.Contains(err.Error(), "1s to 1h, or off") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
