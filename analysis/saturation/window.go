package saturation

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/efficiency"
	"powerd/quarch"
)

// Window is some rounds in a row, added up.
type Window struct {
	State       string   `json:"state"`
	FirstRound  int      `json:"first_round"`
	LastRound   int      `json:"last_round"`
	StartMonoNs int64    `json:"start_mono_ns"` // of the first of them
	EndMonoNs   int64    `json:"end_mono_ns"`   // of the last of them; the time between rounds is in no sum
	DurationS   float64  `json:"duration_s"`    // of the rounds
	Coverage    *float64 `json:"coverage,omitempty"`
	IOs         uint64   `json:"ios"`
	Bytes       uint64   `json:"bytes"`
	IOPS        *float64 `json:"iops,omitempty"`
	MBPerS      *float64 `json:"mb_per_s,omitempty"`
	IOPSU95Rel  *float64 `json:"iops_u95_rel,omitempty"`
	MeanW       *float64 `json:"mean_w,omitempty"`
	MeanU95W    *float64 `json:"mean_u95_w,omitempty"`
	EnergyJ     *float64 `json:"energy_j,omitempty"`
	IOPSPerMW   *float64 `json:"iops_per_mw,omitempty"`
	IOPSPerW    *float64 `json:"iops_per_w,omitempty"`

	U95Rel        *float64 `json:"u95_rel,omitempty"`         // of IOPS/mW and IOPS/W
	U95ScatterRel *float64 `json:"u95_scatter_rel,omitempty"` // without the module's accuracy

	scatterW float64                 // U95 of MeanW, without the module's accuracy
	moduleW  map[quarch.Rail]float64 // U95 of each rail's mean power that the module brings
}

// window adds rounds up. A figure that one of them lacks the window lacks too.
func (r *Result) window(name string, cells []*efficiency.Cell, spec accuracy.Spec) *Window {
	first, last := cells[0], cells[len(cells)-1]
	w := &Window{
		State: efficiency.StateNotJudged, FirstRound: first.Round, LastRound: last.Round,
		StartMonoNs: first.StartMonoNs, EndMonoNs: last.EndMonoNs,
	}
	for _, c := range cells {
		if c.DurationS != nil {
			w.DurationS += *c.DurationS
		}
		if c.Coverage != nil && (w.Coverage == nil || *c.Coverage < *w.Coverage) { // the poorest tells what all can support
			w.Coverage = c.Coverage
		}
		w.IOs, w.Bytes = w.IOs+c.IOs, w.Bytes+c.Bytes
	}
	lacks := func(figure string, has func(*efficiency.Cell) bool) bool {
		for _, c := range cells {
			if !has(c) {
				r.withhold(name+"."+figure, fmt.Sprintf("round %d lacks it: %s", c.Round, c.Reason(figure)))
				return true
			}
		}
		return false
	}
	if lacks("iops", func(c *efficiency.Cell) bool { return c.IOPS != nil && !c.Interrupted }) {
		return w
	}
	w.rates(cells)
	if lacks("mean_w", func(c *efficiency.Cell) bool { return c.MeanW != nil }) {
		return w
	}
	w.power(cells, spec)
	if !lacks("iops_per_mw", func(c *efficiency.Cell) bool { return c.IOPSPerMW != nil }) {
		w.ratios(cells)
	}
	return w
}

// rates gives the engine's figures.
func (w *Window) rates(cells []*efficiency.Cell) {
	w.IOPS, w.MBPerS = analysis.Some(float64(w.IOs)/w.DurationS), analysis.Some(float64(w.Bytes)*1e-6/w.DurationS)
	s := series{}
	for _, c := range cells {
		s.add(float64(c.IOs), *c.DurationS, c.IOPSU95Rel)
	}
	w.IOPSU95Rel = s.relU95()
}

// power gives the module's figures.
func (w *Window) power(cells []*efficiency.Cell, spec accuracy.Spec) {
	w.moduleW = map[quarch.Rail]float64{}
	energy, module := 0.0, 0.0
	s := series{}
	for _, c := range cells {
		joules := *c.MeanW * *c.DurationS // also of what was not sampled: its mean is that of the rest
		energy += joules
		ofAll := 0.0
		for name, rail := range quarch.ByRail(c.Rails) {
			if rail.MeanV == nil || rail.MeanA == nil {
				continue
			}
			u := spec.U95Watts(*rail.MeanV, *rail.MeanA)
			ofAll = math.Hypot(ofAll, u)
			w.moduleW[name] += u * *c.DurationS / w.DurationS
		}
		var scatter *float64
		if c.MeanU95W != nil {
			scatter = analysis.Some(math.Sqrt(max(0, *c.MeanU95W**c.MeanU95W-ofAll*ofAll)) / *c.MeanW)
		}
		s.add(joules, *c.DurationS, scatter)
	}
	w.EnergyJ, w.MeanW = &energy, analysis.Some(energy/w.DurationS)
	for _, u := range quarch.ByRail(w.moduleW) {
		module = math.Hypot(module, u)
	}
	if rel := s.relU95(); rel != nil {
		w.scatterW = *rel * *w.MeanW
		w.MeanU95W = analysis.Some(math.Hypot(w.scatterW, module))
	}
}

// ratios gives what the drive did for its power.
func (w *Window) ratios(cells []*efficiency.Cell) {
	w.IOPSPerW = analysis.Some(float64(w.IOs) / *w.EnergyJ)
	w.IOPSPerMW = analysis.Some(*w.IOPSPerW * 1e-3)
	s := series{}
	for _, c := range cells {
		s.add(float64(c.IOs), *c.MeanW**c.DurationS, c.U95ScatterRel)
	}
	if w.U95ScatterRel = s.relU95(); w.U95ScatterRel == nil {
		return
	}
	module := 0.0
	for _, u := range quarch.ByRail(w.moduleW) {
		module = math.Hypot(module, u / *w.MeanW)
	}
	w.U95Rel = analysis.Some(math.Hypot(*w.U95ScatterRel, module))
}

// series is rounds of something that is counted, and what it is divided by.
type series struct {
	count, per []float64
	within     float64 // √Σ(u·count)² of the rounds' own scatter; NaN if one does not tell it
}

func (s *series) add(count, per float64, relU95 *float64) {
	u := math.NaN()
	if relU95 != nil {
		u = *relU95 * count
	}
	s.count, s.per = append(s.count, count), append(s.per, per)
	s.within = math.Hypot(s.within, u)
}

// relU95 returns the relative half-width of the 95 % interval of Σcount/Σper; nil if a
// round does not tell its own. It is at least what the rounds show against one another.
func (s *series) relU95() *float64 {
	sum, over := 0.0, 0.0
	lowest, highest := math.Inf(1), math.Inf(-1)
	for i, n := range s.count {
		sum, over = sum+n, over+s.per[i]
		lowest, highest = min(lowest, n/s.per[i]), max(highest, n/s.per[i])
	}
	between := efficiency.RelU95(s.count, s.per)
	if math.IsNaN(between) {
		between = (highest - lowest) / 2 / (sum / over)
	}
	return analysis.Some(max(s.within/sum, between))
}
