package efficiency

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/quarch"
)

// Sum is rounds of one cell in a row, added up: sums over sums, as in a cell. The time
// between rounds is in no sum, and what was not sampled of a round draws what the rest of
// it does. A figure that one of the rounds lacks the sum lacks, too.
type Sum struct {
	Cell
	ScatterW float64                 // U95 of MeanW, without the module's accuracy
	ModuleW  map[quarch.Rail]float64 // U95 of each rail's mean power that the module brings
}

// Add adds up rounds, one at least, as a cell of a name of its own.
func Add(step string, rounds []*Cell, spec accuracy.Spec) *Sum {
	first, last := rounds[0], rounds[len(rounds)-1]
	s := &Sum{Cell: Cell{
		Step: step, Engine: first.Engine, RW: first.RW, BSBytes: first.BSBytes, ReadPct: first.ReadPct, QD: first.QD, Jobs: first.Jobs, Region: first.Region,
		DemandIOPS: first.DemandIOPS, FirstRound: first.Round, Round: last.Round, State: StateNotJudged,
		StartMonoNs: first.StartMonoNs, EndMonoNs: last.EndMonoNs,
	}}
	seconds := 0.0
	for _, c := range rounds {
		if c.DurationS != nil {
			seconds += *c.DurationS
		}
		if c.Coverage != nil && (s.Coverage == nil || *c.Coverage < *s.Coverage) { // the poorest tells what all can support
			s.Coverage = c.Coverage
		}
		s.IOs, s.Bytes = s.IOs+c.IOs, s.Bytes+c.Bytes
	}
	s.DurationS = &seconds
	s.latencies(latencyOf(rounds))
	if s.lacks(rounds, "iops", func(c *Cell) bool { return c.IOPS != nil && !c.Interrupted }) {
		return s
	}
	s.addRates(rounds)
	if s.lacks(rounds, "mean_w", func(c *Cell) bool { return c.MeanW != nil }) {
		return s
	}
	s.addPower(rounds, spec)
	if !s.lacks(rounds, "iops_per_mw", func(c *Cell) bool { return c.IOPSPerMW != nil }) {
		s.addRatios(rounds)
	}
	return s
}

// lacks withholds a figure that a round has not, and what follows from it.
func (s *Sum) lacks(rounds []*Cell, figure string, has func(*Cell) bool) bool {
	for _, c := range rounds {
		if !has(c) {
			why := fmt.Sprintf("round %d lacks it: %s", c.Round, c.Reason(figure))
			s.withhold(figure, why)
			s.why = why
			return true
		}
	}
	return false
}

// addRates gives the engine's figures.
func (s *Sum) addRates(rounds []*Cell) {
	s.IOPS, s.MBPerS = analysis.Some(float64(s.IOs) / *s.DurationS), analysis.Some(float64(s.Bytes)*1e-6 / *s.DurationS)
	x := series{}
	for _, c := range rounds {
		x.add(float64(c.IOs), *c.DurationS, c.IOPSU95Rel)
	}
	if s.IOPSU95Rel = x.relU95(); s.IOPSU95Rel == nil {
		s.withhold("iops_u95_rel", tooShort)
	}
}

// tooShort is why rounds tell no scatter.
const tooShort = "the rounds are too short to tell their scatter"

// addPower gives the module's figures.
func (s *Sum) addPower(rounds []*Cell, spec accuracy.Spec) {
	s.ModuleW = map[quarch.Rail]float64{}
	energy, module := 0.0, 0.0
	x := series{}
	for _, c := range rounds {
		joules := *c.MeanW * *c.DurationS // also of what was not sampled: its mean is that of the rest
		energy += joules
		ofAll := 0.0
		for name, rail := range quarch.ByRail(c.Rails) {
			if rail.MeanV == nil || rail.MeanA == nil {
				continue
			}
			u := spec.U95Watts(*rail.MeanV, *rail.MeanA)
			ofAll = math.Hypot(ofAll, u)
			s.ModuleW[name] += u * *c.DurationS / *s.DurationS
		}
		var scatter *float64
		if c.MeanU95W != nil {
			scatter = analysis.Some(math.Sqrt(max(0, *c.MeanU95W**c.MeanU95W-ofAll*ofAll)) / *c.MeanW)
		}
		x.add(joules, *c.DurationS, scatter)
		for _, rail := range c.NotMeasured {
			s.notMeasured(rail)
		}
	}
	s.EnergyJ, s.MeanW = &energy, analysis.Some(energy / *s.DurationS)
	s.addRails(rounds)
	for _, u := range quarch.ByRail(s.ModuleW) {
		module = math.Hypot(module, u)
	}
	if rel := x.relU95(); rel != nil {
		s.ScatterW = *rel * *s.MeanW
		s.MeanU95W = analysis.Some(math.Hypot(s.ScatterW, module))
	}
}

// addRatios gives what the drive did for its power.
func (s *Sum) addRatios(rounds []*Cell) {
	s.divide(*s.MeanW)
	x := series{}
	for _, c := range rounds {
		x.add(float64(c.IOs), *c.MeanW**c.DurationS, c.U95ScatterRel)
	}
	if s.U95ScatterRel = x.relU95(); s.U95ScatterRel == nil {
		s.withhold("u95_rel", tooShort)
		return
	}
	module := 0.0
	for _, u := range quarch.ByRail(s.ModuleW) {
		module = math.Hypot(module, u / *s.MeanW)
	}
	s.U95Rel = analysis.Some(math.Hypot(*s.U95ScatterRel, module))
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
	sum := 0.0
	for _, n := range s.count {
		sum += n
	}
	return analysis.Some(max(s.within/sum, s.between()))
}

// between returns what the rounds show against one another: of fewer than four, half of
// what lies between the lowest and the highest.
func (s *series) between() float64 {
	if u := RelU95(s.count, s.per); !math.IsNaN(u) {
		return u
	}
	sum, over := 0.0, 0.0
	lowest, highest := math.Inf(1), math.Inf(-1)
	for i, n := range s.count {
		sum, over = sum+n, over+s.per[i]
		lowest, highest = min(lowest, n/s.per[i]), max(highest, n/s.per[i])
	}
	return (highest - lowest) / 2 / (sum / over)
}
