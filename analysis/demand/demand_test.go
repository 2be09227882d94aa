package demand_test

import (
	"fmt"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/demand"
	"powerd/analysis/efficiency"
)

// ramp makes the cells of a ramp from pairs of demand and what was done; a negative one
// was not measured.
func ramp(pairs ...float64) []*efficiency.Cell {
	var out []*efficiency.Cell
	for i := 0; i < len(pairs); i += 2 {
		c := &efficiency.Cell{Step: fmt.Sprintf("d-%g", pairs[i]), RW: "randread", BSBytes: 4096, DemandIOPS: int(pairs[i])}
		if pairs[i+1] >= 0 {
			c.IOPS = analysis.Some(pairs[i+1])
		}
		out = append(out, c)
	}
	return out
}

// The limit of the published drive: 92,000 reads a second were met and no more, so that of
// a ramp by 2,000 the largest demand met is 92,000, and the next is 94,000. 98 % of 94,000
// are 92,120, which 92,000 are below.
func TestLimitOfThePublishedRamp(t *testing.T) {
	r := demand.Judge("reads", ramp(90_000, 89_990, 92_000, 91_950, 94_000, 92_000, 96_000, 92_010))
	if r.LimitIOPS == nil || *r.LimitIOPS != 92_000 || r.NextIOPS == nil || *r.NextIOPS != 94_000 || *r.MostIOPS != 92_010 {
		t.Errorf("limit %v, next %v, most %v", r.LimitIOPS, r.NextIOPS, r.MostIOPS)
	}
	if got, want := r.Limit(), "92000 IOPS were met, 94000 were not"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What counts as met begins at 98 % of the demand, itself included.
func TestMetBeginsAtNinetyEightPercent(t *testing.T) {
	for _, c := range []struct {
		did float64
		met bool
	}{{980, true}, {979.9, false}, {1000, true}, {1010, true}, {0, false}} {
		r := demand.Judge("x", ramp(1000, c.did))
		if got := *r.Steps[0].Met; got != c.met {
			t.Errorf("%g of 1000: met %v, want %v", c.did, got, c.met)
		}
	}
}

// A ramp that the drive follows to its end says that the limit lies above; one that it does
// not follow at all has none, and says so; one of which nothing is known neither.
func TestRampsWithoutALimitBetween(t *testing.T) {
	if r := demand.Judge("x", ramp(100, 100, 200, 199)); *r.LimitIOPS != 200 || r.NextIOPS != nil || !strings.HasPrefix(r.Limit(), "above 200") {
		t.Errorf("all met: %+v", r)
	}
	if r := demand.Judge("x", ramp(100, 50, 200, 50)); r.LimitIOPS != nil || len(r.Withheld) != 1 || r.Withheld[0].Why != "no demand was met" || r.Limit() != "" {
		t.Errorf("none met: %+v", r)
	}
	if r := demand.Judge("x", ramp(100, -1)); r.LimitIOPS != nil || r.Steps[0].Met != nil || r.Withheld[0].Why != "no step of the ramp left a rate" {
		t.Errorf("nothing known: %+v", r)
	}
	if r := demand.Judge("x", nil); r.LimitIOPS != nil || len(r.Steps) != 0 || len(demand.LimitTable([]*demand.Result{r}).Rows) != 0 {
		t.Errorf("nothing done: %+v", r)
	}
}

// A demand below the limit that was not met is told: a drive that does more does less too,
// so something else was at work. The step that was not measured is neither met nor not.
func TestDisturbedStepIsTold(t *testing.T) {
	r := demand.Judge("x", ramp(100, 100, 200, 150, 300, 300, 400, -1, 500, 310))
	if *r.LimitIOPS != 300 || *r.NextIOPS != 500 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Text, "step d-200: it did 150 of 200 IOPS") {
		t.Errorf("%+v", r)
	}
	if met := demand.Table([]*demand.Result{r}).At(3, "met"); met.Valid || met.Why == "" {
		t.Errorf("the step without figures: %+v", met)
	}
}

// A job that was stopped before its time shows no rate that was asked for.
func TestInterruptedStepIsLeftOut(t *testing.T) {
	cells := ramp(100, 100, 200, 80)
	cells[1].Interrupted = true
	if r := demand.Judge("x", cells); len(r.Steps) != 1 || r.NextIOPS != nil {
		t.Errorf("%+v", r)
	}
}
