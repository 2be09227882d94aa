package analysis_test

import (
	"math"
	"testing"

	"powerd/analysis"
)

// A figure is printed to the digits that mean something: with an uncertainty, to
// the uncertainty's second digit; without one, to the column's digits.
func TestFormatValue(t *testing.T) {
	for _, c := range []struct {
		v, u95 float64
		digits int
		want   string
	}{
		{2.9814, 0, 0, "2.981"},
		{2.1, 0, 0, "2.100"},                 // trailing zeros were measured
		{2.9814, 0.0213, 0, "2.981 ± 0.021"}, // two digits of u95
		{2.9814, 0.0996, 0, "2.98 ± 0.10"},   // 0.0996 rounds up to 0.10
		{86851, 1234, 0, "86,900 ± 1200"},
		{86851, 0, 5, "86,851"},
		{86851, 0, 3, "86,900"},
		{9999, 0, 4, "9999"},
		{-0.0004, 0.01, 0, "0.000 ± 0.010"}, // never minus nothing
		{-1.25, 0, 3, "-1.25"},
		{0, 0, 4, "0.000"},
		{2.1e-5, 0, 3, "2.10e-05"},
		{1234567.8, 0, 9, "1,234,567.80"},
	} {
		if got := analysis.FormatValue(c.v, c.u95, c.digits); got != c.want {
			t.Errorf("FormatValue(%g, %g, %d) = %q, want %q", c.v, c.u95, c.digits, got, c.want)
		}
	}
}

// A share that is too small never reads like the one that is required.
func TestUncovered(t *testing.T) {
	for coverage, want := range map[float64]string{
		0.48:    "samples cover 48.0 % of the window, 99.0 % are required",
		0.9896:  "samples cover 98.96 % of the window, 99.00 % are required",
		0.98999: "samples cover 98.999 % of the window, 99.000 % are required",
	} {
		if got := analysis.Uncovered("window", coverage, 0.99); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What a cell shows depends on what it holds; nothing is ever shown as 0.
func TestColumnFormat(t *testing.T) {
	power := analysis.Column{Name: "mean_w", Head: "Mean power", Unit: "W"}
	count := analysis.Column{Name: "ios", Head: "IOs", Kind: analysis.Count}
	step := analysis.Column{Name: "step", Kind: analysis.Key}
	for _, c := range []struct {
		col  analysis.Column
		cell analysis.Cell
		want string
	}{
		{power, analysis.ValU(6, 0.05), "6.000 ± 0.050"},
		{power, analysis.No("coverage 97 %, 99 % needed"), "withheld"},
		{power, analysis.Cell{}, "–"},
		{power, analysis.Val(math.NaN()), "–"},
		{count, analysis.Val(1234567), "1,234,567"},
		{step, analysis.Word("idle"), "idle"},
	} {
		if got := c.col.Format(c.cell); got != c.want {
			t.Errorf("%s of %+v = %q, want %q", c.col.Name, c.cell, got, c.want)
		}
	}
	if got := power.Heading(); got != "Mean power (W)" {
		t.Errorf("heading = %q", got)
	}
	if got := step.Heading(); got != "step" {
		t.Errorf("heading without a head = %q", got)
	}
}

// A result of an emulated or slowed drive can never be taken for a real one.
func TestMark(t *testing.T) {
	for _, c := range []struct {
		simulated bool
		scale     string
		want      string
	}{{false, "", ""}, {true, "", "SIMULATED"}, {true, "1:4", "SIMULATED · SCALED 1:4"}, {false, "1:4", "SCALED 1:4"}} {
		if got := analysis.Mark(c.simulated, c.scale); got != c.want {
			t.Errorf("Mark(%v, %q) = %q, want %q", c.simulated, c.scale, got, c.want)
		}
	}
}
