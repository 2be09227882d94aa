package idle

import (
	"strings"
	"testing"

	"powerd/analysis/accuracy"
	"powerd/quarch"
)

// halfAmp is a drive of 5 V · 0.5 A = 2.5 W, four samples 1 ms apart; twelve is what
// its 12 V channel carries in mA, nil if the module has none.
func halfAmp(twelve *float64) *quarch.Block {
	b := &quarch.Block{PeriodNs: 1e6, Traces: []quarch.Trace{rail(quarch.Rail5V, 4, func(int) float64 { return 500 })}}
	if twelve != nil {
		b.Traces = append(b.Traces, rail(quarch.Rail12V, 4, func(int) float64 { return *twelve }))
	}
	return b
}

// A rail that is not measured, one that carries nothing, and one that the drive has
// not: three different things. The drive draws 2.500 W from 5 V in each. Of both together
// nothing is said where 12 V is not measured: 2.5 W would pass for the whole.
func TestAbsentZeroAndNoRail(t *testing.T) {
	zero := 0.0
	both := []quarch.Rail{quarch.Rail5V, quarch.Rail12V}
	for name, c := range map[string]struct {
		o       Options
		block   *quarch.Block
		why     string // in the row of 12 V; empty = it has a value
		partial bool
	}{
		"not measured":  {Options{Rails: both}, halfAmp(nil), "12V not measured", true},
		"none by sheet": {Options{Rails: both, NoRails: both[1:]}, halfAmp(nil), "12V: the drive has none", false},
		"zero":          {Options{Rails: both, ResolutionAmps: map[quarch.Rail]float64{quarch.Rail12V: 1e-6}}, halfAmp(&zero), "", false},
	} {
		r := analyze(t, 1e6, c.o, 4e6, c.block)
		if c.partial {
			if r.Total.MeanW != nil || r.Total.MaxW != nil || r.Total.U95W != nil {
				t.Errorf("%s: a total of %+v", name, r.Total)
			}
		} else {
			near(t, name, r.Total.MeanW, 2.5, 1e-12)
		}
		near(t, name+", 5 V", r.Rails[quarch.Rail5V].MeanW, 2.5, 1e-12)
		tab := Table([]*Result{r})
		cell := tab.At(1, "mean_a")
		if tab.At(1, "rail").Text != "12v" || cell.Why != c.why || cell.Valid != (c.why == "") {
			t.Errorf("%s: row of %s: %+v", name, tab.At(1, "rail").Text, cell)
		}
		if text := tab.Columns[tab.Col("mean_a")].Format(cell); cell.Valid && text != "0.000" {
			t.Errorf("%s: 12 V shows %s A, want 0.000", name, text)
		}
		if last := tab.At(2, "mean_w"); tab.At(2, "rail").Text != "total" || last.Valid == c.partial || c.partial && !strings.Contains(last.Why, "12V not measured") {
			t.Errorf("%s: the total's row says %+v", name, last)
		}
		if warnsOf(r, "partial_total") != c.partial {
			t.Errorf("%s: warnings %v", name, r.Warnings)
		}
	}
}

// The bench says that the drive uses 5 V only. 1 mA on 12 V is within the module's
// offset of 2 mA (U95 = 2·2 mA/√3 = 2.3 mA), 70 mA is not: a warning, and no part of the
// total in either case.
func TestCurrentOnARailThatIsNotInUse(t *testing.T) {
	for mA, warned := range map[float64]bool{0: false, 1: false, -2: false, 70: true} {
		r := analyze(t, 1e6, Options{Step: "idle", Rails: []quarch.Rail{quarch.Rail5V}, Accuracy: accuracy.Spec{GainPct: 1, OffsetAmps: 2e-3}}, 4e6, halfAmp(&mA))
		near(t, "total", r.Total.MeanW, 2.5, 1e-12)
		if r.Rails[quarch.Rail12V] != nil || warnsOf(r, "unused_rail") != warned {
			t.Errorf("%g mA: rails %v, warnings %v", mA, r.Rails, r.Warnings)
		}
		if warned && !strings.Contains(r.Warnings[0].Text, "12V carries 70 mA") {
			t.Errorf("it reads %q", r.Warnings[0].Text)
		}
	}
}

// Two levels at 5 V do not silence 70 mA on a rail that the bench says is not in use:
// the warning stands with the first of them, once.
func TestCurrentOnARailThatIsNotInUseBesideLevels(t *testing.T) {
	b := plateaus([2]float64{20, 70}, [2]float64{20, 7})
	b.Traces = append(b.Traces, rail(quarch.Rail12V, b.Len(), func(int) float64 { return 70 }))
	rs := analyzeAll(t, 10e6, Options{Step: "idle", Rails: []quarch.Rail{quarch.Rail5V}}, 40e9, b)
	if len(rs) != 2 || !warnsOf(rs[0], "unused_rail") || warnsOf(rs[1], "unused_rail") {
		t.Errorf("%d results, warnings %v", len(rs), rs[0].Warnings)
	}
}

// An adapter whose regulator draws 8 mA, and a drive behind it that adds 40 mA: gross
// 48 mA · 5 V = 0.240 W, zero 8 mA · 5 V = 0.040 W, net 0.200 W. Where the rail has
// 4.9 V, the adapter's 8 mA are 0.0392 W: the volts are those of the window.
func TestGrossZeroAndNet(t *testing.T) {
	for _, milliVolts := range []int32{5000, 4900} {
		trace := rail(quarch.Rail5V, 20, func(int) float64 { return 48 })
		for i := range trace.V {
			trace.V[i] = milliVolts
		}
		r := analyze(t, 1e6, Options{Step: "idle", Zero: map[quarch.Rail]Zero{quarch.Rail5V: {Amps: 8e-3, U95Amps: 0.1e-3}}}, 20e6,
			&quarch.Block{PeriodNs: 1e6, Traces: []quarch.Trace{trace}})
		volts := float64(milliVolts) * 1e-3
		for name, f := range map[string]*Figures{"5 V": r.Rails[quarch.Rail5V], "total": r.Total} {
			near(t, name+" gross", f.MeanW, 0.048*volts, 1e-12)
			near(t, name+" zero", f.ZeroW, 0.008*volts, 1e-12)
			near(t, name+" net", f.NetW, 0.040*volts, 1e-12)
			near(t, name+" net ±", f.NetU95W, 0.1e-3*volts, 1e-12) // there is no noise
		}
		tab := Table([]*Result{r})
		if tab.At(1, "gross_w").Value != *r.Total.MeanW || tab.At(1, "zero_w").Value != *r.Total.ZeroW || tab.At(1, "net_w").Value != *r.Total.NetW {
			t.Errorf("row %+v", tab.Rows[1])
		}
		if !r.Trust.ZeroSubtracted || !strings.Contains(r.Trust.Text(), "zero subtracted in the net figure only") {
			t.Errorf("it reads %q", r.Trust.Text())
		}
	}
}

// Without a zero there are no such columns.
func TestNoColumnsWithoutAZero(t *testing.T) {
	r := analyze(t, 1e6, Options{Step: "idle"}, 4e6, halfAmp(nil))
	for _, name := range []string{"gross_w", "zero_w", "net_w"} {
		if Table([]*Result{r}).Col(name) >= 0 {
			t.Errorf("there is a column %s", name)
		}
	}
}
