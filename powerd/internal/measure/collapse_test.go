package measure

import (
	"strings"
	"testing"
	"time"

	"powerd/engine"
)

// second is one second of a load: what the engine did in it and what the drive drew.
type second struct {
	iops  uint64
	watts float64
}

func seconds(n int, iops uint64, watts float64) []second {
	out := make([]second, n)
	for i := range out {
		out[i] = second{iops, watts}
	}
	return out
}

// told plays seconds of 4 KiB IO and returns the warnings with the second that each
// came after.
func told(c *collapse, all ...[]second) (texts []string, at []int) {
	t := 0
	for _, part := range all {
		for _, s := range part {
			t++
			endNs := int64(t) * 1e9
			p := engine.Progress{AtNs: endNs, Interval: engine.Interval{StartNs: endNs - 1e9, EndNs: endNs, Writes: s.iops, WriteBytes: 4096 * s.iops}}
			if text := c.add(p, &s.watts); text != "" {
				texts, at = append(texts, text), append(at, t)
			}
		}
	}
	return texts, at
}

// A load of an hour that falls from 41,000 to 9,000 IOPS after 5 minutes is told of
// once, 60 s after the fall, with what the rate and the power were before and after.
func TestCollapseIsToldAfterAMinute(t *testing.T) {
	texts, at := told(newCollapse(time.Hour), seconds(300, 41_000, 6.4), seconds(600, 9_000, 3.1))
	if len(texts) != 1 || at[0] != 360 {
		t.Fatalf("%d warnings at %v, want one at 360 s", len(texts), at)
	}
	for _, part := range []string{"IOPS fell from 41,000 to 9,000", "power from 6.40 W to 3.10 W", "60 s"} {
		if !strings.Contains(texts[0], part) {
			t.Errorf("%q lacks %q", texts[0], part)
		}
	}
}

// A fall that ends within the minute, one to just half, a slow one over half an hour
// (0.2 % a second), and one in a load too short to act upon are none.
func TestWhatIsNoCollapse(t *testing.T) {
	slow := make([]second, 1800)
	rate := 41_000.0
	for i := range slow {
		slow[i] = second{uint64(rate), 6}
		rate *= 0.998
	}
	for name, c := range map[string]struct {
		job   time.Duration
		parts [][]second
	}{
		"59 s":       {time.Hour, [][]second{seconds(300, 41_000, 6), seconds(59, 9_000, 3), seconds(300, 41_000, 6)}},
		"half":       {time.Hour, [][]second{seconds(300, 41_000, 6), seconds(300, 20_500, 6)}},
		"slow":       {time.Hour, [][]second{slow}},
		"short load": {299 * time.Second, [][]second{seconds(150, 41_000, 6), seconds(149, 9_000, 3)}},
		"a rise":     {time.Hour, [][]second{seconds(300, 9_000, 3), seconds(300, 41_000, 6)}},
	} {
		if texts, at := told(newCollapse(c.job), c.parts...); len(texts) != 0 {
			t.Errorf("%s: told at %v: %v", name, at, texts)
		}
	}
}

// Power that stayed, or rose, is not said to have fallen.
func TestCollapseAtEqualPower(t *testing.T) {
	texts, _ := told(newCollapse(time.Hour), seconds(120, 41_000, 6), seconds(120, 9_000, 6))
	if len(texts) != 1 || strings.Contains(texts[0], "power") {
		t.Errorf("%q, want no word of power", texts)
	}
}

// A drive that stops altogether has fallen, too; one that came back and falls again
// is told of again.
func TestCollapseAgain(t *testing.T) {
	_, at := told(newCollapse(time.Hour),
		seconds(120, 41_000, 6), seconds(100, 0, 1), seconds(120, 41_000, 6), seconds(100, 0, 1))
	if len(at) != 2 || at[0] != 180 || at[1] != 400 {
		t.Errorf("told at %v, want 180 (60 s after 120) and 400 (60 s after 340)", at)
	}
}

// Seconds that nobody knows of are not taken for slow ones: a minute of which only
// 40 s are known says nothing.
func TestCollapseNeedsKnownSeconds(t *testing.T) {
	c := newCollapse(time.Hour)
	if _, at := told(c, seconds(120, 41_000, 6)); len(at) != 0 {
		t.Fatal(at)
	}
	for t1 := 141; t1 <= 180; t1++ {
		endNs := int64(t1) * 1e9
		if text := c.add(engine.Progress{AtNs: endNs, Interval: engine.Interval{StartNs: endNs - 1e9, EndNs: endNs, Writes: 10}}, nil); text != "" {
			t.Errorf("told after %d s: %s", t1, text)
		}
	}
}
