package model

import (
	"errors"
	"strings"
	"testing"
)

// closedLoop keeps depth IOs in a drive for a second of virtual time and returns
// the completions per second.
func closedLoop(t *testing.T, d *Drive, depth, bytes int, write bool) float64 {
	t.Helper()
	const from = 10 * second
	done := make([]int64, depth) // of each IO in flight
	for i := range done {
		done[i] = from
	}
	n := 0
	for {
		next := 0
		for i := range done {
			if done[i] < done[next] {
				next = i
			}
		}
		now := done[next]
		if now >= from+second {
			return float64(n)
		}
		ticket, err := d.Admit(now, Request{Write: write, OffsetBytes: int64(n%7919) * int64(bytes), Bytes: bytes})
		if err != nil {
			t.Fatal(err)
		}
		if ticket.DueNs <= now {
			t.Fatalf("done at %d, before it came at %d", ticket.DueNs, now)
		}
		done[next] = ticket.DueNs
		n++
	}
}

func TestRates(t *testing.T) {
	// The published limits are 110 000 fresh writes and 92 000 reads of 4 KiB; a
	// scale divides them. A read alone takes 290 µs: 3448 a second at depth 1.
	// 128 KiB writes are bound by 110 000 · 4096 B/s. The 5 ms of burst make the
	// first second up to 0.5 % better.
	cases := []struct {
		name         string
		scale, depth int
		bytes        int
		write        bool
		want         float64
	}{
		{"writes", 1, 32, 4096, true, 110_000},
		{"writes at scale 4", 4, 32, 4096, true, 27_500},
		{"reads", 1, 32, 4096, false, 92_000},
		{"a read at a time", 1, 1, 4096, false, 1e9 / 290e3},
		{"a read at a time, scale 4", 4, 1, 4096, false, 1e9 / 290e3 / 4},
		{"8 reads at a time", 1, 8, 4096, false, 8e9 / 290e3},
		{"large writes", 1, 8, 128 << 10, true, 110_000.0 / 32},
		{"large reads", 1, 8, 1 << 20, false, 640e6 / (1 << 20)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			near(t, "IOPS", closedLoop(t, quiet(t, 0, c.scale, nil), c.depth, c.bytes, c.write), c.want, 0.02*c.want)
		})
	}
}

func TestQueueDepth(t *testing.T) {
	// A drive that takes 4 IOs of 1 ms at once serves 4000 a second, however many
	// wait in front of it.
	d := quiet(t, 0, 1, func(c *Config) {
		c.QueueDepth, c.Read.ServiceNs, c.Read.ServiceSpread = 4, msNs, 0
	})
	near(t, "IOPS", closedLoop(t, d, 64, 4096, false), 4000, 80)
}

func TestNotReady(t *testing.T) {
	d := quiet(t, 10*second, 1, nil)
	d.SetPower(20*second, false)
	for _, c := range []struct {
		why   string
		at    int64
		ready bool
	}{
		{"no power yet", 9 * second, false},
		{"starting", 13 * second, false},
		{"3.278 s after power-on and a little", 13*second + 279*msNs, true},
		{"just before off", 20*second - msNs, true},
		{"off", 20*second + msNs, false},
	} {
		_, err := d.Admit(c.at, Request{Write: true, Bytes: 4096})
		if (err == nil) != c.ready || (err != nil && !errors.Is(err, ErrNotReady)) {
			t.Errorf("%s: got %v", c.why, err)
		}
	}
}

func TestBadConfig(t *testing.T) {
	// All faults at once, each with its field.
	c := Seagate1200(1)
	c.Scale, c.QueueDepth, c.PulseNs = 0, 0, 1
	c.Rail12V.Plateaus[1].FromNs = 1
	c.Write.TopIOPS = 0
	c.IdleNoise.Phi = 0.999 // 0.36 of which is left after the chunk of 1024 that is walked
	_, err := New(c)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, field := range []string{"Scale", "QueueDepth", "PulseNs", "Rail12V.Plateaus[1]", "Write", "IdleNoise.Phi"} {
		if !strings.Contains(err.Error(), field+": must be ") {
			t.Errorf("%s is not named in: %v", field, err)
		}
	}
	if strings.Contains(err.Error(), "Rail5V") {
		t.Errorf("a sound field is named in: %v", err)
	}
}
