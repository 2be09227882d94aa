package scaling

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/efficiency"
	"powerd/quarch"
)

const (
	leastLoads = 3    // of a series
	leastBend  = 4    // depths of a knee
	widestStep = 0.35 // of load, between neighbouring points of a curve
)

// Idle is what the drive draws without load, measured in the same run.
type Idle struct {
	Watts     float64
	NoiseU95W float64                 // without the module's accuracy
	ModuleW   map[quarch.Rail]float64 // U95 of each rail's power that the module brings
}

// Input is the cells of one group of a suite.
type Input struct {
	Group    string
	Cells    []*efficiency.Cell
	Idle     *Idle // nil = not measured
	Accuracy accuracy.Spec
}

// Result is one series, with the JSON keys of results.json. What is nil is not known, or
// in Withheld.
type Result struct {
	Group      string   `json:"group"`
	RW         string   `json:"rw"`
	BSBytes    int64    `json:"bs_bytes"`
	ReadPct    int      `json:"read_pct"`
	EntropyPct *int     `json:"entropy_pct,omitempty"`
	RangePct   *float64 `json:"range_pct,omitempty"`
	Demand     bool     `json:"demand,omitempty"` // the cells differ in the IOPS that were asked for
	Cells      int      `json:"cells"`

	BaseW     *float64 `json:"base_w,omitempty"` // P0
	BaseU95W  *float64 `json:"base_u95_w,omitempty"`
	UJPerIO   *float64 `json:"uj_per_io,omitempty"` // e: of one more IO
	UJU95     *float64 `json:"uj_per_io_u95,omitempty"`
	AwakeW    *float64 `json:"awake_w,omitempty"` // P0 − idle
	AwakeU95W *float64 `json:"awake_u95_w,omitempty"`

	KneeDepth   *float64 `json:"knee_depth,omitempty"`
	KneeAbove   int      `json:"knee_above_depth,omitempty"` // the measured depths on either side
	KneeBelow   int      `json:"knee_below_depth,omitempty"`
	SweetSpot   string   `json:"sweet_spot,omitempty"` // the cell's step
	SweetQD     int      `json:"sweet_qd,omitempty"`
	SweetJobs   int      `json:"sweet_jobs,omitempty"`
	SweetIOPS   *float64 `json:"sweet_iops,omitempty"`
	SweetW      *float64 `json:"sweet_mean_w,omitempty"`
	SweetUJ     *float64 `json:"sweet_uj_per_io,omitempty"`
	SweetU95Rel *float64 `json:"sweet_u95_rel,omitempty"` // of sweet_uj_per_io

	DynamicRange       *float64 `json:"dynamic_range,omitempty"`
	DynamicRangeU95    *float64 `json:"dynamic_range_u95,omitempty"`
	Proportionality    *float64 `json:"proportionality,omitempty"`
	ProportionalityU95 *float64 `json:"proportionality_u95,omitempty"`

	Withheld []analysis.Withheld `json:"-"`
}

// point is a cell as this package sees it.
type point struct {
	cell    *efficiency.Cell
	iops, w float64
	scatter float64 // U95 of w without the module's accuracy
	module  map[quarch.Rail]float64
}

func (p *point) depth() float64 { return float64(p.cell.QD * p.cell.Jobs) }

// Judge returns the series of a group that have three loads or more.
func Judge(in Input) []*Result {
	type key struct {
		rw          string
		bs          int64
		readPct     int
		demand      bool
		entropy     int // -1 = of nothing written
		share, from float64
	}
	series := map[key][]point{}
	var order []key
	for _, c := range in.Cells {
		if c.IOPS == nil || c.MeanW == nil || c.MeanU95W == nil || *c.IOPS <= 0 {
			continue
		}
		k := key{c.RW, c.BSBytes, c.ReadPct, c.DemandIOPS > 0, -1, 100, c.RangeFromPct}
		if c.EntropyPct != nil {
			k.entropy = *c.EntropyPct
		}
		if c.RangePct != nil {
			k.share = *c.RangePct
		}
		if series[k] == nil {
			order = append(order, k)
		}
		series[k] = append(series[k], newPoint(c, in.Accuracy))
	}
	var out []*Result
	for _, k := range order {
		points := series[k]
		if !varies(points, k.demand) {
			continue
		}
		r := &Result{Group: in.Group, RW: k.rw, BSBytes: k.bs, ReadPct: k.readPct, EntropyPct: points[0].cell.EntropyPct, RangePct: points[0].cell.RangePct, Demand: k.demand, Cells: len(points)}
		r.fit(points, in.Idle)
		if !k.demand {
			r.bend(points)
		}
		r.follow(points, in.Idle)
		out = append(out, r)
	}
	return out
}

func newPoint(c *efficiency.Cell, spec accuracy.Spec) point {
	p := point{cell: c, iops: *c.IOPS, w: *c.MeanW, module: map[quarch.Rail]float64{}}
	all := 0.0
	for rail, r := range quarch.ByRail(c.Rails) {
		if r.MeanV != nil && r.MeanA != nil {
			p.module[rail] = spec.U95Watts(*r.MeanV, *r.MeanA)
			all = math.Hypot(all, p.module[rail])
		}
	}
	p.scatter = math.Sqrt(max(0, *c.MeanU95W**c.MeanU95W-all*all))
	return p
}

// varies reports whether no two cells are of the same depth or demand, and there are enough
// of them to say anything.
func varies(points []point, demand bool) bool {
	seen := map[int]bool{}
	for _, p := range points {
		x := p.cell.QD * p.cell.Jobs
		if demand {
			x = p.cell.DemandIOPS
		}
		if seen[x] {
			return false
		}
		seen[x] = true
	}
	return len(points) >= leastLoads
}

func (r *Result) withhold(why string, figures ...string) {
	for _, f := range figures {
		r.Withheld = append(r.Withheld, analysis.Withheld{What: r.path() + "." + f, Why: why})
	}
}

// path names the series in withheld[].
func (r *Result) path() string {
	name := fmt.Sprintf("scaling.%s.%s-%d", r.Group, r.RW, r.BSBytes)
	if strings.HasSuffix(r.RW, "rw") {
		name += fmt.Sprintf("-r%d", r.ReadPct)
	}
	if r.EntropyPct != nil {
		name += fmt.Sprintf("-e%d", *r.EntropyPct)
	}
	return name
}

// why returns the reason why a figure is withheld; empty if it is not.
func (r *Result) why(figure string) string {
	for _, w := range r.Withheld {
		if w.What == r.path()+"."+figure {
			return w.Why
		}
	}
	return ""
}

// fit lays the line P = P0 + e·N through the cells.
func (r *Result) fit(points []point, idle *Idle) {
	n := float64(len(points))
	var mx, my, sxx, sxy float64
	for _, p := range points {
		mx, my = mx+p.iops/n, my+p.w/n
	}
	for _, p := range points {
		sxx, sxy = sxx+(p.iops-mx)*(p.iops-mx), sxy+(p.iops-mx)*(p.w-my)
	}
	if math.Sqrt(sxx/n) < 0.01*mx {
		r.withhold("all loads do the same IOPS within 1 %: there is no slope to be seen", "base_w", "uj_per_io", "awake_w")
		return
	}
	e := sxy / sxx
	p0 := my - e*mx
	var residual, slopeU, baseU float64
	for _, p := range points {
		d := p.w - p0 - e*p.iops
		residual += d * d / (n - 2)
		k := (p.iops - mx) / sxx // what the cell's watts weigh in e
		slopeU = math.Hypot(slopeU, k*p.scatter)
		baseU = math.Hypot(baseU, (1/n-k*mx)*p.scatter)
	}
	t := analysis.Student95(n - 2)
	slopeU = max(slopeU, t*math.Sqrt(residual/sxx))
	baseU = max(baseU, t*math.Sqrt(residual*(1/n+mx*mx/sxx)))

	low, high := extremes(points)
	lowModule, span := 0.0, 0.0
	for rail, u := range quarch.ByRail(high.module) {
		lowModule, span = math.Hypot(lowModule, low.module[rail]), math.Hypot(span, u-low.module[rail])
	}
	r.UJPerIO, r.UJU95 = analysis.Some(e*1e6), analysis.Some(1e6*math.Hypot(slopeU, span/max(high.iops-low.iops, math.SmallestNonzeroFloat64)))
	r.BaseW, r.BaseU95W = &p0, analysis.Some(math.Hypot(baseU, lowModule))
	if idle == nil {
		r.withhold("no idle step was measured", "awake_w")
		return
	}
	differs := 0.0 // of the module's error, what does not cancel
	for rail, u := range quarch.ByRail(low.module) {
		differs = math.Hypot(differs, u-idle.ModuleW[rail])
	}
	r.AwakeW, r.AwakeU95W = analysis.Some(p0-idle.Watts), analysis.Some(math.Hypot(math.Hypot(baseU, idle.NoiseU95W), differs))
}

// extremes returns the points of the least and of the most IOPS.
func extremes(points []point) (low, high point) {
	by := func(a, b point) int { return cmp.Compare(a.iops, b.iops) }
	return slices.MinFunc(points, by), slices.MaxFunc(points, by)
}
