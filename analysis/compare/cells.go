package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/efficiency"
	"powerd/analysis/saturation"
	"powerd/quarch"
)

// standing is a cell that stands for a run.
type standing struct {
	key  Key
	cell *efficiency.Cell
	step string // without the round
}

// standing returns the cells that stand for the run, in its order.
func (r *Run) standing() []standing {
	var steps []string
	of := map[string][]*efficiency.Cell{}
	for _, c := range r.Cells {
		if c.Interrupted {
			continue
		}
		name := base(c)
		if of[name] == nil {
			steps = append(steps, name)
		}
		of[name] = append(of[name], c)
	}
	var out []standing
	for _, step := range steps {
		if windows := r.windows(step); windows != nil {
			out = append(out, windows...)
			continue
		}
		c := last(of[step])
		out = append(out, standing{keyOf(c), c, step})
	}
	return out
}

// last returns the sum of a cell's steady rounds, else the last of its rounds.
func last(cells []*efficiency.Cell) *efficiency.Cell {
	best := cells[0]
	for _, c := range cells[1:] {
		switch {
		case c.FirstRound > 0 && best.FirstRound == 0:
			best = c
		case (c.FirstRound > 0) == (best.FirstRound > 0) && c.Round >= best.Round:
			best = c
		}
	}
	return best
}

// fresh is the window before the write cliff.
const fresh = "fresh"

// windows returns the two windows of a saturation as cells; nil if the step is none.
func (r *Run) windows(step string) []standing {
	i := slices.IndexFunc(r.Saturation, func(s *saturation.Result) bool { return s.Step == step && s.Fresh != nil && s.Last != nil })
	if i < 0 {
		return nil
	}
	s := r.Saturation[i]
	var like *efficiency.Cell // what a saturation does not say of the workload
	for _, c := range r.Cells {
		if base(c) == step {
			like = c
		}
	}
	var out []standing
	for _, w := range []struct {
		name string
		*saturation.Window
	}{{fresh, s.Fresh}, {"last", s.Last}} {
		c := *like
		c.Step, c.State, c.Round, c.FirstRound, c.Rails, c.Latency = step, w.State, w.LastRound, w.FirstRound, nil, nil
		c.Rates = efficiency.Rates{IOPS: w.IOPS, MBPerS: w.MBPerS, IOPSU95Rel: w.IOPSU95Rel}
		c.MeanW, c.MeanU95W = w.MeanW, w.MeanU95W
		c.Ratios = efficiency.Ratios{IOPSPerMW: w.IOPSPerMW, IOPSPerW: w.IOPSPerW, U95Rel: w.U95Rel, U95ScatterRel: w.U95ScatterRel}
		if w.IOPSPerW != nil && w.IOPS != nil && *w.IOPS > 0 && w.MBPerS != nil { // of the very same window
			perW := *w.IOPSPerW * *w.MBPerS / *w.IOPS
			c.MBPerSPerW, c.MBPerSPerMW = analysis.Some(perW), analysis.Some(perW*1e-3)
		}
		key := keyOf(&c)
		key.Window = w.name
		out = append(out, standing{key, &c, step})
	}
	return out
}

// cells matches the runs' cells.
func (r *Result) cells(o Options) {
	all := make([][]standing, len(r.runs))
	several := map[Key]bool{} // a run has this workload in several steps
	for i, run := range r.runs {
		all[i] = run.standing()
		seen := map[Key]bool{}
		for _, s := range all[i] {
			several[s.key] = several[s.key] || seen[s.key]
			seen[s.key] = true
		}
	}
	var order []Key
	at := map[Key][]*standing{}
	for i := range all {
		for j := range all[i] {
			s := &all[i][j]
			if several[s.key] {
				s.key.Step = s.step
			}
			if at[s.key] == nil {
				order = append(order, s.key)
				at[s.key] = make([]*standing, len(r.runs))
			}
			at[s.key][i] = s
		}
	}
	for _, k := range order {
		r.cell(o, k, at[k], all)
	}
}

// cell takes a workload that two runs have, and notes which lack it.
func (r *Result) cell(o Options, k Key, of []*standing, all [][]standing) {
	has := make([]bool, len(of))
	n := 0
	for i, s := range of {
		if has[i] = s != nil; has[i] {
			n++
		}
	}
	if n > 1 {
		m := &Match{Name: k.Name(), Cell: &k}
		for _, s := range of {
			step := ""
			if s != nil {
				step = s.step
			}
			m.steps = append(m.steps, step)
		}
		m.Figures = r.figures(o, of)
		r.Cells = append(r.Cells, m)
	}
	r.miss(k.Name()+stateWords(k), has, r.whyNot(k, of, all))
}

// stateWords says the state where it is more than not judged.
func stateWords(k Key) string {
	if k.State == "" || k.State == efficiency.StateNotJudged {
		return ""
	}
	return ", " + k.State
}

// whyNot says what the runs that lack a workload have in its place.
func (r *Result) whyNot(k Key, of []*standing, all [][]standing) string {
	var words []string
	for i, run := range r.runs {
		if of[i] != nil {
			continue
		}
		for _, s := range all[i] {
			like := s.key
			like.State, like.Window, like.Step = k.State, k.Window, k.Step
			if like == k {
				words = append(words, run.Label+" has "+s.key.describe())
			}
		}
		for _, s := range of { // a step of this name may have left nothing
			if s == nil {
				continue
			}
			if why := run.reason("efficiency." + s.step); why != "" {
				words = append(words, run.Label+": "+why)
				break
			}
		}
	}
	return strings.Join(words, "; ")
}

// describe says in which state a workload was measured, and where.
func (k Key) describe() string {
	words := "it in state " + k.State
	if k.Window != "" {
		words = "it in the " + k.Window + " window of a saturation"
	}
	if k.Step != "" {
		words += fmt.Sprintf(", in step %s", k.Step)
	}
	return words
}

// quantity is a figure of a cell.
type quantity struct {
	name, head, unit string
	rates            bool // it is in proportion to the engine's rates
	of               func(*efficiency.Cell) Value
}

func quantities(spec func(*efficiency.Cell) accuracy.Spec) []quantity {
	return []quantity{
		{"iops", "IOPS", "IOPS", true, func(c *efficiency.Cell) Value { return rateOf(c, c.IOPS) }},
		{"mb_per_s", "Throughput", "MB/s", true, func(c *efficiency.Cell) Value { return rateOf(c, c.MBPerS) }},
		{"mean_w", "Mean power", "W", false, func(c *efficiency.Cell) Value { return wattsOf(c, spec(c)) }},
		{"iops_per_mw", "IOPS/mW", "IOPS/mW", true, func(c *efficiency.Cell) Value { return ratioOf(c, c.IOPSPerMW) }},
		{"mb_per_s_per_mw", "MB/s/mW", "MB/s/mW", true, func(c *efficiency.Cell) Value { return ratioOf(c, c.MBPerSPerMW) }},
		{"latency_mean_us", "Mean latency", "µs", true, latencyOf},
	}
}

// figures returns the figures of a cell that any run has.
func (r *Result) figures(o Options, of []*standing) []Figure {
	specs := map[*efficiency.Cell]accuracy.Spec{}
	for i, s := range of {
		if s != nil {
			specs[s.cell] = r.runs[i].Module
		}
	}
	var out []Figure
	for _, q := range quantities(func(c *efficiency.Cell) accuracy.Spec { return specs[c] }) {
		f := Figure{Name: q.name, Head: q.head, Unit: q.unit}
		any := false
		for i, s := range of {
			v := Value{Why: notInRun}
			if s != nil {
				v = q.of(s.cell)
				any = any || v.Value != nil
				if v.Value == nil {
					v.Why = r.runs[i].reasonOf("efficiency."+s.cell.Step, q.name, "iops_per_mw", "mean_w", "iops")
				}
			}
			f.Values = append(f.Values, v)
		}
		if !any {
			continue
		}
		f.judge(o, r.runs, r.scaled(q.rates))
		out = append(out, f)
	}
	return out
}

// scaled refuses to compare rates that were divided by different numbers.
func (r *Result) scaled(rates bool) func(*Run) string {
	return func(b *Run) string {
		a := r.runs[0]
		if !rates || a.RatesBy == b.RatesBy {
			return ""
		}
		return fmt.Sprintf("the emulated drives' rates are divided by %g in %s and by %g in %s", a.RatesBy, a.Label, b.RatesBy, b.Label)
	}
}

// rateOf returns a rate: the module has no part in it.
func rateOf(c *efficiency.Cell, x *float64) Value {
	v := Value{Value: x}
	if x != nil && c.IOPSU95Rel != nil {
		v.U95 = analysis.Some(math.Abs(*x) * *c.IOPSU95Rel)
		v.own = v.U95
	}
	return v
}

// ratioOf returns a ratio to power, which the power's error pulls the other way.
func ratioOf(c *efficiency.Cell, x *float64) Value {
	v := Value{Value: x}
	if x == nil || c.U95Rel == nil {
		return v
	}
	v.U95 = analysis.Some(math.Abs(*x) * *c.U95Rel)
	if rails := readings(c.Rails); rails != nil && c.U95ScatterRel != nil && c.MeanW != nil {
		v.own = analysis.Some(math.Abs(*x) * *c.U95ScatterRel)
		v.module = onWatts(rails).over(-*c.MeanW / *x)
	}
	return v
}

// wattsOf returns the mean power; what of its ± is not the module's is its own.
func wattsOf(c *efficiency.Cell, spec accuracy.Spec) Value {
	v := Value{Value: c.MeanW, U95: c.MeanU95W}
	if rails := readings(c.Rails); rails != nil && c.MeanU95W != nil {
		v.module = onWatts(rails)
		m := u95(spec, v.module, nil)
		v.own = analysis.Some(math.Sqrt(max(0, *c.MeanU95W**c.MeanU95W-m*m)))
	}
	return v
}

func latencyOf(c *efficiency.Cell) Value {
	if c.Latency == nil {
		return Value{}
	}
	return Value{Value: c.Latency.Mean, U95: c.Latency.MeanU95, own: c.Latency.MeanU95}
}

// readings returns what each rail carried; nil if any does not say.
func readings(rails map[quarch.Rail]*efficiency.Rail) map[quarch.Rail]reading {
	out := map[quarch.Rail]reading{}
	for name, r := range rails {
		if r.MeanV == nil || r.MeanA == nil {
			return nil
		}
		out[name] = reading{*r.MeanV, *r.MeanA}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
