package measure

import (
	"fmt"
	"math"

	"powerd/analysis/steady"
	"powerd/engine"
	"powerd/powerd/internal/suite"
)

// rounds keeps how far the rounds of the suite's steps are, and what they did.
type rounds map[string]*roundsOf

type roundsOf struct {
	begun   int             // round
	written uint64          // bytes
	figures map[int]float64 // what the rule's variables were in the round under way, where they left some
	tracker *steady.Tracker // nil = no rule was asked yet
	judged  int             // round that the tracker was told last
	told    bool            // that no further round begins
	since   int             // round that the run went on after, when it was broken off; 0 = it was not
}

func (r rounds) of(st suite.Step) *roundsOf {
	if r[st.Group] == nil {
		r[st.Group] = &roundsOf{figures: map[int]float64{}}
	}
	return r[st.Group]
}

// did takes what a job left, and how it ended.
func (r rounds) did(st suite.Step, res *engine.Result, err error) {
	of := r.of(st)
	if res != nil {
		of.written += res.Write.Bytes
	}
	if st.Steady == nil {
		return
	}
	for i, cell := range st.Steady.Cells {
		latency := st.Steady.LatencyOf(i)
		switch {
		case cell != st.Cell:
		case latency != "":
			of.figures[i] = steady.LatencyUs(latency, res, err)
		default:
			of.figures[i] = steady.IOPS(res, err)
		}
	}
}

// enough reports whether a step is of a round that need not begin: those before it have
// written as much as the suite wants, or are steady. A round that has begun is done to its
// end, so that all of them have the same cells. The text is for whoever reads the results,
// once.
func (r rounds) enough(st suite.Step, capacityBytes int64) (over bool, text string) {
	of := r.of(st)
	switch {
	case st.Round <= of.begun:
		return false, ""
	case of.told:
		return true, ""
	}
	if text = of.reached(st); text == "" {
		text = of.wrote(st, capacityBytes)
	}
	if text == "" {
		of.begun = st.Round
		return false, ""
	}
	of.told = true
	return true, fmt.Sprintf("%s ended after round %d of %d: %s", st.Group, of.begun, st.Rounds, text)
}

// brokenOff says that the rounds were broken off after the one that was done last, and go
// on with the next.
func (of *roundsOf) brokenOff(st suite.Step) {
	of.since = of.begun
	if st.Steady != nil && of.begun > 0 {
		of.judge(st)
		of.tracker.Break()
	}
}

// wrote says that enough was written; empty if not.
func (of *roundsOf) wrote(st suite.Step, capacityBytes int64) string {
	want := st.Goal(capacityBytes)
	if want <= 0 || of.written < uint64(want) {
		return ""
	}
	if of.since > 0 && of.begun-of.since < st.LastRounds { // those that are compared are of one go
		return ""
	}
	what := "the drive's capacity"
	if share := st.Job.Share; !share.Whole() {
		what = fmt.Sprintf("%s of %s", share, what)
	}
	return fmt.Sprintf("%.4g GB were written, %g × %s and more", float64(of.written)*1e-9, st.UntilWritten, what)
}

// reached takes the round that has ended, and says that the drive is steady; empty if not.
func (of *roundsOf) reached(st suite.Step) string {
	if st.Steady == nil || of.begun == 0 {
		return ""
	}
	of.judge(st)
	first, last, ok := of.tracker.Steady()
	if !ok {
		return ""
	}
	return fmt.Sprintf("steady by %s over rounds %d to %d", st.Steady.Profile, first, last)
}

// judge tells the tracker of the round that has ended.
func (of *roundsOf) judge(st suite.Step) {
	if of.tracker == nil {
		rule, _ := steady.RuleOf(st.Steady.Profile) // the suite was checked
		of.tracker = steady.NewTracker(rule)
	}
	if of.judged == of.begun {
		return
	}
	of.judged = of.begun
	figures := make([]float64, len(st.Steady.Cells))
	for i := range figures {
		var left bool
		if figures[i], left = of.figures[i]; !left {
			figures[i] = math.NaN()
		}
	}
	clear(of.figures)
	of.tracker.Add(figures...)
}

// StepSkipped is the state of a step that did not need to be done.
const StepSkipped = "skipped"

// skip passes over step i.
func (b *board) skip(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended[i] = endedStep{outcome: StepSkipped}
}
