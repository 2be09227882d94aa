package align_test

import (
	"math"
	"testing"

	"powerd/analysis/align"
	"powerd/quarch"
)

// Blocks of 10 ms come for 20 s. What goes missing on the way without a word makes
// all later ones late; a host that is late and catches up, or a clock that is 250 ppm
// slow, does not.
func TestMissing(t *testing.T) {
	const periodNs, perBlock, blocks = 1_000_000, 10, 2000
	for name, c := range map[string]struct {
		delayNs func(block int) float64
		want    float64 // s
	}{
		"all came":                          {func(int) float64 { return 50e3 }, 0},
		"a slow clock":                      {func(k int) float64 { return 250e-6 * float64(k) * 10e6 }, 0},
		"the host slept for 3 s, caught up": {func(k int) float64 { return max(0, 3e9-math.Abs(float64(k-800))*10e6) }, 0},
		"2.7 s stolen at once":              {func(k int) float64 { return step(k >= 900, 2.7e9) }, 2.7},
		"0.9 s stolen twice": {func(k int) float64 {
			return step(k >= 300, 0.9e9) + step(k >= 1200, 0.9e9)
		}, 1.8},
	} {
		var all []quarch.Arrival
		for k := range blocks {
			all = append(all, quarch.Arrival{
				First: uint64(k * perBlock), N: perBlock,
				ReadAtNs: int64(float64((k+1)*perBlock*periodNs) + c.delayNs(k)),
			})
		}
		// Each step is told to the 2 ms that a clock could explain of a second.
		if got := align.Missing(periodNs, all); math.Abs(got-c.want) > 5e-3 {
			t.Errorf("%s: %.3f s missing, want %.3f", name, got, c.want)
		}
	}
	if got := align.Missing(periodNs, nil); got != 0 {
		t.Errorf("%.3f s of nothing are missing", got)
	}
}

func step(on bool, ns float64) float64 {
	if on {
		return ns
	}
	return 0
}
