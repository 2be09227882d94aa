package publish

import (
	"testing"

	"powerd/analysis/efficiency"
)

// 18.5 ± 1.5 (8 %) against 18.19 ± 0.32 (1.8 %): they are 0.31 apart, and ± 1.53 of the
// difference holds none. Against 9.1 it does not. The module's own ± is in both, and
// tells nothing of which is better. Where there is no ± nobody knows.
func TestNoWinnerThatItsErrorDoesNotSupport(t *testing.T) {
	cell := func(step string, ratio, scatter, module float64) *efficiency.Cell {
		c := &efficiency.Cell{Step: step}
		c.MBPerSPerMW = &ratio
		if scatter > 0 {
			all := scatter + module
			c.U95ScatterRel, c.U95Rel = &scatter, &all
		}
		return c
	}
	of := func(c *efficiency.Cell) *float64 { return c.MBPerSPerMW }
	for _, tc := range []struct {
		cells []*efficiency.Cell
		note  string
	}{
		{[]*efficiency.Cell{cell("a", 18.19, 0.018, 0.5), cell("b", 18.5, 0.081, 0.5), cell("c", 9.1, 0.018, 0.5)}, "b, not distinguishable from a"},
		{[]*efficiency.Cell{cell("a", 16, 0.018, 0.5), cell("b", 18.5, 0.018, 0.5)}, "b"},
		{[]*efficiency.Cell{cell("a", 16, 0, 0), cell("b", 18.5, 0.018, 0.5)}, "b; without a ± it is not known whether it differs from a"},
		{
			[]*efficiency.Cell{cell("a", 18, 0.1, 0), cell("b", 18, 0.1, 0), cell("c", 18.1, 0.1, 0), cell("d", 18, 0.1, 0), cell("e", 18, 0.1, 0)},
			"c, not distinguishable from a, b, d and 1 more",
		},
	} {
		got := best(tc.cells, "Best", "MB/s/mW", of)
		if len(got) != 1 || got[0].Note != tc.note {
			t.Errorf("%+v, want %q", got, tc.note)
		}
	}
	if got := best(nil, "Best", "", of); got != nil {
		t.Errorf("of no cells: %+v", got)
	}
}
