package pairing

import (
	"math/rand/v2"
	"time"
)

// BurstCount is how many bursts a proof has.
const BurstCount = 3

// Pattern is when a proof reads and when it does not.
type Pattern struct {
	Lead   time.Duration             // without reads, before the first burst
	Bursts [BurstCount]time.Duration // with reads
	Pauses [BurstCount]time.Duration // without, after each burst; the last is the tail
}

const (
	shortest = 500 * time.Millisecond
	longest  = 1500 * time.Millisecond
	unequal  = 150 * time.Millisecond // two bursts or pauses differ by so much at least
	mostOf   = 8 * time.Second        // of a whole pattern
)

// Draw draws a pattern. The same seed gives the same one.
func Draw(seed uint64) Pattern {
	r := rand.New(rand.NewPCG(seed, 0))
	length := func() time.Duration { return shortest + time.Duration(r.Int64N(int64(longest-shortest))) }
	for {
		p := Pattern{Lead: length()}
		for i := range BurstCount {
			p.Bursts[i], p.Pauses[i] = length(), length()
		}
		if p.Duration() <= mostOf && differ(p.Bursts[:]) && differ(p.Pauses[:BurstCount-1]) {
			return p
		}
	}
}

// Duration returns the length of the whole pattern.
func (p Pattern) Duration() time.Duration {
	all := p.Lead
	for i := range BurstCount {
		all += p.Bursts[i] + p.Pauses[i]
	}
	return all
}

func differ(lengths []time.Duration) bool {
	for i, a := range lengths {
		for _, b := range lengths[:i] {
			if (a - b).Abs() < unequal {
				return false
			}
		}
	}
	return true
}
