package quarch_test

import (
	"testing"

	"powerd/quarch"
)

// A module that was on for 100 s says 160 s a minute later. Up to 3 s less may be its
// counting in whole seconds; 20 s means that it came on again meanwhile.
func TestRestarted(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after *float64
		want          bool
	}{
		{"went on", new(100.0), new(160.0), false},
		{"counts in whole seconds", new(100.0), new(157.0), false},
		{"came on again", new(100.0), new(20.0), true},
		{"came on again, and has been on for longer than before", new(1.0), new(55.0), true},
		{"does not say", nil, new(20.0), false},
		{"says no more", new(100.0), nil, false},
	} {
		if got := quarch.Restarted(c.before, c.after, 60e9); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
