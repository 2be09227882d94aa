package compare

import (
	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/efficiency"
	"powerd/analysis/idle"
	"powerd/analysis/inrush"
	"powerd/analysis/saturation"
)

// Run is one of the runs, as far as its figures go.
type Run struct {
	Label         string // "A"
	Drive         string // for people
	Module        accuracy.Spec
	RatesBy       float64 // what an emulated drive's IOPS were divided by; 1 = nothing
	CapacityBytes int64   // 0 = not known

	Cells      []*efficiency.Cell
	Idle       *idle.Result // the settled one
	Idles      []*idle.Result
	Cycles     []*inrush.Cycle
	Saturation []*saturation.Result
	Withheld   []analysis.Withheld
}

// reason returns why something is withheld in a run; empty if it is not said.
func (r *Run) reason(what string) string {
	for _, w := range r.Withheld {
		if w.What == what {
			return w.Why
		}
	}
	return ""
}

// reasonOf looks for the reason of a figure of a thing, then for that of what it follows
// from, then for that of the thing.
func (r *Run) reasonOf(thing string, figures ...string) string {
	for _, f := range figures {
		if why := r.reason(thing + "." + f); why != "" {
			return why
		}
	}
	return r.reason(thing)
}

// Options say how runs are compared.
type Options struct {
	OneModule bool // one module with one calibration read all runs: what is common drops out
}

// Match is a thing that two runs or more have.
type Match struct {
	Name     string   `json:"name"` // "randread-4k-qd32", "idle active"
	Cell     *Key     `json:"cell,omitempty"`
	Rail     string   `json:"rail,omitempty"` // "5v", "total"
	WindowUs float64  `json:"window_us,omitempty"`
	Figures  []Figure `json:"figures"`

	steps []string // what it was called in each run; "" = it lacks it
}

// Missing is a thing that a run lacks and another has.
type Missing struct {
	Name string   `json:"name"`
	In   []string `json:"in"` // labels of the runs that have it
	Not  []string `json:"not_in"`
	Why  string   `json:"why,omitempty"`
}

// Result is all that the runs have in common, and what they have not.
type Result struct {
	Cells      []*Match  `json:"cells"`
	Idle       []*Match  `json:"idle"`
	StartUp    []*Match  `json:"start_up"`
	Saturation []*Match  `json:"saturation"`
	Missing    []Missing `json:"missing"`

	runs []*Run
}

// Compare holds runs, two at least, against the first of them.
func Compare(runs []*Run, o Options) *Result {
	r := &Result{Cells: []*Match{}, Idle: []*Match{}, StartUp: []*Match{}, Saturation: []*Match{}, Missing: []Missing{}, runs: runs}
	r.cells(o)
	r.idles(o)
	r.startUps(o)
	r.saturations(o)
	return r
}

// Judged counts the ratios that have a verdict.
func (r *Result) Judged() int {
	n := 0
	for _, list := range [][]*Match{r.Cells, r.Idle, r.StartUp, r.Saturation} {
		for _, m := range list {
			for _, f := range m.Figures {
				for _, x := range f.Against {
					if x.Verdict != NotJudged {
						n++
					}
				}
			}
		}
	}
	return n
}

// miss notes what some runs have and others have not.
func (r *Result) miss(name string, has []bool, why string) {
	m := Missing{Name: name, In: []string{}, Not: []string{}, Why: why}
	for i, run := range r.runs {
		if has[i] {
			m.In = append(m.In, run.Label)
		} else {
			m.Not = append(m.Not, run.Label)
		}
	}
	if len(m.Not) > 0 {
		r.Missing = append(r.Missing, m)
	}
}
