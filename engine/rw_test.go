package engine_test

import (
	"testing"

	"powerd/engine"
)

// Every kind reads, writes or does both, and a mix of one direction alone is that
// direction's kind.
func TestKindsOfIO(t *testing.T) {
	for _, c := range []struct {
		rw           string
		mixed, reads bool
		share        int // at 70 % reads of a mix
		none, all    string
	}{
		{"read", false, true, 100, "read", "read"},
		{"randread", false, true, 100, "randread", "randread"},
		{"write", false, false, 0, "write", "write"},
		{"randwrite", false, false, 0, "randwrite", "randwrite"},
		{"rw", true, false, 70, "write", "read"},
		{"randrw", true, false, 70, "randwrite", "randread"},
	} {
		if engine.Mixed(c.rw) != c.mixed || engine.OnlyReads(c.rw) != c.reads || engine.ReadShare(c.rw, 70) != c.share {
			t.Errorf("%s: mixed %v, only reads %v, %d %% reads", c.rw, engine.Mixed(c.rw), engine.OnlyReads(c.rw), engine.ReadShare(c.rw, 70))
		}
		if none, all := engine.Unmixed(c.rw, 0), engine.Unmixed(c.rw, 100); none != c.none || all != c.all || engine.Unmixed(c.rw, 70) != c.rw {
			t.Errorf("%s without reads is %s, of reads alone %s", c.rw, none, all)
		}
		if (engine.Job{RW: c.rw}).Writes() == c.reads {
			t.Errorf("a job of %s writes, it is said: %v", c.rw, !c.reads)
		}
	}
	if n := len(engine.RWKinds()); n != 6 {
		t.Errorf("%d kinds", n)
	}
}
