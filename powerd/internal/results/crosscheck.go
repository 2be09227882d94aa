package results

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/align"
	"powerd/engine"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// CrossCheck is a long load whose power was laid upon what the engine logged of its IOs,
// by nothing but how both went up and down. It knows the drive's own lag as little as the
// map does, and is the coarser one; but it shares nothing with it.
type CrossCheck struct {
	Step        string   `json:"step"`
	OffsetS     *float64 `json:"offset_s,omitempty"` // by which the power lies later than the IOs, by the map
	OffsetU95S  *float64 `json:"offset_u95_s,omitempty"`
	Correlation *float64 `json:"correlation,omitempty"` // of power with IOs there, squared
	Why         string   `json:"why,omitempty"`         // it is refused
}

const (
	longLoadNs = 30e9  // a load of which there is enough to lay upon each other
	layNs      = 600e9 // and of which no more is looked at in order to place a stream
	layNearNs  = 1e9   // how far to either side a cross-check looks

	// A stretch of power is summed in this many parts of an interval of the engine.
	partsOfInterval = 50

	// sureTimes U95 is as far as what power and IOs say is trusted against something else: one
	// load of twenty is off by more than U95, and a suite has a thousand.
	sureTimes = 2

	mostLaid = 4 // loads that help to place a stream
)

// course is the power of a load in steps. It takes memory while blocks of the load come.
type course struct {
	m              analysis.TimeMap
	intervals      []engine.Interval
	withinNs       float64
	fromNs, stepNs float64
	steps          int
	watts          []float64 // sums of stripes' watts
	stripes        []int

	laid   bool
	offset align.Offset
	err    error
}

// courseOf returns the course of a job, to be filled with blocks in their order and laid upon
// its intervals, up to withinNs to either side; nil where there is too little of it.
func courseOf(m analysis.TimeMap, intervals []engine.Interval, periodNs int64, withinNs float64) *course {
	if len(intervals) == 0 {
		return nil
	}
	first, last := intervals[0], intervals[len(intervals)-1]
	if last.EndNs-first.StartNs < longLoadNs {
		return nil
	}
	step := math.Max(float64(first.EndNs-first.StartNs)/partsOfInterval, 2*float64(periodNs))
	return &course{
		m: m, intervals: intervals, withinNs: withinNs, fromNs: float64(first.StartNs), stepNs: step,
		steps: int(float64(last.EndNs-first.StartNs) / step),
	}
}

func (c *course) endNs() float64 { return c.fromNs + float64(c.steps)*c.stepNs }

// add takes the stripes of a block that lie in it; nil takes none.
func (c *course) add(b *quarch.Block) {
	if c == nil || c.laid || b.Len() == 0 {
		return
	}
	at, _ := c.m.TimeOf(float64(b.First) + 0.5) // a mean belongs to its stripe's middle
	end, _ := c.m.TimeOf(float64(b.End()) + 0.5)
	switch {
	case end < c.fromNs:
		return
	case at >= c.endNs():
		_, _ = c.lay() // it keeps both
		return
	case c.watts == nil:
		c.watts, c.stripes = make([]float64, c.steps), make([]int, c.steps)
	}
	period := (end - at) / float64(b.Len())
	for i := range b.Len() {
		k := int(math.Floor((at + float64(i)*period - c.fromNs) / c.stepNs))
		if k >= 0 && k < c.steps {
			c.watts[k] += totalWatts(b, i)
			c.stripes[k]++
		}
	}
}

// lay returns where the power follows the job's IOs best.
func (c *course) lay() (align.Offset, error) {
	if c.laid {
		return c.offset, c.err
	}
	for i, n := range c.stripes {
		c.watts[i] /= float64(n) // NaN where there are none
	}
	c.offset, c.err = align.Correlate(align.NewEnergy(c.fromNs, c.stepNs, c.watts), c.intervals, c.withinNs)
	c.laid, c.watts, c.stripes, c.intervals = true, nil, nil, nil
	return c.offset, c.err
}

// longest returns the longest latency of a job, in ns.
func longest(res *engine.Result) float64 {
	return max(res.Read.Latency.MaxUs, res.Write.Latency.MaxUs) * 1e3
}

// crossCheckLoad holds the map against the power's own course in a load.
func (d *Document) crossCheckLoad(name string, res *engine.Result, c *course) {
	if c == nil {
		return
	}
	check := CrossCheck{Step: name}
	defer func() { d.Alignment.CrossChecks = append(d.Alignment.CrossChecks, check) }()
	o, err := c.lay()
	if err != nil {
		check.Why = err.Error()
		return
	}
	check.OffsetS, check.OffsetU95S, check.Correlation = analysis.Some(o.Ns*1e-9), analysis.Some(o.U95Ns*1e-9), analysis.Some(o.Correlation)
	_, u := c.m.TimeOf(c.m.IndexAt(c.fromNs))
	if allowed := sureTimes*o.U95Ns + u + float64(res.EdgeU95Ns) + longest(res); -o.Ns > allowed {
		d.warn("alignment_disputed", fmt.Sprintf("step %s: the power goes up and down %.0f ± %.0f ms before the IOs that cause it, which the alignment allows for %.0f ms at most; are the engine's times those of this host's clock?",
			name, -o.Ns*1e-6, o.U95Ns*1e-6, (allowed-sureTimes*o.U95Ns)*1e-6))
	}
}

// laidLoads lays the power of long loads upon their IOs where stream s is placed too badly by
// m to tell one step of its power from another. The power follows its IOs, but is up to
// their latency earlier than they are counted, as they are counted when they are done.
func (f *folder) laidLoads(s *stream, m *align.Map) (out []align.Known) {
	for _, st := range f.steps {
		began := st.end.StartMonoNs
		if st.mark.Kind != suite.Load || st.mark.Job == nil || began < s.BeginNs || s.EndNs > 0 && began > s.EndNs || len(out) == mostLaid {
			continue
		}
		_, u := m.TimeOf(m.IndexAt(float64(began)))
		res, err := f.load(st)
		if u <= edgeMapNs || !(u <= searchNs) || err != nil {
			continue
		}
		if b, ok := s.laid(res, m, u); ok {
			out = append(out, b)
		}
	}
	return out
}

// laid returns the bound that a load gives as a whole.
func (s *stream) laid(res *engine.Result, m *align.Map, u float64) (b align.Bound, ok bool) {
	some := res.Intervals
	for len(some) > 0 && some[len(some)-1].EndNs-some[0].StartNs > layNs {
		some = some[:len(some)-1]
	}
	c := courseOf(m, some, s.PeriodNs, max(layNearNs, u+edgeMapNs)) // a peak of half seconds shows no sides in less
	if c == nil {
		return b, false
	}
	for blk := range s.tolerant(uint64(max(0, m.IndexAt(c.fromNs))), uint64(max(0, m.IndexAt(c.endNs())))) {
		c.add(blk)
	}
	o, err := c.lay()
	if err != nil {
		return b, false
	}
	mid := (c.fromNs + c.endNs()) / 2
	return align.Bound{
		Stripe: m.IndexAt(mid + o.Ns + sureTimes*o.U95Ns), NotBeforeNs: int64(mid - float64(res.EdgeU95Ns) - longest(res)), Kind: "load",
	}, true
}

// crossText says what came of the cross-checks, in a line; "" where there were none.
func crossText(all []CrossCheck) string {
	var best *CrossCheck
	told := 0
	for i := range all {
		c := &all[i]
		if c.OffsetS == nil {
			continue
		}
		told++
		if best == nil || *c.OffsetU95S < *best.OffsetU95S {
			best = c
		}
	}
	loads := fmt.Sprintf("%d long loads", len(all))
	if len(all) == 1 {
		loads = "1 long load"
	}
	switch {
	case len(all) == 0:
		return ""
	case best == nil:
		return "cross-check by energy: no unique answer in " + loads
	}
	return fmt.Sprintf("cross-check by energy: in %d of %s the power follows the IOs, by %.1f ± %.1f ms in the clearest (%s)",
		told, loads, *best.OffsetS*1e3, *best.OffsetU95S*1e3, best.Step)
}
