package pairing

import (
	"math/rand/v2"
	"testing"
)

// Reads that show beside what the drive does on its own are told from a power that is
// another's. Work as large as the reads for 0.2 s before a burst, in 1 s without them or
// more, leaves a burst of a second a correlation of √(0.8·0.83) = 0.8 or more; two proofs
// of the same moment have about none with each other.
func TestUnclear(t *testing.T) {
	both := 0
	for seed := range uint64(tries(100)) {
		_, e := judged(t, seed, streamed(), func(p proof, _ *rand.Rand) watts {
			from := p.reads[0].StartNs - 250e6
			return plus(idle(1), during(2.2, p.spans(0)), during(2.2, []span{{from, from + 200e6}}))
		})
		if e.Confirmed || !e.Unclear {
			t.Fatalf("proof %d with work in its lead: %s", seed, describe(e))
		}
		if _, e = judged(t, seed, streamed(), func(proof, *rand.Rand) watts { return idle(1) }); e.Unclear {
			t.Fatalf("proof %d of an idle drive is unclear: %s", seed, describe(e))
		}
		if _, e = judged(t, seed, streamed(), func(p proof, _ *rand.Rand) watts { return plus(idle(1), during(2.2, p.spans(0))) }); e.Unclear {
			t.Fatalf("proof %d is unclear: %s", seed, describe(e))
		}
		if _, e = judged(t, seed, streamed(), func(p proof, r *rand.Rand) watts {
			return plus(idle(1), during(2.2, draw(r.Uint64(), p.startNs).spans(0)))
		}); e.Unclear {
			both++
		}
	}
	if both > tries(100)/1000 {
		t.Errorf("%d of %d proofs are unclear under another one of the same moment", both, tries(100))
	}
}
