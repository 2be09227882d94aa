package steady

import (
	"fmt"
	"math"
	"slices"

	"powerd/analysis"
)

// Verdicts.
const (
	Reached    = "steady"
	NotReached = "not_reached"
)

// Input is the rounds of a load or matrix that were done to their end.
type Input struct {
	Group     string // the suite's step
	Rule      Rule
	Planned   int // rounds, at most
	Variables []Variable
	Breaks    []int // rounds after which the run was broken off; no window holds rounds of both sides
}

// Variable is one cell, with a figure a round from the first on; all variables have as
// many. NaN is a round that left none.
type Variable struct {
	Step      string // the cell's name, without the round
	Latency   string // which latency decides, one of Latencies; empty = the IOPS do
	IOPS      []float64
	LatencyUs []float64 // nil where the IOPS decide
	Watts     []float64
}

// decides returns the figures that are judged.
func (v *Variable) decides() []float64 {
	if v.Latency != "" {
		return v.LatencyUs
	}
	return v.IOPS
}

// Result is what is said of one variable, with the JSON keys of results.json.
type Result struct {
	Step          string  `json:"step"`
	Group         string  `json:"group"`
	Profile       string  `json:"profile"`
	Rounds        int     `json:"rounds"` // done
	RoundsPlanned int     `json:"rounds_planned"`
	Breaks        []int   `json:"breaks,omitempty"`      // rounds after which the run was broken off, and went on later
	FirstRound    int     `json:"first_round,omitempty"` // of the window: the steady one, else the latest
	LastRound     int     `json:"last_round,omitempty"`
	Verdict       string  `json:"verdict"` // of all variables together: steady, not_reached
	Why           string  `json:"why,omitempty"`
	Latency       string  `json:"latency,omitempty"`    // which latency decides: "mean", "99.9"; absent = the IOPS do
	IOPS          Series  `json:"iops"`                 // beside a latency it does not decide
	LatencyUs     *Series `json:"latency_us,omitempty"` // where it decides
	PowerW        *Series `json:"power_w,omitempty"`    // by the same rule; it does not decide

	StartMonoNs int64 `json:"start_mono_ns,omitempty"` // of the window, where its cells are known
	EndMonoNs   int64 `json:"end_mono_ns,omitempty"`

	Withheld []analysis.Withheld `json:"-"`
}

// Judge returns a result for each variable.
func Judge(in Input) []*Result {
	t := NewTracker(in.Rule)
	rounds := 0
	for _, v := range in.Variables {
		rounds = len(v.IOPS)
	}
	for n := range rounds {
		var figures []float64
		for _, v := range in.Variables {
			figures = append(figures, v.decides()[n])
		}
		t.Add(figures...)
		if slices.Contains(in.Breaks, n+1) {
			t.Break()
		}
	}
	_, _, reached := t.Steady()
	first, last := t.Window()
	series := t.Judge()
	var out []*Result
	for i, v := range in.Variables {
		r := &Result{Step: v.Step, Group: in.Group, Profile: in.Rule.Name, Rounds: rounds, RoundsPlanned: in.Planned, Breaks: in.Breaks, Verdict: Reached, Latency: v.Latency}
		if rounds == 0 {
			r.Verdict, r.Why = NotReached, "no round was done to its end"
			r.IOPS.Why = r.Why
			out = append(out, r)
			continue
		}
		r.FirstRound, r.LastRound, r.IOPS = first, last, series[i]
		if v.Latency != "" {
			r.IOPS, r.LatencyUs = in.Rule.Judge(first, v.IOPS[first-1:last]), &series[i]
		}
		r.power(in.Rule, v.Watts[first-1:last])
		if !reached {
			r.Verdict, r.Why = NotReached, series[i].Why
			if series[i].Steady {
				r.Why = "steady itself, but not together with " + other(in.Variables, series)
			}
		}
		out = append(out, r)
	}
	return out
}

// other names the first variable that is not steady.
func other(variables []Variable, series []Series) string {
	for i, s := range series {
		if !s.Steady {
			return variables[i].Step
		}
	}
	return "the others"
}

// power judges the watts of the window, if there are any.
func (r *Result) power(rule Rule, watts []float64) {
	for _, w := range watts {
		if !math.IsNaN(w) {
			s := rule.Judge(r.FirstRound, watts)
			r.PowerW = &s
			return
		}
	}
	r.Withheld = append(r.Withheld, analysis.Withheld{What: "steady." + r.Step + ".power_w", Why: fmt.Sprintf("no power of rounds %d to %d is known", r.FirstRound, r.LastRound)})
}

// Decides returns what the rule says of the figure that decides.
func (r *Result) Decides() *Series {
	if r.LatencyUs != nil {
		return r.LatencyUs
	}
	return &r.IOPS
}

// Reasons says of a result in one sentence what is the matter: "reached over rounds 3 to
// 7", or why not.
func (r *Result) Reasons() string {
	if r.Verdict == Reached {
		return fmt.Sprintf("steady over rounds %d to %d (%s)", r.FirstRound, r.LastRound, r.Profile)
	}
	return fmt.Sprintf("not steady by %s after %d of %d rounds: %s", r.Profile, r.Rounds, r.RoundsPlanned, r.Why)
}
