package pairing

import (
	"fmt"
	"iter"
	"math"

	"powerd/analysis"
	"powerd/quarch"
)

const (
	lagNs = 50e6 // what a drive may take to follow its reads, at most

	sigmas      = 5 // ΔP must be above so many σ
	mostU95Ns   = 150e6
	coverage    = 0.5 // share of each part that needs samples
	leastMargin = 0.2 // of correlation, to the next best place

	// seemly is the correlation of each burst, in its place, from which on reads seem to
	// show. Two proofs that begin within 50 ms have it in one of 10³ tries.
	seemly = 0.75

	// edgeNs is what the two edges of a burst may be apart from the best fit: half of
	// the lag, if only one of them has it.
	edgeNs = lagNs / 2
)

// Question names what is to be shown, and what was read for it.
type Question struct {
	Target        string // what was read
	Module, Drive string // serial numbers
	Reads         []Reads
}

// Judge says whether the reads show in the power of blocks, which m places in time.
// The error is that of blocks that could not be read.
func Judge(q Question, m analysis.TimeMap, blocks iter.Seq2[*quarch.Block, error]) (Evidence, error) {
	e := Evidence{Method: MethodBursts, Module: q.Module, Drive: q.Drive}
	for _, r := range q.Reads {
		e.Bursts = append(e.Bursts, Burst{StartMonoNs: r.StartNs, EndMonoNs: r.EndNs, Reads: r.Count})
	}
	t, err := collect(m, blocks)
	if err != nil {
		return e, err
	}
	if e.Why = q.unfit(t); e.Why != "" {
		e.Unanswered = true
		return e, nil
	}
	q.judge(t, &e)
	e.Confirmed = e.Why == ""
	return e, nil
}

// judge fills in what the power says of the bursts, and why it does not confirm them.
func (q Question) judge(t *trace, e *Evidence) {
	bursts := e.Bursts
	plain := label(t, q.Reads)
	u := bins(t.u95Ns)
	parts := 2*len(bursts) + 1
	apart := plain.eroded(u+bins(lagNs), u)
	levels := t.levels(apart, parts)
	if e.Why = q.uncovered(levels); e.Why != "" {
		e.Unanswered = true
		return
	}
	n := newNoise(t, apart, parts)
	weakest := math.Inf(1) // ΔP over what is needed
	seems := true
	for b := range bursts {
		delta, sigma := n.delta(levels, b)
		if math.IsNaN(sigma) {
			e.Why, e.Unanswered = "there are too few samples without reads to tell their noise", true
			return
		}
		need := math.Max(sigmas*sigma, t.stepW)
		bursts[b].DeltaW, bursts[b].SigmaW = &delta, &sigma
		f := t.findBurst(plain, b)
		seems = seems && f.best > seemly && f.inPlace(u)
		if delta > need {
			offset := float64(f.bins) * binNs * 1e-6
			bursts[b].OffsetMs = &offset
		}
		if margin := (delta - need) / need; !(margin >= weakest) {
			weakest = margin
			e.Why = fmt.Sprintf("%s: %s in burst %d", q.shows(), tooLittle(delta, sigma, need), b+1)
		}
	}
	if weakest > 0 {
		e.Why = q.misplaced(t, plain, levels)
	}
	e.Unclear = seems && e.Why != ""
}

// tooLittle says what was found and what it takes, in W.
func tooLittle(delta, sigma, need float64) string {
	unit, scale := "mW", 1e3
	if math.Max(math.Abs(delta), need) >= 1 {
		unit, scale = "W", 1
	}
	return fmt.Sprintf("%+.3g ± %.2g %s where at least %.3g %s was needed", delta*scale, 2*sigma*scale, unit, need*scale, unit)
}

// misplaced says whether the power that rises with the bursts is not theirs: it lies
// elsewhere, or comes and goes in between.
func (q Question) misplaced(t *trace, plain labels, levels []level) (why string) {
	f := t.find(plain)
	u := bins(t.u95Ns)
	switch {
	case !f.inPlace(u):
		return fmt.Sprintf("%s: its power changes, but %+.0f ms from where the reads were", q.shows(), float64(f.bins)*binNs*1e-6)
	case f.best-f.elsewhere < leastMargin:
		return fmt.Sprintf("%s: its power changes all the time; the reads' pattern fits with a correlation of %.2f where they were, and of %.2f elsewhere", q.shows(), f.best, f.elsewhere)
	}
	edge := u + bins(edgeNs)
	all, wrong, wrongEnds := t.sides(plain.shifted(f.bins).eroded(edge, edge), levels)
	if wrong > 1+all/50 || wrongEnds > 0 {
		return fmt.Sprintf("%s: its power does not follow them: of %d pieces of it, %d are high without reads or low with them", q.shows(), all, wrong)
	}
	return ""
}

// unfit says why a trace cannot answer at all.
func (q Question) unfit(t *trace) string {
	switch {
	case len(q.Reads) < BurstCount:
		return fmt.Sprintf("only %d of %d bursts of reads were made", len(q.Reads), BurstCount)
	case len(t.watts) == 0:
		return fmt.Sprintf("module %s gave no samples", q.Module)
	case math.IsInf(t.u95Ns, 0):
		return fmt.Sprintf("the samples of module %s cannot be placed in time", q.Module)
	case t.u95Ns > mostU95Ns:
		return fmt.Sprintf("the samples of module %s are placed in time within ± %.0f ms only", q.Module, t.u95Ns*1e-6)
	}
	for i, r := range q.Reads {
		if r.Count == 0 {
			return fmt.Sprintf("in burst %d no read of %s completed", i+1, q.Target)
		}
	}
	return ""
}

// uncovered says which part has too few samples.
func (q Question) uncovered(levels []level) string {
	for p, l := range levels {
		name := fmt.Sprintf("burst %d", p/2+1)
		if p%2 == 0 {
			name = fmt.Sprintf("the time before burst %d", p/2+1)
			if p == len(levels)-1 {
				name = fmt.Sprintf("the time after burst %d", p/2)
			}
		}
		switch {
		case l.size == 0:
			return fmt.Sprintf("nothing of %s is left beside its edges: the host was too slow, or the samples are placed too coarsely", name)
		case l.coverage < coverage:
			return fmt.Sprintf("too few samples: %s has %.0f %% of its samples, and at least %.0f %% are needed", name, l.coverage*100, coverage*100)
		}
	}
	return ""
}

func (q Question) shows() string {
	return fmt.Sprintf("IO on %s does not show on module %s", q.Target, q.Module)
}

// bins returns how many bins reach over ns.
func bins(ns float64) int { return int(math.Ceil(ns / binNs)) }
