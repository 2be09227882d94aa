package compare

import (
	"math"
	"strconv"
	"strings"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/idle"
	"powerd/quarch"
)

// idles matches idle steps of one kind. Where a run has several of a kind, their steps
// must have one name.
func (r *Result) idles(o Options) {
	name := func(x *idle.Result, step bool) string {
		words := []string{"idle", x.Kind}
		if x.Level > 0 {
			words = append(words, "level", strconv.Itoa(x.Level))
		}
		if step {
			words = append(words, "("+x.Step+")")
		}
		return strings.Join(words, " ")
	}
	several := map[string]bool{}
	for _, run := range r.runs {
		seen := map[string]bool{}
		for _, x := range run.Idles {
			n := name(x, false)
			several[n] = several[n] || seen[n]
			seen[n] = true
		}
	}
	order, at := matched(r.runs, func(run *Run) []*idle.Result { return run.Idles }, func(x *idle.Result) string {
		return name(x, several[name(x, false)])
	})
	for _, n := range order {
		has := make([]bool, len(r.runs))
		for i, x := range at[n] {
			has[i] = x != nil
		}
		if count(has) > 1 {
			r.idle(o, n, at[n])
		}
		r.miss(n, has, "")
	}
}

// idle takes an idle that two runs have: a match for each rail, and one for the total.
func (r *Result) idle(o Options, name string, of []*idle.Result) {
	rails := map[quarch.Rail]*struct{}{}
	for _, x := range of {
		if x == nil {
			continue
		}
		for rail := range x.Rails {
			rails[rail] = nil
		}
	}
	for rail := range quarch.ByRail(rails) {
		r.idleOf(o, name, string(rail), of, func(x *idle.Result) *idle.Figures { return x.Rails[rail] })
	}
	r.idleOf(o, name, "total", of, func(x *idle.Result) *idle.Figures { return x.Total })
}

func (r *Result) idleOf(o Options, name, rail string, of []*idle.Result, figures func(*idle.Result) *idle.Figures) {
	gross := Figure{Name: "mean_w", Head: "Mean power", Unit: "W"}
	net := Figure{Name: "net_w", Head: "Mean power, net of the zero", Unit: "W"}
	nets := true
	for i, x := range of {
		g, n := Value{Why: notInRun}, Value{}
		if x != nil {
			g.Why = r.runs[i].reasonOf("idle."+x.Step, rail, "rails."+rail)
			if f := figures(x); f != nil {
				g = watts(x, rail, f, r.runs[i].Module, g.Why)
				n = Value{Value: f.NetW, U95: f.NetU95W}
			}
		}
		nets = nets && n.Value != nil
		gross.Values, net.Values = append(gross.Values, g), append(net.Values, n)
	}
	m := &Match{Name: name, Rail: rail}
	every := func(*Run) string { return "" }
	gross.judge(o, r.runs, every)
	m.Figures = append(m.Figures, gross)
	if nets {
		net.judge(o, r.runs, every)
		m.Figures = append(m.Figures, net)
	}
	r.Idle = append(r.Idle, m)
}

// watts returns the mean power of a rail, or of all.
func watts(x *idle.Result, rail string, f *idle.Figures, spec accuracy.Spec, why string) Value {
	v := Value{Value: f.MeanW, U95: f.U95W, Why: why}
	if f.MeanW == nil {
		return v
	}
	v.Why = ""
	all := map[quarch.Rail]reading{}
	for name, r := range x.Rails {
		if string(name) != rail && rail != "total" {
			continue
		}
		if r.MeanV == nil || r.MeanA == nil {
			return v
		}
		all[name] = reading{*r.MeanV, *r.MeanA}
	}
	if f.U95W != nil {
		v.module = onWatts(all)
		v.own = f.U95NoiseW
		if m := u95(spec, v.module, nil); v.own == nil {
			v.own = analysis.Some(math.Sqrt(max(0, *f.U95W**f.U95W-m*m)))
		}
	}
	return v
}

// matched lists what runs have by name, in the order in which the names first appear; a
// run that lacks one has nil there.
func matched[T any](runs []*Run, of func(*Run) []*T, name func(*T) string) (order []string, at map[string][]*T) {
	at = map[string][]*T{}
	for i, run := range runs {
		for _, x := range of(run) {
			n := name(x)
			if at[n] == nil {
				order = append(order, n)
				at[n] = make([]*T, len(runs))
			}
			at[n][i] = x
		}
	}
	return order, at
}

func count(has []bool) int {
	n := 0
	for _, h := range has {
		if h {
			n++
		}
	}
	return n
}
