package resume

import (
	"errors"
	"fmt"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// ErrDone says that a run has done all of its plan.
var ErrDone = errors.New("all its steps are done")

// Done is a step that began, and how it ended: an outcome of package results.
type Done struct{ Step, Outcome string }

// Way is how a run goes on.
type Way struct {
	From  int                // step of the plan that it goes on with
	First []int              // steps that are done once more before that, without a figure
	Again []results.Repeated // what is done again, for people
	Done  map[int]string     // outcome of the steps before From that stay
}

// Ahead returns the steps that are still to be done, in order.
func (w *Way) Ahead(plan suite.Plan) suite.Plan {
	var out suite.Plan
	for _, i := range w.First {
		out = append(out, plan[i])
	}
	return append(out, plan[w.From:]...)
}

// Decide says how the run of a plan goes on after what was done, which is given in the
// order in which it began; of a step that was done twice the last.
func Decide(plan suite.Plan, done []Done) (Way, error) {
	d := decision{plan: plan, outcome: map[int]string{}}
	index := map[string]int{}
	for i, s := range plan {
		index[s.Name] = i
	}
	last := -1
	for _, s := range done {
		i, ok := index[s.Step]
		if !ok {
			return Way{}, fmt.Errorf("step %s was done, and the plan has none of this name", s.Step)
		}
		d.outcome[i], last = s.Outcome, i
	}
	next := last + 1
	if last >= 0 && d.outcome[last] != results.Completed {
		next = last
	}
	if next == len(plan) {
		return Way{}, ErrDone
	}
	for i := range next {
		if st := &plan[i]; st.Kind == suite.Command && d.outcome[i] != "" {
			return Way{}, fmt.Errorf("step %s sent the drive a command, and nobody knows whether it still heeds it: run the suite anew", st.Name)
		}
	}
	return d.way(next), nil
}

type decision struct {
	plan    suite.Plan
	outcome map[int]string // of the steps that began, by their index
}

// way goes on with the unit of step next.
func (d *decision) way(next int) Way {
	w := Way{Done: map[int]string{}}
	var why string
	w.From, why = d.begin(next)
	broken := false // something of what is done now was begun
	for i := w.From; i < len(d.plan); i++ {
		broken = broken || d.outcome[i] != ""
	}
	if broken {
		w.Again = append(w.Again, results.Repeated{What: d.name(w.From), Why: why})
	}
	for i, o := range d.outcome {
		if i < w.From {
			w.Done[i] = o
		}
	}
	if d.plan[w.From].Kind == suite.PowerCycle {
		return w
	}
	before := d.before(w.From)
	if before < 0 || !d.wrote(before) {
		return w
	}
	for i := d.unit(before); i <= before; i++ {
		w.First = append(w.First, i)
	}
	why = "it wrote to the drive right before " + d.name(w.From) + ", and the drive has rested since"
	if d.plan[before].Kind == suite.Purge {
		why = "it erased the drive right before " + d.name(w.From) + ", which may have written to it"
	}
	w.Again = append(w.Again, results.Repeated{What: d.name(before), Unjudged: true, Why: why})
	return w
}

// begin returns the step with which it goes on if step next is broken, and why there.
func (d *decision) begin(next int) (from int, why string) {
	st := &d.plan[next]
	from = d.unit(next)
	switch {
	case st.Round == 0:
		return from, "it was broken off"
	case st.FreshRounds > 0 && st.Round <= st.FreshRounds:
		first := d.round(next, 1)
		if first < from {
			why = fmt.Sprintf("it was broken off in round %d, and its first %d are compared: they are of one go", st.Round, st.FreshRounds)
			return first, why
		}
	case st.LastRounds > 0 && st.Round > st.Rounds-st.LastRounds+1:
		first := d.round(next, st.Rounds-st.LastRounds+1)
		return first, fmt.Sprintf("it was broken off in round %d, and the last %d are compared: they are of one go", st.Round, st.LastRounds)
	}
	return from, "it was broken off, and the cells of a round are of one go"
}

// unit returns the first step of the unit that step i is of.
func (d *decision) unit(i int) int {
	if d.plan[i].Round == 0 {
		return i
	}
	return d.round(i, d.plan[i].Round)
}

// round returns the first step of a round of the group that step i is of.
func (d *decision) round(i, round int) int {
	group := d.plan[i].Group
	for k, s := range d.plan {
		if s.Group == group && s.Round == round {
			return k
		}
	}
	return i
}

// before returns the last step that was done before step i; -1 if there was none. Rounds
// that ended early have steps that never were.
func (d *decision) before(i int) int {
	for k := i - 1; k >= 0; k-- {
		if d.outcome[k] != "" {
			return k
		}
	}
	return -1
}

// wrote reports whether the unit of step i changes what is on the drive.
func (d *decision) wrote(i int) bool {
	unit := d.plan[d.unit(i) : i+1]
	return unit.Writes() || unit.Purges()
}

// name names what step i is of, for people.
func (d *decision) name(i int) string {
	st := &d.plan[i]
	if st.Round > 0 {
		return fmt.Sprintf("round %d of %s", st.Round, st.Group)
	}
	return st.Name
}
