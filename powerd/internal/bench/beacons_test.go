package bench

import (
	"testing"
	"time"

	"powerd/powerd/internal/config"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// Bursts of reads go to a target that the plan has to do with, on a link that streams, as
// often as the settings say; without any of it nothing is read.
func TestWhoGetsBeacons(t *testing.T) {
	load, cycle, idle := suite.Plan{{Kind: suite.Load}}, suite.Plan{{Kind: suite.PowerCycle}}, suite.Plan{{Kind: suite.Idle}, {Kind: suite.Record}}
	for name, c := range map[string]struct {
		target, link string
		every        time.Duration
		plan         suite.Plan
		want         bool
	}{
		"a load":          {"/dev/x", quarch.LinkFramed, time.Minute, load, true},
		"a power cycle":   {"/dev/x", quarch.LinkFramed, time.Minute, cycle, true},
		"idle and record": {"/dev/x", quarch.LinkFramed, time.Minute, idle, false},
		"no target":       {"", quarch.LinkFramed, time.Minute, cycle, false},
		"a polled link":   {"/dev/x", quarch.LinkTerminal, time.Minute, load, false},
		"off":             {"/dev/x", quarch.LinkFramed, 0, load, false},
	} {
		b := &bench{cfg: config.Bench{Target: c.target}, info: quarch.Info{Link: c.link}}
		got := b.beacons(&config.Config{Alignment: config.Alignment{Beacons: config.Every(c.every)}}, c.plan)
		if (got.Read != nil) != c.want || c.want && got.Every != c.every {
			t.Errorf("%s: every %v, read %v, want %v", name, got.Every, got.Read != nil, c.want)
		}
	}
}
