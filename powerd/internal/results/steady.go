package results

import (
	"fmt"
	"math"
	"slices"

	"powerd/analysis/efficiency"
	"powerd/analysis/steady"
	"powerd/powerd/internal/suite"
)

// judged is the rounds of a step of the suite that a rule judges.
type judged struct {
	group string
	rule  suite.Steady
	most  int // rounds
	steps []step
}

// judgedRounds returns them, in the order of the plan.
func (d *Document) judgedRounds() []*judged {
	var out []*judged
	for _, s := range d.folder.steps {
		if s.mark.Steady == nil {
			continue
		}
		i := slices.IndexFunc(out, func(j *judged) bool { return j.group == s.mark.Group })
		if i < 0 {
			i = len(out)
			out = append(out, &judged{group: s.mark.Group, rule: *s.mark.Steady, most: s.mark.Rounds})
		}
		out[i].steps = append(out[i].steps, s)
	}
	return out
}

// done returns how many rounds were done to their end, with whatever outcome.
func (j *judged) done() int {
	cells := map[int]int{}
	for _, s := range j.steps {
		if s.end.Outcome == Completed || s.end.Outcome == Failed {
			cells[s.mark.Round]++
		}
	}
	n := 0
	for cells[n+1] >= max(1, j.rule.OfRound) {
		n++
	}
	return n
}

// breaks returns the rounds after which the run was broken off, as far as the next one was
// done after that.
func (j *judged) breaks() []int {
	legs := map[int]int{}
	for _, s := range j.steps {
		legs[s.mark.Round] = s.leg
	}
	var out []int
	for n := 1; n < j.done(); n++ {
		if legs[n+1] > legs[n] {
			out = append(out, n)
		}
	}
	return out
}

// at returns a cell's step in a round.
func (j *judged) at(cell string, round int) step {
	i := slices.IndexFunc(j.steps, func(s step) bool { return s.mark.Cell == cell && s.mark.Round == round })
	if i < 0 {
		return step{}
	}
	return j.steps[i]
}

// cells names the cells of a round, in order.
func (j *judged) cells() []string {
	var out []string
	for _, s := range j.steps {
		if !slices.Contains(out, s.mark.Cell) {
			out = append(out, s.mark.Cell)
		}
	}
	return out
}

// judgeRounds says of every load and matrix whose rounds end with a rule whether it was
// met, and adds each cell up over the rounds of the steady window.
func (d *Document) judgeRounds() {
	for _, j := range d.judgedRounds() {
		rule, known := steady.RuleOf(j.rule.Profile)
		if !known { // of a later powerd
			d.withhold("steady."+j.group, fmt.Sprintf("the rule %q is not known", j.rule.Profile))
			continue
		}
		in := steady.Input{Group: j.group, Rule: rule, Planned: j.most, Breaks: j.breaks()}
		for i, cell := range j.rule.Cells {
			in.Variables = append(in.Variables, d.variable(j, cell, j.rule.LatencyOf(i)))
		}
		judged := steady.Judge(in)
		for _, r := range judged {
			r.StartMonoNs, r.EndMonoNs = j.at(r.Step, r.FirstRound).end.StartMonoNs, j.at(r.Step, r.LastRound).end.EndMonoNs
			d.keep(r.Withheld, nil)
			if r.Verdict != steady.Reached && d.Run.Outcome != Running {
				d.warn("not_steady", r.Step+": "+r.Reasons())
			}
		}
		d.Steady = append(d.Steady, judged...)
		if len(judged) > 0 && judged[0].Verdict == steady.Reached {
			d.addUp(j, judged[0].FirstRound, judged[0].LastRound)
		}
	}
}

// variable returns what a cell did and drew in each round that was done, and how long its
// IOs took where a latency is to decide.
func (d *Document) variable(j *judged, cell, latency string) steady.Variable {
	v := steady.Variable{Step: cell, Latency: latency}
	for n := range j.done() {
		iops, watts := math.NaN(), math.NaN()
		name := j.at(cell, n+1).mark.Step
		if x, left := d.folder.rates[name]; left {
			iops = x
		}
		if c := d.cell(name); c != nil && c.MeanW != nil {
			watts = *c.MeanW
		}
		v.IOPS, v.Watts = append(v.IOPS, iops), append(v.Watts, watts)
		if latency != "" {
			left := d.folder.loads[name]
			v.LatencyUs = append(v.LatencyUs, steady.LatencyUs(latency, left.result, left.err))
		}
	}
	return v
}

// cell returns the cell of a step; nil if it left none.
func (d *Document) cell(step string) *efficiency.Cell {
	i := slices.IndexFunc(d.Efficiency, func(c *efficiency.Cell) bool { return c.Step == step })
	if i < 0 {
		return nil
	}
	return d.Efficiency[i]
}

// addUp adds the sums of the steady window, a cell each.
func (d *Document) addUp(j *judged, first, last int) {
	for _, name := range j.cells() {
		var rounds []*efficiency.Cell
		for n := first; n <= last; n++ {
			c := d.cell(j.at(name, n).mark.Step)
			if c == nil {
				d.withhold("efficiency."+name, fmt.Sprintf("round %d of the steady window left no figures", n))
				break
			}
			rounds = append(rounds, c)
		}
		if len(rounds) != last-first+1 {
			continue
		}
		sum := efficiency.Add(name, rounds, d.Module.Calibration.Spec())
		sum.State = efficiency.StateSteady
		d.Efficiency = append(d.Efficiency, &sum.Cell)
		d.keep(sum.Withheld, nil)
	}
}

// Measured returns the cells that stand for what was measured: of rounds that a rule
// calls steady their sums, and not the rounds that these are of, nor those before: a cell
// that a round of the window lacks is none. Of rounds that are not steady it is the last
// one that was done, which a drive on its way is nearest to its steady state in.
func (d *Document) Measured() []*efficiency.Cell {
	rounds := map[string]bool{}
	for _, j := range d.judgedRounds() {
		reached := slices.ContainsFunc(d.Steady, func(r *steady.Result) bool { return r.Group == j.group && r.Verdict == steady.Reached })
		last := j.done()
		for _, s := range j.steps {
			rounds[s.mark.Step] = reached || last > 0 && s.mark.Round != last
		}
	}
	return slices.DeleteFunc(slices.Clone(d.Efficiency), func(c *efficiency.Cell) bool { return rounds[c.Step] })
}

// ofRounds reports whether a step is a round that a rule judges.
func (d *Document) ofRounds(name string) bool {
	return slices.ContainsFunc(d.folder.steps, func(s step) bool { return s.mark.Step == name && s.mark.Steady != nil })
}

// JudgedRounds is a load or matrix whose rounds a rule judges.
type JudgedRounds struct {
	Group     string
	Variables []*steady.Result
	Cells     []string // of a round, without it
}

// Judged returns them, in the order of the plan.
func (d *Document) Judged() []JudgedRounds {
	var out []JudgedRounds
	for _, j := range d.judgedRounds() {
		g := JudgedRounds{Group: j.group, Cells: j.cells()}
		for _, r := range d.Steady {
			if r.Group == j.group {
				g.Variables = append(g.Variables, r)
			}
		}
		if len(g.Variables) > 0 {
			out = append(out, g)
		}
	}
	return out
}
