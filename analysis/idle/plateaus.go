package idle

import (
	"fmt"
	"strings"

	"powerd/analysis"
	"powerd/analysis/window"
)

// levels returns one Result for each level of the window. One mean over all of them
// would describe none.
func (a *Analyzer) levels(found []level, st *window.Stats) []*Result {
	var out []*Result
	for i, l := range found {
		r := a.result(st)
		r.Level = i + 1
		a.fill(r, l)
		out = append(out, r)
	}
	why := severalIdles(out)
	first := out[0]
	a.judgeOtherRails(first, st) // of the whole window: they have no levels
	first.Withheld = append(first.Withheld, analysis.Withheld{What: "idle." + first.Step + ".total", Why: why})
	first.warn("several_idles", why+": each has its own row, one mean over all of them is not given")
	return out
}

// severalIdles says what was found: "two idles: 0.350 W for 30 s, 0.035 W for 30 s".
func severalIdles(rs []*Result) string {
	count := fmt.Sprint(len(rs))
	if words := []string{"two", "three", "four", "five", "six"}; len(rs)-2 < len(words) {
		count = words[len(rs)-2]
	}
	parts := make([]string, len(rs))
	for i, r := range rs {
		power := "an unknown power"
		if r.Total.MeanW != nil {
			power = fmt.Sprintf("%.3f W", *r.Total.MeanW)
		}
		parts[i] = fmt.Sprintf("%s for %.0f s", power, r.DurationS)
	}
	return count + " idles: " + strings.Join(parts, ", ")
}

// fill works out the figures of a level from its whole seconds.
func (a *Analyzer) fill(r *Result, l level) {
	rails, total := make([]sums, len(a.rails)), sums{}
	r.DurationS = 0
	for _, run := range l.runs {
		w := Window{a.at(run.from), min(a.at(run.to), a.w.EndNs)}
		r.Windows = append(r.Windows, w)
		r.DurationS += float64(w.EndMonoNs-w.StartMonoNs) * 1e-9
		for i := run.from; i < run.to; i++ {
			total.merge(&a.seconds.list[i].total)
			for k := range rails {
				rails[k].merge(&a.seconds.list[i].rails[k])
			}
		}
	}
	r.StartMonoNs, r.EndMonoNs = r.Windows[0].StartMonoNs, r.Windows[len(r.Windows)-1].EndMonoNs
	if len(r.Windows) == 1 {
		r.Windows = nil
	}
	stripes := r.DurationS * a.perSecond
	s := a.scatter(l.runs)
	st := &window.Stats{Polled: a.polled, SpacingS: 1 / a.perSecond, Stripes: uint64(total.n)}
	for k, name := range a.rails {
		x := &rails[k]
		f := x.figures(stripes)
		f.MeanA, f.MeanV = analysis.Some(x.a/x.n), analysis.Some(x.v/x.n)
		r.Rails[name] = f
		st.Rails = append(st.Rails, window.RailStats{Rail: name, MeanA: x.a / x.n, MeanV: x.v / x.n})
		a.uncertain(f, k, s)
		a.judgeCoverage(r, f, "rails."+string(name), *f.coverage)
	}
	r.Total = total.figures(stripes)
	r.Coverage = *r.Total.coverage
	st.Total.MeanW = total.mean()
	a.uncertainTotal(r, s.total)
	a.judgeCoverage(r, r.Total, "total", r.Coverage)
	a.judge(r, st, s)
}

// figures returns those of so many stripes. There are no percentiles: no second keeps
// its histogram.
func (s *sums) figures(stripes float64) *Figures {
	return &Figures{
		MeanW: analysis.Some(s.mean()), MinW: analysis.Some(s.min), MaxW: analysis.Some(s.max), StdW: analysis.Some(s.std()),
		coverage: analysis.Some(min(1, s.n/stripes)),
	}
}

// at returns the host time at which a second of the window begins.
func (a *Analyzer) at(second int) int64 { return a.w.StartNs + int64(second)*1e9 }
