package record

import (
	"math"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/engine"
	"powerd/quarch"
)

// clock is a module's clock whose stripe k begins at k·periodNs, to the nanosecond.
type clock struct{ periodNs float64 }

func (c clock) TimeOf(k float64) (ns, u95Ns float64) { return k * c.periodNs, 0 }
func (c clock) IndexAt(ns float64) float64           { return ns / c.periodNs }

// block is n stripes of 5 V whose amperes are given in mA.
func block(n int, milliAmps func(i int) float64) *quarch.Block {
	t := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}
	for i := range n {
		t.V, t.A = append(t.V, 5000), append(t.A, int32(math.Round(1e3*milliAmps(i))))
	}
	return &quarch.Block{PeriodNs: 1e6, Traces: []quarch.Trace{t}}
}

func near(t *testing.T, what string, got *float64, want, within float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > within {
		t.Errorf("%s: %v, want %g ± %g", what, show(got), want, within)
	}
}

func show(x *float64) any {
	if x == nil {
		return "absent"
	}
	return *x
}

// 10 s at 1 W, of which one second is at 2 W while 500 IOs are done: 11 J, 1.1 W. Counted
// over all of it that is 50 IOPS at 1100 mW; counts of the busy second alone are 500 IOPS
// at 2000 mW, since their joules are of their own window.
func TestJoulesOfTheCountsAreOfTheirOwnWindow(t *testing.T) {
	draw := func(i int) float64 {
		if i >= 4000 && i < 5000 {
			return 400
		}
		return 200
	}
	tenths := func(fromMs, toMs int, busy uint64) *engine.Result {
		r := &engine.Result{Engine: "diskstats", StartNs: int64(fromMs) * 1e6, EndNs: int64(toMs) * 1e6}
		for at := fromMs; at < toMs; at += 100 {
			iv := engine.Interval{StartNs: int64(at) * 1e6, EndNs: int64(at+100) * 1e6}
			if at >= 4000 && at < 5000 {
				iv.Reads, iv.ReadBytes = busy, busy*4096
			}
			r.Read.IOs, r.Read.Bytes = r.Read.IOs+iv.Reads, r.Read.Bytes+iv.ReadBytes
			r.Intervals = append(r.Intervals, iv)
		}
		return r
	}
	for _, c := range []struct {
		fromMs, toMs int
		iops, perMW  float64
	}{{0, 10_000, 50, 50 / 1100.0}, {4000, 5000, 500, 500 / 2000.0}} {
		a, err := New(clock{1e6}, analysis.Window{Name: "oltp", EndNs: 10e9}, Options{What: "record.oltp", Name: "oltp", IO: tenths(c.fromMs, c.toMs, 50)})
		if err != nil {
			t.Fatal(err)
		}
		a.Add(block(10_000, draw))
		r := a.Result()
		near(t, "mean", r.Total.MeanW, 1.1, 1e-9)
		near(t, "energy", r.Total.EnergyJ, 11, 1e-9)
		near(t, "max", r.Total.MaxW, 2, 1e-9)
		near(t, "99th percentile", r.Total.P99W, 2, 0.008)
		near(t, "iops", r.IO.IOPS, c.iops, 1e-9)
		near(t, "iops_per_mw", r.IO.IOPSPerMW, c.perMW, 1e-9)
		if len(r.Withheld) != 0 {
			t.Errorf("withheld %v", r.Withheld)
		}
	}
}

// A polled link of 50 readings has a mean; a 99th percentile needs a hundred, and that
// its extremes are of readings is said.
func TestPolledLink(t *testing.T) {
	b := block(80, func(int) float64 { return 200 })
	b.PeriodNs = 0
	for i := range 80 {
		b.AtNs = append(b.AtNs, int64(i)*100e6+50e6)
	}
	a, err := New(clock{100e6}, analysis.Window{Name: "oltp", StartNs: 1e9, EndNs: 6e9}, Options{What: "record.oltp", Name: "oltp"})
	if err != nil {
		t.Fatal(err)
	}
	a.Add(b)
	r := a.Result()
	near(t, "mean", r.Total.MeanW, 1, 1e-9)
	if r.Total.P99W != nil || r.Rails[quarch.Rail5V].P99W != nil || len(r.Withheld) != 1 || !strings.Contains(r.Withheld[0].Why, "50 readings") {
		t.Errorf("99th percentile %v, withheld %v", show(r.Total.P99W), r.Withheld)
	}
	if len(r.Warnings) != 1 || r.Warnings[0].Code != "polled" {
		t.Errorf("warnings %v", r.Warnings)
	}
}

// Without a rail in use there is no total, and one that the drive does not use is none of
// its rails: 200 mA there are a warning.
func TestRails(t *testing.T) {
	b := block(2000, func(int) float64 { return 200 })
	b.Traces = append(b.Traces, quarch.Trace{Rail: quarch.Rail12V, V: b.Traces[0].V, A: b.Traces[0].A, LSBVolts: 1e-3, LSBAmps: 1e-6})
	a, err := New(clock{1e6}, analysis.Window{Name: "x", EndNs: 2e9}, Options{What: "marks.x", Name: "x", Rails: []quarch.Rail{quarch.Rail5V, quarch.Rail3V3}})
	if err != nil {
		t.Fatal(err)
	}
	a.Add(b)
	r := a.Result()
	near(t, "5 V", r.Rails[quarch.Rail5V].MeanW, 1, 1e-9)
	if r.Total.MeanW != nil || r.Total.EnergyJ != nil || r.Rails[quarch.Rail12V] != nil {
		t.Errorf("total %+v, rails %v", r.Total, r.Rails)
	}
	if len(r.Withheld) != 1 || r.Withheld[0].What != "marks.x.mean_w" || !strings.Contains(r.Withheld[0].Why, "3V3 not measured") {
		t.Errorf("withheld %v", r.Withheld)
	}
	if len(r.NotMeasured) != 1 || r.NotMeasured[0] != quarch.Rail3V3 || len(r.Warnings) != 2 ||
		r.Warnings[0].Code != "unused_rail" || !strings.Contains(r.Warnings[0].Text, "12V carries 200 mA") || r.Warnings[1].Code != "partial_total" {
		t.Errorf("not measured %v, warnings %v", r.NotMeasured, r.Warnings)
	}
	if row := Table([]*Result{r}).At(1, "mean_w"); row.Valid || !strings.Contains(row.Why, "3V3 not measured") {
		t.Errorf("the total's row says %+v", row)
	}
}

// 100 reads in 2 s at 1 W on 5 V, and nothing of 3.3 V, which is in use by the bench: the
// reads may have cost more, unless the drive has no 3.3 V. Then 50 IOPS are 0.05 IOPS/mW.
func TestIOForPartOfThePower(t *testing.T) {
	io := &engine.Result{Engine: "diskstats", EndNs: 2e9}
	for at := int64(0); at < 2e9; at += 100e6 {
		io.Intervals = append(io.Intervals, engine.Interval{StartNs: at, EndNs: at + 100e6, Reads: 5, ReadBytes: 5 * 4096})
	}
	io.Read.IOs, io.Read.Bytes = 100, 100*4096
	for _, none := range [][]quarch.Rail{nil, {quarch.Rail3V3}} {
		a, err := New(clock{1e6}, analysis.Window{Name: "x", EndNs: 2e9}, Options{
			What: "record.x", Name: "x", Rails: []quarch.Rail{quarch.Rail5V, quarch.Rail3V3}, NoRails: none, IO: io,
		})
		if err != nil {
			t.Fatal(err)
		}
		a.Add(block(2000, func(int) float64 { return 200 }))
		r := a.Result()
		near(t, "iops", r.IO.IOPS, 50, 1e-9)
		if none == nil {
			if r.IO.IOPSPerMW != nil || len(r.NotMeasured) != 1 {
				t.Errorf("IOPS/mW %v without 3.3 V, not measured %v", show(r.IO.IOPSPerMW), r.NotMeasured)
			}
			continue
		}
		near(t, "iops_per_mw", r.IO.IOPSPerMW, 0.05, 1e-9)
		if len(r.NotMeasured) != 0 || len(r.Warnings) != 0 || len(r.Withheld) != 0 {
			t.Errorf("not measured %v, warnings %v, withheld %v", r.NotMeasured, r.Warnings, r.Withheld)
		}
	}
}

// 12,000 transactions in 10 s at 2 W are 600 a joule, as unsure as the watts are: a
// module of 1 % is off by 2·1 %/√3 of volts and of amperes, 1.63 % together.
func TestTransactionsPerJoule(t *testing.T) {
	a, err := New(clock{1e6}, analysis.Window{Name: "tpcc", EndNs: 10e9}, Options{
		What: "marks.tpcc", Name: "tpcc", Accuracy: accuracy.Spec{GainPct: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Add(block(10_000, func(int) float64 { return 400 }))
	n := uint64(12_000)
	m := Marked(a.Result(), &n, "transactions")
	near(t, "per_joule", m.PerJoule, 600, 1e-6)
	near(t, "per_joule_u95", m.PerJouleU95, 600*0.01633, 0.02)
	near(t, "per_s", m.PerS, 1200, 1e-9)
	table := MarksTable([]*Mark{m})
	if c := table.At(0, "per_joule"); !c.Valid || c.U95 != *m.PerJouleU95 {
		t.Errorf("per_joule in the table: %+v", c)
	}
	if c := table.At(0, "energy_j"); math.Abs(c.U95/c.Value-0.01633) > 1e-4 {
		t.Errorf("energy_j in the table: %+v", c)
	}
	if c := table.At(0, "iops"); c.Valid || c.Why != "" {
		t.Errorf("iops of a drive that was not followed: %+v", c)
	}
}

// Samples of half the window support no watts and no transactions per joule; how many a
// second there were does not need them.
func TestHalfOfTheSamples(t *testing.T) {
	a, err := New(clock{1e6}, analysis.Window{Name: "tpcc", EndNs: 10e9}, Options{What: "marks.tpcc", Name: "tpcc"})
	if err != nil {
		t.Fatal(err)
	}
	a.Add(block(5000, func(int) float64 { return 400 }))
	r := a.Result()
	n := uint64(12_000)
	m := Marked(r, &n, "transactions")
	if m.MeanW != nil || m.EnergyJ != nil || m.PerJoule != nil {
		t.Errorf("%+v", m)
	}
	near(t, "per_s", m.PerS, 1200, 1e-9)
	const why = "samples cover 50.0 % of the window, 99.0 % are required"
	if len(r.Withheld) != 1 || r.Withheld[0].What != "marks.tpcc.mean_w" || r.Withheld[0].Why != why {
		t.Errorf("withheld %v", r.Withheld)
	}
	if c := MarksTable([]*Mark{m}).At(0, "per_joule"); c.Valid || c.Why != why {
		t.Errorf("in the table: %+v", c)
	}
}
