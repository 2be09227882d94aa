package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// diary is a load that notes what it is told.
type diary struct {
	Load
	told []string
}

func (d *diary) SetPower(atNs int64, on bool) {
	d.told = append(d.told, fmt.Sprintf("%d power %v", atNs, on))
}

func (d *diary) SetRail(atNs int64, rail string, milliVolts int) {
	d.told = append(d.told, fmt.Sprintf("%d %s %d", atNs, rail, milliVolts))
}

// patternBench is a module whose clock is turned by hand.
func patternBench(o Options) (c *client, told *[]string, nowNs *int64) {
	d, now := &diary{Load: NewConstantLoad(nil, nil)}, new(int64)
	o.Now = func() int64 { return *now }
	return &client{m: New(o, d)}, &d.told, now
}

func order(t *testing.T, c *client, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if a := c.execute(line); a.text != "OK" {
			t.Fatalf("%s was answered %q, want OK", line, a.text)
		}
	}
}

// The load is told of each change at its own time, though later; both rails go together;
// the line from 0 to 6 mV over 24 us makes six steps of 1 mV, one every 4 us. A pass is as
// long as the longest rail's, 40 us here; after two passes the rails are as they are set.
func TestPatternReachesTheLoad(t *testing.T) {
	c, told, now := patternBench(Options{})
	order(t, c, "sig:12v:pat:add 24uS 6 i", "sig:12v:pat:add 40us 0", "sig:5v:pat:add 10us -50")
	*now = 1_000_000
	order(t, c, "run:pattern 2")
	*now = 2_000_000
	order(t, c, "run:power up")
	want := []string{}
	for _, pass := range []int{1_000_000, 1_040_000} {
		for _, x := range []struct {
			afterUs int
			rail    string
			mv      int
		}{
			{4, "12v", 12_001},
			{8, "12v", 12_002},
			{10, "5v", 4_950},
			{12, "12v", 12_003},
			{16, "12v", 12_004},
			{20, "12v", 12_005},
			{24, "12v", 12_006},
			{40, "12v", 12_000},
		} {
			want = append(want, fmt.Sprintf("%d %s %d", pass+1000*x.afterUs, x.rail, x.mv))
		}
	}
	want = append(want, "1080000 5v 5000", "1080000 12v 12000", "2000000 power true")
	if !slices.Equal(*told, want) {
		t.Errorf("the load was told\n  %s\nwant\n  %s", strings.Join(*told, "\n  "), strings.Join(want, "\n  "))
	}
}

// A pattern that waits for the trigger input begins with its edge, once.
func TestPatternWaitsForTheTrigger(t *testing.T) {
	c, told, now := patternBench(Options{})
	order(t, c, "sig:5v:pat:add 10us 100", "sig:5v:pat:add 20us 100", "pat:trig:ext on", "run:pattern")
	*now = 1_000_000
	c.m.Trigger()
	*now = 1_500_000
	c.m.Trigger() // nothing waits any more
	*now = 2_000_000
	order(t, c, "run:power up")
	want := []string{"1010000 5v 5100", "1020000 5v 5100", "1020000 5v 5000", "2000000 power true"}
	if !slices.Equal(*told, want) {
		t.Errorf("the load was told %q, want %q", *told, want)
	}
}

// Defaults end a pattern where it is.
func TestDefaultsEndAPattern(t *testing.T) {
	c, told, now := patternBench(Options{})
	order(t, c, "sig:5v:pat:add 0us 100", "sig:5v:pat:add 1000us 100", "run:pattern 3")
	*now = 500_000
	order(t, c, "conf:def:state")
	*now = 5_000_000
	order(t, c, "run:power up")
	want := []string{"0 5v 5100", "500000 5v 5000", "5000000 power true"}
	if !slices.Equal(*told, want) {
		t.Errorf("the load was told %q, want %q", *told, want)
	}
}

// 1023 points are a pattern's most. A pattern of 1023 steps may run nine times, which are
// 9207 changes, and not ten times: the load remembers each change.
func TestPatternsAreBounded(t *testing.T) {
	c, _, _ := patternBench(Options{})
	for i := range 1023 {
		order(t, c, fmt.Sprintf("sig:5v:pat:add %dus %d", i+1, i%2))
	}
	if a := c.execute("sig:5v:pat:add 2000us 0"); a.text != "FAIL: 0x02 -A pattern has at most 1023 points" {
		t.Errorf("point 1024 was answered %q", a.text)
	}
	if a := c.execute("run:pattern 10"); !strings.HasPrefix(a.text, "FAIL: 0x02 -The emulated supply changes at most 10000 times") {
		t.Errorf("10230 changes were answered %q", a.text)
	}
	order(t, c, "run:pattern 9")
}
