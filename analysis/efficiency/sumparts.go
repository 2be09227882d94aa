package efficiency

import (
	"math"
	"slices"

	"powerd/analysis"
	"powerd/analysis/latency"
	"powerd/quarch"
)

// notMeasured notes a rail of which a round has no samples.
func (s *Sum) notMeasured(rail quarch.Rail) {
	if !slices.Contains(s.NotMeasured, rail) {
		s.NotMeasured = append(s.NotMeasured, rail)
	}
}

// addRails gives the parts of the rails that every round has.
func (s *Sum) addRails(rounds []*Cell) {
	s.Rails = map[quarch.Rail]*Rail{}
	for name := range rounds[0].Rails {
		over := func(of func(*Rail) (x, u95 *float64)) (x, u95 *float64) {
			return overTime(rounds, func(c *Cell) (x, u95 *float64) {
				if r := c.Rails[name]; r != nil {
					return of(r)
				}
				return nil, nil
			})
		}
		r := &Rail{}
		r.MeanW, r.U95W = over(func(r *Rail) (x, u95 *float64) { return r.MeanW, r.U95W })
		r.MeanA, r.U95A = over(func(r *Rail) (x, u95 *float64) { return r.MeanA, r.U95A })
		r.MeanV, r.U95V = over(func(r *Rail) (x, u95 *float64) { return r.MeanV, r.U95V })
		if r.MeanW == nil {
			continue
		}
		r.EnergyJ = analysis.Some(*r.MeanW * *s.DurationS)
		s.Rails[name] = r
	}
}

// overTime returns the mean of a figure over the rounds' seconds, and its ±: theirs, of
// which the module's part is the same in all, and what they show against one another.
func overTime(rounds []*Cell, of func(*Cell) (x, u95 *float64)) (mean, u95 *float64) {
	between := series{}
	sum, seconds, own := 0.0, 0.0, 0.0
	for _, c := range rounds {
		x, u := of(c)
		if x == nil || c.DurationS == nil {
			return nil, nil
		}
		if u == nil {
			own = math.NaN() // and stays so
		} else {
			own += *u * *c.DurationS
		}
		sum, seconds = sum+*x**c.DurationS, seconds+*c.DurationS
		between.add(*x**c.DurationS, *c.DurationS, nil)
	}
	mean = analysis.Some(sum / seconds)
	return mean, analysis.Some(math.Hypot(own/seconds, between.between()*sum/seconds))
}

// latencyOf returns those of all rounds.
func latencyOf(rounds []*Cell) *latency.Figures {
	var parts []*latency.Figures
	for _, c := range rounds {
		parts = append(parts, c.Latency)
	}
	return latency.Add(parts)
}
