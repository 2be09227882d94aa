package measure

import (
	"fmt"

	"powerd/engine"
	"powerd/powerd/internal/suite"
)

// rounds keeps how far the rounds of the suite's steps are, and what they have written.
type rounds map[string]*roundsOf

type roundsOf struct {
	begun   int    // round
	written uint64 // bytes
	told    bool   // that no further round begins
}

func (r rounds) of(st suite.Step) *roundsOf {
	if r[st.Group] == nil {
		r[st.Group] = &roundsOf{}
	}
	return r[st.Group]
}

// wrote adds what a job wrote; nil if it left nothing.
func (r rounds) wrote(st suite.Step, res *engine.Result) {
	if res != nil {
		r.of(st).written += res.Write.Bytes
	}
}

// enough reports whether a step is of a round that need not begin: those before it have
// written as much as the suite wants. A round that has begun is done to its end, so that
// all of them have the same cells. The text is for whoever reads the results, once.
func (r rounds) enough(st suite.Step, capacityBytes int64) (over bool, text string) {
	of := r.of(st)
	want := st.UntilWritten * float64(capacityBytes)
	if st.Round <= of.begun || want <= 0 || float64(of.written) < want {
		of.begun = max(of.begun, st.Round)
		return false, ""
	}
	if of.told {
		return true, ""
	}
	of.told = true
	return true, fmt.Sprintf("%s ended after round %d of %d: %.4g GB were written, %g × the drive's capacity and more",
		st.Group, of.begun, st.Rounds, float64(of.written)*1e-9, st.UntilWritten)
}

// StepSkipped is the state of a step that did not need to be done.
const StepSkipped = "skipped"

// skip passes over step i.
func (b *board) skip(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended[i] = endedStep{outcome: StepSkipped}
}
