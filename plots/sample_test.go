package plots_test

import (
	"math"
	"math/rand/v2"

	"powerd/analysis"
	"powerd/plots"
)

// The traces here are made up, in the shape of a SAS drive that draws 2.1 W from
// 5 V and 0.88 W from 12 V when idle, with a short crest near 400 ms at start-up.

func footer() plots.Footer {
	return plots.Footer{
		Drive: "Seagate ST400FM0053", Firmware: "0004", Module: "QTL1999-05-001", Suite: "demo",
		Sampling: "4 µs", UTCDate: "2026-11-30 20:14:05 UTC", RunID: "r-7f3a", Simulated: true, Scale: "1:4",
	}
}

// wave samples f with noise of a given size into n columns of step seconds.
func wave(name, label, unit string, start, step float64, n int, noise float64, f func(s float64) float64) *analysis.Waveform {
	r := rand.New(rand.NewPCG(1, uint64(len(name)+n)))
	w := &analysis.Waveform{Name: name, Label: label, Unit: unit, StartS: start, StepS: step}
	for i := range n {
		v := f(start + (float64(i)+0.5)*step)
		wobble := noise * (1 + 0.5*r.Float64())
		w.Mean = append(w.Mean, v+noise*0.3*(r.Float64()-0.5))
		w.Min = append(w.Min, v-wobble)
		w.Max = append(w.Max, v+wobble)
	}
	return w
}

// rise is a first-order step at t0 with time constant tau.
func rise(s, t0, tau float64) float64 {
	if s < t0 {
		return 0
	}
	return 1 - math.Exp(-(s-t0)/tau)
}

func bump(s, at, width float64) float64 { return math.Exp(-(s - at) * (s - at) / (2 * width * width)) }

func startUpWaves(seconds float64, n int) []*analysis.Waveform {
	v5 := func(s float64) float64 { return 5 * rise(s, 0, 0.012) }
	v12 := func(s float64) float64 { return 12 * rise(s, 0.004, 0.018) }
	a5 := func(s float64) float64 {
		return 0.45*bump(s, 0.01, 0.006) + 0.42*rise(s, 0.02, 0.05) + 0.45*bump(s, 0.404, 0.012) + 0.15*bump(s, 1.2, 0.3)
	}
	a12 := func(s float64) float64 {
		return 0.32*bump(s, 0.012, 0.008) + 0.0734*rise(s, 0.03, 0.02) + 0.34*(rise(s, 2.2, 0.02)-rise(s, 2.8, 0.02))
	}
	step := seconds / float64(n)
	return []*analysis.Waveform{
		wave("5v_v", "5 V voltage", "V", 0, step, n, 0.02, v5),
		wave("12v_v", "12 V voltage", "V", 0, step, n, 0.04, v12),
		wave("5v_a", "5 V current", "A", 0, step, n, 0.03, a5),
		wave("12v_a", "12 V current", "A", 0, step, n, 0.015, a12),
		wave("5v_w", "5 V power", "W", 0, step, n, 0.1, func(s float64) float64 { return v5(s) * a5(s) }),
		wave("12v_w", "12 V power", "W", 0, step, n, 0.1, func(s float64) float64 { return v12(s) * a12(s) }),
	}
}

func startLimits() []analysis.Limit {
	return []analysis.Limit{
		{Label: "5 V start current ≤ 0.7 A", Unit: "A", Value: 0.7},
		{Label: "12 V start current ≤ 0.4 A", Unit: "A", Value: 0.4},
	}
}

func idleWaves(seconds float64, n int) []*analysis.Waveform {
	step := seconds / float64(n)
	level := func(mean float64) func(float64) float64 {
		return func(s float64) float64 { return mean + 0.12*bump(math.Mod(s, 7), 3, 0.2) }
	}
	return []*analysis.Waveform{
		wave("5v_w", "5 V power", "W", 0, step, n, 0.05, level(2.1)),
		wave("12v_w", "12 V power", "W", 0, step, n, 0.03, level(0.881)),
		wave("total_w", "Total power", "W", 0, step, n, 0.07, level(2.981)),
	}
}

func idleStats() *analysis.Table {
	return &analysis.Table{
		Name: "idle",
		Columns: []analysis.Column{
			{Name: "rail", Head: "Rail", Kind: analysis.Key},
			{Name: "mean_w", Head: "Mean", Unit: "W"},
			{Name: "min_w", Head: "Min", Unit: "W"},
			{Name: "max_w", Head: "Max", Unit: "W"},
			{Name: "std_w", Head: "Std dev", Unit: "W", Digits: 2},
			{Name: "p99_w", Head: "99th pct", Unit: "W"},
		},
		Rows: []analysis.Row{
			{Cells: []analysis.Cell{analysis.Word("5 V"), analysis.ValU(2.1, 0.012), analysis.Val(2.02), analysis.Val(2.31), analysis.Val(0.041), analysis.Val(2.24)}},
			{Cells: []analysis.Cell{analysis.Word("12 V"), analysis.ValU(0.881, 0.0072), analysis.Val(0.84), analysis.Val(1.05), analysis.Val(0.022), analysis.Val(0.99)}},
			{Cells: []analysis.Cell{analysis.Word("Total"), analysis.ValU(2.981, 0.014), analysis.Val(2.88), analysis.Val(3.33), analysis.Val(0.06), analysis.No("needs 1000 samples; there are 600")}},
		},
	}
}

func loadWaves() (power []*analysis.Waveform, iops *analysis.Waveform, marks []plots.Mark) {
	const n, step = plots.Columns, 0.075 // 90 s
	load := func(s float64) float64 { return math.Floor(s/10) / 8 }
	power = []*analysis.Waveform{
		wave("5v_w", "5 V power", "W", 0, step, n, 0.1, func(s float64) float64 { return 2.1 + 1.4*load(s) }),
		wave("12v_w", "12 V power", "W", 0, step, n, 0.08, func(s float64) float64 { return 0.88 + 1.7*load(s) }),
		wave("total_w", "Total power", "W", 0, step, n, 0.15, func(s float64) float64 { return 2.98 + 3.1*load(s) }),
	}
	iops = wave("iops", "IOPS", "IOPS", 0, 0.5, 180, 0, func(s float64) float64 { return 27500 * load(s) })
	for i := range 9 {
		marks = append(marks, plots.Mark{AtS: float64(i) * 10, Label: []string{
			"idle", "rand-4k-r100-qd1", "rand-4k-r100-qd8", "rand-4k-r100-qd32", "rand-4k-r70-qd1",
			"rand-4k-r70-qd8", "rand-4k-r70-qd32", "rand-4k-r0-qd1", "rand-4k-r0-qd8",
		}[i]})
	}
	return power, iops, marks
}

func efficiencyMatrix() *analysis.Table {
	t := &analysis.Table{Columns: []analysis.Column{{Name: "read_pct", Head: "Reads (%)", Kind: analysis.Key}}}
	for _, qd := range []string{"1", "2", "4", "8", "16", "32"} {
		t.Columns = append(t.Columns, analysis.Column{Name: "qd_" + qd, Head: qd, Unit: "IOPS/mW"})
	}
	for i, read := range []string{"0", "30", "50", "70", "100"} {
		row := analysis.Row{Cells: []analysis.Cell{analysis.Word(read)}}
		for j := range 6 {
			v := 1.2*math.Pow(1.75, float64(j)) + float64(i)*0.35*float64(j)
			row.Cells = append(row.Cells, analysis.ValU(v, v*0.012))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows[1].Cells[2] = analysis.No("coverage 97.1 %, 99 % needed")
	t.Rows[4].Cells[6] = analysis.Cell{}
	return t
}

// roundWaves are 125 rounds of a drive whose IOPS fall from 110 000 to 42 000, with
// nobody to say what round 60 did, at nearly the same power.
func roundWaves() (power []*analysis.Waveform, iops *analysis.Waveform) {
	after := func(n float64) float64 { return rise(n, 18, 8) }
	iops = wave("iops", "IOPS", "IOPS", 0.5, 1, 125, 900, func(n float64) float64 { return 110_000 - 68_000*after(n) })
	iops.Min[59], iops.Mean[59], iops.Max[59] = math.NaN(), math.NaN(), math.NaN()
	return []*analysis.Waveform{
		wave("5v_w", "5 V power", "W", 0.5, 1, 125, 0.03, func(n float64) float64 { return 3.9 - 0.3*after(n) }),
		wave("12v_w", "12 V power", "W", 0.5, 1, 125, 0.03, func(n float64) float64 { return 2.5 - 0.1*after(n) }),
		wave("total_w", "total power", "W", 0.5, 1, 125, 0.05, func(n float64) float64 { return 6.4 - 0.4*after(n) }),
	}, iops
}

// secondsWaves are 2000 seconds of random writes: 80,000 IOPS until the cliff at 310 s, then
// seconds anywhere between 5000 and 30,000, one of which did nothing and three of which
// did more than 50,000.
func secondsWaves() (power []*analysis.Waveform, iops *analysis.Waveform) {
	dice := rand.New(rand.NewPCG(4, 2))
	iops = wave("iops", "IOPS", "IOPS", 0, 1, 2000, 0, func(s float64) float64 {
		if s < 310 {
			return 80_000 * (1 - 0.02*dice.Float64())
		}
		return 5000 * math.Pow(6, dice.Float64())
	})
	for k, x := range map[int]float64{700: 0, 1500: 52_000, 1600: 51_000, 1700: 70_000} {
		iops.Min[k], iops.Mean[k], iops.Max[k] = x, x, x
	}
	return []*analysis.Waveform{
		wave("5v_w", "5 V power", "W", 0, 2, 1000, 0.1, func(s float64) float64 { return 3.9 - 0.3*rise(s, 310, 20) }),
		wave("12v_w", "12 V power", "W", 0, 2, 1000, 0.1, func(s float64) float64 { return 2.5 - 0.1*rise(s, 310, 20) }),
		wave("total_w", "total power", "W", 0, 2, 1000, 0.15, func(s float64) float64 { return 6.4 - 0.4*rise(s, 310, 20) }),
	}, iops
}

// convergingRounds are ten rounds of four block sizes that fall to a steady level; nobody
// knows what 64 KiB did in the third, and 512 B were refused in all but the last two.
func convergingRounds() []*analysis.Waveform {
	var out []*analysis.Waveform
	for i, size := range []string{"1 MiB", "64 KiB", "4 KiB", "512 B"} {
		level := []float64{420, 6400, 42_000, 38_000}[i]
		w := wave(size, size, "IOPS", 0.5, 1, 10, 0, func(n float64) float64 { return level * (1 + 1.6*math.Exp(-n/2)) })
		for k := range w.Mean {
			w.Min[k], w.Max[k] = 0.95*w.Mean[k], 1.05*w.Mean[k]
		}
		out = append(out, w)
	}
	out[1].Mean[2], out[1].Min[2], out[1].Max[2] = math.NaN(), math.NaN(), math.NaN()
	for k := range 8 {
		out[3].Min[k], out[3].Mean[k], out[3].Max[k] = 0, 0, 0
	}
	return out
}

// judgedRounds are rounds 4 to 8 of two variables: one within the rule, with power beside,
// and one that falls by too much, whose power nobody knows.
func judgedRounds() []plots.Judged {
	within := &analysis.Waveform{
		Name: "iops", Label: "IOPS", Unit: "IOPS", StartS: 3.5, StepS: 1,
		Mean: []float64{1000, 1040, 960, 1000, 1000}, Min: []float64{980, 1020, 940, 980, 980}, Max: []float64{1020, 1060, 980, 1020, 1020},
	}
	watts := &analysis.Waveform{
		Name: "total_w", Label: "total power", Unit: "W", StartS: 3.5, StepS: 1,
		Mean: []float64{6, 6.05, 5.95, 6, 6}, Min: []float64{5.9, 5.95, 5.85, 5.9, 5.9}, Max: []float64{6.1, 6.15, 6.05, 6.1, 6.1},
	}
	falling := &analysis.Waveform{
		Name: "iops", Label: "IOPS", Unit: "IOPS", StartS: 3.5, StepS: 1, Mean: []float64{110, 105, 100, 95, 90},
	}
	falling.Min, falling.Max = falling.Mean, falling.Mean
	return []plots.Judged{
		{Label: "iops-r0-4k: steady", Rate: within, Power: watts, Mean: 1000, From: 1008, To: 992},
		{Label: "iops-r100-1m: not steady", Rate: falling, Mean: 100, From: 110, To: 90},
	}
}

// twoDrives are IOPS/mW of two drives.
func twoDrives() *analysis.Table {
	row := func(name string, a, b analysis.Cell) analysis.Row {
		return analysis.Row{Cells: []analysis.Cell{analysis.Word(name), a, b}}
	}
	return &analysis.Table{
		Columns: []analysis.Column{{Name: "cell", Kind: analysis.Key}, {Name: "a", Head: "A: Seagate 1200 400 GB"}, {Name: "b", Head: "B: Toshiba PX02SM"}},
		Rows: []analysis.Row{
			row("randread-4k-qd1", analysis.ValU(1.02, 0.03), analysis.ValU(2.05, 0.05)),
			row("randread-4k-qd32", analysis.ValU(15.3, 0.4), analysis.ValU(24.1, 3.9)),
			row("randwrite-4k-qd32, steady", analysis.ValU(7.0, 0.2), analysis.No("samples cover 48 % of the window")),
			row("randrw-4k-r65-qd32", analysis.ValU(9.9, 0.3), analysis.Cell{}),
			row("randrw-4k-r35-qd32", analysis.ValU(8.4, 0.3), analysis.Val(12.25)),
		},
	}
}
