package saturation

import (
	"math"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/efficiency"
	"powerd/quarch"
)

// round is a round of 60 s of random 4 KiB writes; iopsU is the relative ± of its IOPS.
func round(n int, iops, watts, iopsU float64) *efficiency.Cell {
	const seconds = 60.0
	ios := uint64(math.Round(iops * seconds))
	some := analysis.Some
	return &efficiency.Cell{
		Step: "write", RW: "randwrite", BSBytes: 4096, QD: 32, Jobs: 1, Round: n, State: efficiency.StateNotJudged,
		StartMonoNs: int64(n) * 61e9, EndMonoNs: int64(n)*61e9 + 60e9, DurationS: some(seconds), Coverage: some(1),
		IOs: ios, Bytes: 4096 * ios, Rates: efficiency.Rates{IOPS: some(iops), MBPerS: some(iops * 4096e-6), IOPSU95Rel: some(iopsU)},
		MeanW: some(watts), MeanU95W: some(0), EnergyJ: some(watts * seconds),
		Rails: map[quarch.Rail]*efficiency.Rail{
			quarch.Rail5V: {MeanV: some(5), MeanA: some(0.8 * watts / 5)}, quarch.Rail12V: {MeanV: some(12), MeanA: some(0.2 * watts / 12)},
		},
		Ratios: efficiency.Ratios{IOPSPerMW: some(iops / watts / 1000), IOPSPerW: some(iops / watts), U95Rel: some(iopsU), U95ScatterRel: some(iopsU)},
	}
}

// saturated are 20 rounds of the published drive: 17 at 110 000 IOPS and 6.41 W, three
// at 42 000 and 6.00 W.
func saturated(iopsU float64) []*efficiency.Cell {
	var out []*efficiency.Cell
	for n := 1; n <= 17; n++ {
		out = append(out, round(n, 110_000, 6.41, iopsU))
	}
	for n := 18; n <= 20; n++ {
		out = append(out, round(n, 42_000, 6.00, iopsU))
	}
	return out
}

func near(t *testing.T, what string, got *float64, want, tolerance float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is withheld, want %g", what, want)
		return
	}
	if math.Abs(*got-want) > tolerance {
		t.Errorf("%s = %g, want %g", what, *got, want)
	}
}

func withheld(t *testing.T, r *Result, figure, why string) {
	t.Helper()
	if got := r.why(figure); !strings.Contains(got, why) {
		t.Errorf("%s: withheld because %q, want %q (%v)", figure, got, why, r.Withheld)
	}
}

// The published drive: 110 000/42 000 = 2.619, (110 − 42)/110 = 0.618, and by IOPS/mW
// 1 − (42/6.00)/(110/6.41) = 1 − 7.000/17.161 = 0.592, at 0.41 W less. With rounds that
// scatter by 1 % each, windows of two rounds are known to 0.71 % (1 %/√2), their ratio to
// 1 %, and the shares to 0.0038 (0.382 · 1 %) and 0.0041 (0.408 · 1 %).
func TestThePublishedDrive(t *testing.T) {
	r := Judge(Input{Step: "write", Cells: saturated(0.01), Planned: 300, Fresh: 2, Last: 2})
	near(t, "fresh IOPS", r.Fresh.IOPS, 110_000, 1e-6)
	near(t, "its relative ±", r.Fresh.IOPSU95Rel, 0.00707, 1e-5)
	near(t, "last W", r.Last.MeanW, 6.00, 1e-9)
	near(t, "last IOPS/mW", r.Last.IOPSPerMW, 7.0, 1e-9)
	near(t, "ratio", r.IOPSRatio, 2.619, 0.001)
	near(t, "± of the ratio", r.IOPSRatioU95, 0.0262, 0.0001)
	near(t, "IOPS form", r.ShareIOPS, 0.618, 0.0005)
	near(t, "its ±", r.ShareIOPSU95, 0.00382, 0.00001)
	near(t, "efficiency form", r.ShareEfficiency, 0.592, 0.0005)
	near(t, "its ±", r.ShareEfficiencyU95, 0.00408, 0.00001)
	near(t, "change of power", r.PowerChangeW, -0.41, 1e-9)
	near(t, "relative", r.PowerChangeRel, -0.064, 0.0001)
	if r.CliffRound != 18 || r.Last.FirstRound != 19 || r.Rounds != 20 || len(r.Withheld) != 0 {
		t.Errorf("cliff from round %d, last from %d, %d rounds, withheld %v", r.CliffRound, r.Last.FirstRound, r.Rounds, r.Withheld)
	}
	table := ShareTable([]*Result{r})
	if c := table.At(0, "housekeeping_share_iops"); math.Abs(c.Value-0.618) > 0.0005 || math.Abs(c.U95-0.0038) > 0.0001 {
		t.Errorf("in the table: %+v", c)
	}
	if rows := Table([]*Result{r}).Rows; len(rows) != 2 {
		t.Errorf("%d windows in the table", len(rows))
	}
}

// A module that reads 2 % wrong reads both windows so: it makes each power unsure, and
// drops out of their ratio where the rails share it alike. An offset of 10 mA does not
// quite: of 6.00 W it is more than of 6.41 W.
func TestTheModulesErrorIsTheSameInBothWindows(t *testing.T) {
	in := Input{Step: "write", Cells: saturated(0), Planned: 300, Fresh: 2, Last: 2, Accuracy: accuracy.Spec{GainPct: 2}}
	r := Judge(in)
	near(t, "± of the efficiency form", r.ShareEfficiencyU95, 0, 1e-9)
	// A rail: 2·√2·0.02/√3 of it (volts and amperes), of 0.8 and 0.2 of 6.41 W.
	near(t, "± of the fresh power", r.Fresh.MeanU95W, 2*math.Sqrt2*0.02/math.Sqrt(3)*6.41*math.Hypot(0.8, 0.2), 1e-9)
	in.Accuracy = accuracy.Spec{OffsetAmps: 0.01}
	r = Judge(in)
	// 2·0.01 A/√3 of 5 V and of 12 V are 57.7 and 138.6 mW: 0.1501 W/6.00 W − 0.1501 W/6.41 W = 0.16 %, of 0.408.
	near(t, "± of the efficiency form", r.ShareEfficiencyU95, 0.408*0.1501*(1/6.00-1/6.41), 1e-5)
}

// Windows are sums over sums: 10 s at 100 000 IOPS and 5 W, and 30 s at 20 000 and 7 W
// make 1.6 M IOs, 260 J and 40 s: 40 000 IOPS and 6154 IOPS/W, not the mean of 20 000 and
// 2857.
func TestSumsOverSums(t *testing.T) {
	cells := []*efficiency.Cell{round(1, 100_000, 5, 0), round(2, 20_000, 7, 0), round(3, 1000, 6, 0)}
	cells[0].DurationS, cells[0].IOs = analysis.Some(10), 1_000_000
	cells[1].DurationS, cells[1].IOs = analysis.Some(30), 600_000
	r := Judge(Input{Step: "write", Cells: cells, Planned: 3, Fresh: 2, Last: 1})
	near(t, "IOPS", r.Fresh.IOPS, 40_000, 1e-6)
	near(t, "W", r.Fresh.MeanW, 6.5, 1e-9)
	near(t, "IOPS/W", r.Fresh.IOPSPerW, 6153.85, 0.01)
}

// Two rounds that lie 4000 IOPS apart make a mean that is no better known than by half of
// that, however steady each of them is.
func TestRoundsThatDifferWiden(t *testing.T) {
	cells := saturated(0.001)
	cells = append(cells[:18:18], round(19, 40_000, 6, 0.001), round(20, 44_000, 6, 0.001))
	r := Judge(Input{Step: "write", Cells: cells, Planned: 20, Fresh: 2, Last: 2})
	near(t, "relative ±", r.Last.IOPSU95Rel, 2000.0/42_000, 1e-6)
}

// A drive that writes on as it began has no cliff, and no share: 0 ± something would be
// a figure that its rounds do not carry.
func TestNoCliff(t *testing.T) {
	var cells []*efficiency.Cell
	for n := 1; n <= 6; n++ {
		cells = append(cells, round(n, 110_000, 6.41, 0.01))
	}
	r := Judge(Input{Step: "write", Cells: cells, Planned: 6, Fresh: 2, Last: 2})
	near(t, "ratio", r.IOPSRatio, 1, 1e-9)
	withheld(t, r, "housekeeping_share_iops", "no cliff: the last rounds do 1.1e+05 IOPS")
	withheld(t, r, "housekeeping_share_efficiency", "no cliff")
	if r.ShareIOPS != nil || r.ShareEfficiency != nil || r.CliffRound != 0 {
		t.Errorf("a share of %v, %v, cliff %d", r.ShareIOPS, r.ShareEfficiency, r.CliffRound)
	}
}

// At 5 W instead of 6.41 W (−22 %) the IOPS form is no share of the work; the efficiency
// form is one still: 1 − (42/5)/(110/6.41) = 0.5105.
func TestUnequalPower(t *testing.T) {
	cells := saturated(0.01)
	for _, c := range cells[17:] {
		*c = *round(c.Round, 42_000, 5, 0.01)
	}
	r := Judge(Input{Step: "write", Cells: cells, Planned: 20, Fresh: 2, Last: 2})
	withheld(t, r, "housekeeping_share_iops", "it is a share at equal power: the last rounds draw -22.0 %")
	near(t, "efficiency form", r.ShareEfficiency, 0.5105, 0.0001)
	near(t, "ratio", r.IOPSRatio, 2.619, 0.001)
}

// What the rounds cannot support is withheld with the reason.
func TestRoundsThatDoNotCarryIt(t *testing.T) {
	judge := func(change func(*Input)) *Result {
		in := Input{Step: "write", Cells: saturated(0.01), Planned: 20, Fresh: 2, Last: 2}
		change(&in)
		return Judge(in)
	}
	withheld(t, judge(func(in *Input) { in.Cells = in.Cells[:1] }), "", "one round only")
	withheld(t, judge(func(in *Input) { in.Cells = nil }), "", "0 of 20 rounds were done")
	withheld(t, judge(func(in *Input) { in.Cells = in.Cells[:3] }), "", "3 of 20 rounds were done: the fresh and the last window need 2 + 2")
	withheld(t, judge(func(in *Input) { in.Cells = in.Cells[1:] }), "", "round 1 left no figures")
	withheld(t, judge(func(in *Input) { in.Cells = append(in.Cells[:19:19], round(21, 42_000, 6, 0)) }), "", "round 20 left no figures")

	r := judge(func(in *Input) {
		c := in.Cells[19]
		c.MeanW, c.IOPSPerMW = nil, nil
		c.Withheld = []analysis.Withheld{{What: "efficiency.write.mean_w", Why: "samples cover 80 %, 99 % are required"}}
	})
	withheld(t, r, "last.mean_w", "round 20 lacks it: samples cover 80 %")
	withheld(t, r, "housekeeping_share_iops", "the power of a window is not known")
	withheld(t, r, "housekeeping_share_efficiency", "not known")
	near(t, "ratio", r.IOPSRatio, 2.619, 0.001)

	r = judge(func(in *Input) { in.Cells[0].IOPSU95Rel = nil })
	withheld(t, r, "housekeeping_share_iops", "cannot be told from scatter")
	if r.Fresh.IOPSU95Rel != nil || r.Fresh.IOPS == nil {
		t.Errorf("fresh %+v", r.Fresh)
	}
}
