package saturation

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/efficiency"
	"powerd/quarch"
)

const (
	equalPower = 0.10 // the most that two windows' powers may differ, relative to the fresh one's
	cliffShare = 0.90 // of the fresh IOPS: rounds below lie beyond the cliff
)

// Input is the rounds of a load, or of one cell of a matrix.
type Input struct {
	Step        string             // the load's or the cell's name, without the round
	Cells       []*efficiency.Cell // of the rounds that were done to their end, in order
	Planned     int                // rounds
	Fresh, Last int                // rounds of the two windows, 1 or more
	Accuracy    accuracy.Spec      // the module's
}

// Result is the comparison, with the JSON keys of results.json. What is nil was not
// measured or is in Withheld.
type Result struct {
	Step          string  `json:"step"`
	RW            string  `json:"rw"`
	BSBytes       int64   `json:"bs_bytes"`
	ReadPct       int     `json:"read_pct"`
	QD            int     `json:"qd"`
	Jobs          int     `json:"jobs"`
	Rounds        int     `json:"rounds"` // done
	RoundsPlanned int     `json:"rounds_planned"`
	Bytes         uint64  `json:"bytes"` // moved in all of them
	Fresh         *Window `json:"fresh,omitempty"`
	Last          *Window `json:"last,omitempty"`
	Comparison
	Withheld []analysis.Withheld `json:"-"`
}

// Comparison holds the last window against the fresh one.
type Comparison struct {
	IOPSRatio    *float64 `json:"iops_ratio,omitempty"` // fresh ÷ last
	IOPSRatioU95 *float64 `json:"iops_ratio_u95,omitempty"`
	CliffRound   int      `json:"cliff_round,omitempty"` // 0 = none stands out

	PowerChangeW    *float64 `json:"power_change_w,omitempty"` // last − fresh
	PowerChangeU95W *float64 `json:"power_change_u95_w,omitempty"`
	PowerChangeRel  *float64 `json:"power_change_rel,omitempty"` // of the fresh one

	ShareIOPS          *float64 `json:"housekeeping_share_iops,omitempty"` // (fresh − last)/fresh, at the power change above
	ShareIOPSU95       *float64 `json:"housekeeping_share_iops_u95,omitempty"`
	ShareEfficiency    *float64 `json:"housekeeping_share_efficiency,omitempty"` // 1 − (IOPS/mW last)/(IOPS/mW fresh)
	ShareEfficiencyU95 *float64 `json:"housekeeping_share_efficiency_u95,omitempty"`
}

// Judge compares the two windows.
func Judge(in Input) *Result {
	r := &Result{Step: in.Step, Rounds: len(in.Cells), RoundsPlanned: in.Planned}
	for i, c := range in.Cells {
		if i == 0 {
			r.RW, r.BSBytes, r.ReadPct, r.QD, r.Jobs = c.RW, c.BSBytes, c.ReadPct, c.QD, c.Jobs
		}
		r.Bytes += c.Bytes
	}
	if n := len(in.Cells); n < in.Fresh+in.Last {
		why := fmt.Sprintf("%d of %d rounds were done: the fresh and the last window need %d + %d", n, in.Planned, in.Fresh, in.Last)
		if n == 1 {
			why = "one round only: there is nothing to compare it with"
		}
		r.withhold("", why)
		return r
	}
	fresh, last := in.Cells[:in.Fresh], in.Cells[len(in.Cells)-in.Last:]
	for _, w := range []struct {
		cells []*efficiency.Cell
		from  int
	}{{fresh, 1}, {last, last[0].Round}} {
		for i, c := range w.cells {
			if want := w.from + i; c.Round != want {
				r.withhold("", fmt.Sprintf("round %d left no figures, and the windows are rounds in a row", want))
				return r
			}
		}
	}
	r.Fresh, r.Last = r.window("fresh", fresh, in.Accuracy), r.window("last", last, in.Accuracy)
	r.compareIOPS()
	if r.IOPSRatio != nil && r.why("housekeeping_share_iops") == "" {
		r.CliffRound = cliff(in.Cells, in.Fresh, cliffShare**r.Fresh.IOPS)
	}
	r.compareWatts()
	r.compareEfficiency()
	return r
}

func (r *Result) withhold(what, why string) {
	path := "saturation." + r.Step
	if what != "" {
		path += "." + what
	}
	r.Withheld = append(r.Withheld, analysis.Withheld{What: path, Why: why})
}

// why returns the reason why a figure is withheld; empty if it is not.
func (r *Result) why(what string) string {
	for _, w := range r.Withheld {
		if w.What == "saturation."+r.Step+"."+what || w.What == "saturation."+r.Step {
			return w.Why
		}
	}
	return ""
}

// compareIOPS gives the IOPS' ratio, and withholds the share where it shows no cliff.
func (r *Result) compareIOPS() {
	f, l := r.Fresh, r.Last
	switch {
	case f.IOPS == nil || l.IOPS == nil:
		r.withhold("housekeeping_share_iops", "the IOPS of a window are not known")
		return
	case f.IOPSU95Rel == nil || l.IOPSU95Rel == nil:
		r.withhold("housekeeping_share_iops", "the ± of a window's IOPS is not known, so a cliff cannot be told from scatter")
	default:
		between := math.Hypot(*f.IOPS**f.IOPSU95Rel, *l.IOPS**l.IOPSU95Rel)
		if *f.IOPS-*l.IOPS <= between {
			r.withhold("housekeeping_share_iops", fmt.Sprintf("no cliff: the last rounds do %.4g IOPS and the fresh ones %.4g, and only a fall by more than %.2g would stand out",
				*l.IOPS, *f.IOPS, between))
		}
		r.IOPSRatioU95 = analysis.Some(*f.IOPS / *l.IOPS * math.Hypot(*f.IOPSU95Rel, *l.IOPSU95Rel))
	}
	r.IOPSRatio = analysis.Some(*f.IOPS / *l.IOPS)
}

// compareWatts gives the difference of the powers, and the share that is a share at
// equal power only.
func (r *Result) compareWatts() {
	f, l := r.Fresh, r.Last
	if f.MeanW == nil || l.MeanW == nil {
		r.withhold("power_change_w", "the power of a window is not known")
	} else {
		module := 0.0
		for rail, u := range quarch.ByRail(f.moduleW) {
			module = math.Hypot(module, u-l.moduleW[rail])
		}
		r.PowerChangeW = analysis.Some(*l.MeanW - *f.MeanW)
		r.PowerChangeU95W = analysis.Some(math.Hypot(math.Hypot(f.scatterW, l.scatterW), module))
		r.PowerChangeRel = analysis.Some(*r.PowerChangeW / *f.MeanW)
	}
	switch {
	case r.why("housekeeping_share_iops") != "":
	case r.PowerChangeRel == nil:
		r.withhold("housekeeping_share_iops", "it is a share at equal power, and the power of a window is not known; the two ratios of IOPS stand beside it")
	case math.Abs(*r.PowerChangeRel) > equalPower:
		r.withhold("housekeeping_share_iops", fmt.Sprintf("it is a share at equal power: the last rounds draw %+.1f %% of what the fresh ones do", 100**r.PowerChangeRel))
	default:
		r.ShareIOPS, r.ShareIOPSU95 = share(*l.IOPS / *f.IOPS, math.Hypot(*f.IOPSU95Rel, *l.IOPSU95Rel))
	}
}

// compareEfficiency gives the share that holds at any power.
func (r *Result) compareEfficiency() {
	const what = "housekeeping_share_efficiency"
	f, l := r.Fresh, r.Last
	switch {
	case f.IOPSPerMW == nil || l.IOPSPerMW == nil:
		r.withhold(what, "the IOPS/mW of a window are not known")
		return
	case f.U95ScatterRel == nil || l.U95ScatterRel == nil:
		r.withhold(what, "the ± of a window's IOPS/mW is not known, so a cliff cannot be told from scatter")
		return
	}
	module := 0.0
	for rail, u := range quarch.ByRail(f.moduleW) {
		module = math.Hypot(module, u / *f.MeanW - l.moduleW[rail] / *l.MeanW)
	}
	ratio := *l.IOPSPerMW / *f.IOPSPerMW
	rel := math.Hypot(math.Hypot(*f.U95ScatterRel, *l.U95ScatterRel), module)
	if 1-ratio <= ratio*rel {
		r.withhold(what, fmt.Sprintf("no cliff: the last rounds do %.4g IOPS/mW and the fresh ones %.4g, which lies within the ± of their ratio (%.2g %%)",
			*l.IOPSPerMW, *f.IOPSPerMW, 100*rel))
		return
	}
	r.ShareEfficiency, r.ShareEfficiencyU95 = share(ratio, rel)
}

// share returns 1 − ratio, and its ±.
func share(ratio, relU95 float64) (s, u95 *float64) {
	return analysis.Some(1 - ratio), analysis.Some(ratio * relU95)
}

// cliff returns the first round after the fresh ones from which on none does more than
// so many IOPS; 0 if the last one does.
func cliff(cells []*efficiency.Cell, fresh int, iops float64) int {
	round := 0
	for i := len(cells) - 1; i >= fresh; i-- {
		if cells[i].IOPS == nil {
			continue
		}
		if *cells[i].IOPS >= iops {
			break
		}
		round = cells[i].Round
	}
	return round
}
