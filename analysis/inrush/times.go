package inrush

import (
	"fmt"
	"math"

	"powerd/analysis"
)

// TimeMap places stripes on host time, and tells how far apart two of them are;
// align.Map is one.
type TimeMap interface {
	analysis.TimeMap

	// SecondsBetween returns how long it is from the start of stripe a to that of stripe
	// b, and the half-width of its 95 % interval; an offset that is the same at both is in
	// neither.
	SecondsBetween(a, b float64) (s, u95S float64)
}

// unsureShare of a cycle's length is how much its times may be unsure by before they say
// nothing of its course.
const unsureShare = 0.10

// since returns the time from the origin to stripe index k. Its ± holds that of the
// distance, and a stripe: half of one at either end.
func (a *Analyzer) since(k float64) (s, u95 float64) {
	s, u95 = a.m.SecondsBetween(float64(a.origin), k)
	return s, u95 + float64(a.periodNs)*1e-9
}

// stripeS returns the period by the clock's rate, in seconds.
func (a *Analyzer) stripeS() float64 {
	s, _ := a.m.SecondsBetween(float64(a.origin), float64(a.origin)+1)
	return s
}

// untimed returns why the course of the cycle has no times; empty if it has.
func (a *Analyzer) untimed() string {
	s, u := a.since(float64(a.hi))
	switch {
	case math.IsInf(u, 1):
		return "the samples are not placed in time"
	case u > unsureShare*s:
		return fmt.Sprintf("samples are missing that nothing counted, or the module's clock stood still: places %.3g s apart are unsure by ± %.2g s", s, u)
	}
	return ""
}

// place returns the time from the origin to stripe index k with its ±; neither where
// the cycle has no times.
func (a *Analyzer) place(k float64) (s, u95 *float64) {
	if a.noTimes != "" {
		return nil, nil
	}
	at, u := a.since(k)
	return analysis.Some(at), analysis.Some(u)
}

// excess returns the time above a limit. What the module's accuracy leaves open is the
// difference to the time above limits lower and higher by its ±; what a gap leaves
// open, its length.
func (a *Analyzer) excess(c *Cycle, what string, x *above, b *band) Above {
	for _, e := range b.all() {
		e.finish()
	}
	t := a.stripeS()
	_, rateU := a.since(float64(a.hi))
	open := func(low, at, high float64) *float64 {
		return analysis.Some(math.Hypot(max(low-at, at-high)*t, rateU) + x.unseen*t)
	}
	out := Above{
		LimitA: b.at.limit, TotalS: b.at.total * t, LongestS: b.at.most * t,
		TotalU95S: open(b.low.total, b.at.total, b.high.total), LongestU95S: open(b.low.most, b.at.most, b.high.most),
	}
	switch {
	case !b.at.any:
	case !b.high.any:
		c.withhold(what+".first_s", "the current lies within the module's ± of the limit: it may not have been above at all")
		c.withhold(what+".last_s", "the current lies within the module's ± of the limit: it may not have been above at all")
	default:
		var u float64
		out.FirstS, out.FirstU95S = a.place(b.at.first)
		u = max(b.at.first-b.low.first, b.high.first-b.at.first)
		if x.unseen > 0 {
			u = max(u, b.at.first-x.unseenFrom)
		}
		widen(out.FirstU95S, u*t)
		out.LastS, out.LastU95S = a.place(b.at.to)
		u = max(b.low.to-b.at.to, b.at.to-b.high.to)
		if x.unseen > 0 {
			u = max(u, x.unseenTo-b.at.to)
		}
		widen(out.LastU95S, u*t)
	}
	return out
}

// widen adds an independent ± to one.
func widen(u95 *float64, by float64) {
	if u95 != nil {
		*u95 = math.Hypot(*u95, by)
	}
}
