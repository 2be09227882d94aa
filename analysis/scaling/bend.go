package scaling

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"powerd/analysis"
	"powerd/quarch"
)

// inside is by how much a knee must lie within the depths that were measured: on the outermost
// one a single cell would be all of a line.
const inside = 1.05

// bend finds the knee, and the sweet spot beside it.
func (r *Result) bend(points []point) {
	if len(points) < leastBend {
		r.withhold(fmt.Sprintf("a knee needs %d depths, and there are %d", leastBend, len(points)), "knee_depth", "sweet_spot")
		return
	}
	points = slices.SortedFunc(slices.Values(points), func(a, b point) int { return cmp.Compare(a.depth(), b.depth()) })
	knee := broken(points)
	first, last := points[0].depth(), points[len(points)-1].depth()
	if !(knee > first*inside && knee < last/inside) {
		r.withhold(fmt.Sprintf("the latency does not bend between depths %g and %g", first, last), "knee_depth", "sweet_spot")
		return
	}
	i := slices.IndexFunc(points, func(p point) bool { return p.depth() >= knee })
	spot := points[i]
	r.KneeDepth, r.KneeAbove, r.KneeBelow = &knee, int(points[i-1].depth()), int(spot.depth())
	r.SweetSpot, r.SweetQD, r.SweetJobs = spot.cell.Step, spot.cell.QD, spot.cell.Jobs
	r.SweetIOPS, r.SweetW = analysis.Some(spot.iops), analysis.Some(spot.w)
	r.SweetUJ, r.SweetU95Rel = spot.cell.UJPerIO, spot.cell.U95Rel
}

// broken returns the depth at which a level line and one that rises with the depth meet, laid
// through the logarithms of latency over depth so that the squares of what is left are
// least.
func broken(points []point) (knee float64) {
	x, y := make([]float64, len(points)), make([]float64, len(points))
	for i, p := range points {
		x[i] = math.Log(p.depth())
		y[i] = x[i] - math.Log(p.iops)
	}
	least := math.Inf(1)
	for split := 1; split < len(points); split++ {
		level, rate := 0.0, 0.0 // log of the latency without waiting, and of the most IOPS
		for i := range points {
			if i < split {
				level += y[i] / float64(split)
			} else {
				rate += (x[i] - y[i]) / float64(len(points)-split)
			}
		}
		left := 0.0
		for i := range points {
			d := y[i] - max(level, x[i]-rate)
			left += d * d
		}
		if left < least {
			least, knee = left, math.Exp(level+rate)
		}
	}
	return knee
}

// follow says how power follows load.
func (r *Result) follow(points []point, idle *Idle) {
	shares := []string{"dynamic_range", "proportionality"}
	if idle == nil {
		r.withhold("no idle step was measured", shares...)
		return
	}
	_, top := extremes(points)
	if top.w <= idle.Watts {
		r.withhold(fmt.Sprintf("the highest load draws %.4g W, not more than the %.4g W of idle", top.w, idle.Watts), shares...)
		return
	}
	ratio := idle.Watts / top.w
	r.DynamicRange = analysis.Some(1 - ratio)
	r.DynamicRangeU95 = analysis.Some(ratio * math.Hypot(math.Hypot(idle.NoiseU95W/idle.Watts, top.scatter/top.w), unlike(idle.ModuleW, idle.Watts, top.module, top.w)))

	curve := slices.SortedFunc(slices.Values(points), func(a, b point) int { return cmp.Compare(a.iops, b.iops) })
	curve = slices.Insert(curve, 0, point{w: idle.Watts, scatter: idle.NoiseU95W, module: idle.ModuleW})
	for i := 1; i < len(curve); i++ {
		if step := (curve[i].iops - curve[i-1].iops) / top.iops; step > widestStep {
			r.withhold(fmt.Sprintf("nothing was measured between %.0f and %.0f %% of the highest load", 100*curve[i-1].iops/top.iops, 100*curve[i].iops/top.iops), "proportionality")
			return
		}
	}
	area := 0.0 // below the curve, over a load of 0 to 1, in watts
	weights := make([]float64, len(curve))
	for i := 1; i < len(curve); i++ {
		half := (curve[i].iops - curve[i-1].iops) / top.iops / 2
		weights[i-1], weights[i] = weights[i-1]+half, weights[i]+half
	}
	for i, p := range curve {
		area += weights[i] * p.w
	}
	// 1 − (area − top/2)/(top/2) = 2 − 2·area/top
	r.Proportionality = analysis.Some(2 - 2*area/top.w)
	u := 0.0
	mean := map[quarch.Rail]float64{} // of the module's errors below the curve
	for i, p := range curve {
		weight := weights[i]
		if p.cell == top.cell {
			weight -= area / top.w
		}
		u = math.Hypot(u, weight*p.scatter)
		for rail, m := range p.module {
			mean[rail] += weights[i] * m
		}
	}
	r.ProportionalityU95 = analysis.Some(2 * math.Hypot(u/top.w, area/top.w*unlike(mean, area, top.module, top.w)))
}

// unlike returns what a module's error, the same in both, changes the ratio of two powers
// by, relative to it.
func unlike(a map[quarch.Rail]float64, aW float64, b map[quarch.Rail]float64, bW float64) float64 {
	u := 0.0
	for rail, m := range quarch.ByRail(b) {
		u = math.Hypot(u, a[rail]/aW-m/bW)
	}
	return u
}
