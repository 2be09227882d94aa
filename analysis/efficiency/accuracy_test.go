package efficiency

import (
	"math"
	"testing"

	"powerd/analysis"
	"powerd/analysis/accuracy"
)

// 1 A at 5 V on a module of 1 %, 2 mA and 1 mV: U(I) = 2·12/√3 mA = 13.86 mA and
// U(V) = 2·51/√3 mV = 58.9 mV, so √((5·13.86)² + (1·58.9)²) = 90.9 mW of 5 W, 1.82 %.
// The scatter alone, which two cells on one module are compared by, stays as it was.
func TestTheModulesAccuracyIsInEveryRatio(t *testing.T) {
	r := even(10) // rows of 400 ms with 4000 IOs each
	ws := []analysis.Window{{StartNs: r.StartNs, EndNs: r.EndNs}}
	for _, p := range Parts(r) {
		ws = append(ws, p.Window)
	}
	watts := make([]float64, 4000)
	for i := range watts {
		watts[i] = 5
	}
	st := cut(t, 1e6, 0, ws, watts)
	in := Input{Job: job(), Result: r, Power: &st[0], Parts: st[1:]}
	bare := Judge(in)
	in.Accuracy = accuracy.Spec{GainPct: 1, OffsetAmps: 2e-3, OffsetVolts: 1e-3}
	c := Judge(in)
	const module = 0.0909 / 5
	near(t, "u95_scatter_rel", c.U95ScatterRel, *bare.U95Rel, 1e-12)
	near(t, "u95_rel", c.U95Rel, math.Hypot(*bare.U95Rel, module), 2e-5)
	near(t, "mean_u95_w", c.MeanU95W, math.Hypot(*bare.MeanU95W, 0.0909), 1e-4)
	near(t, "iops_u95_rel", c.IOPSU95Rel, *bare.IOPSU95Rel, 1e-12) // no module counts IOs
}

// The same module and drive: a rail's mean current is off by 13.86 mA and its voltage by
// 58.9 mV; energy is as unsure as the power. All stand in the table beside their figures.
func TestRailsAndEnergyHaveTheirOwn(t *testing.T) {
	r := even(10)
	watts := make([]float64, 4000)
	for i := range watts {
		watts[i] = 5
	}
	st := cut(t, 1e6, 0, []analysis.Window{{StartNs: r.StartNs, EndNs: r.EndNs}}, watts)
	c := Judge(Input{Job: job(), Result: r, Power: &st[0], Accuracy: accuracy.Spec{GainPct: 1, OffsetAmps: 2e-3, OffsetVolts: 1e-3}})
	rail := c.Rails["5v"]
	near(t, "u95_a", rail.U95A, 13.86e-3, 1e-5)
	near(t, "u95_v", rail.U95V, 58.9e-3, 1e-4)
	table := Table([]*Cell{c})
	if got := table.At(0, "5v_w"); math.Abs(got.U95-0.0909) > 1e-4 {
		t.Errorf("5v_w ± %g, want 0.0909", got.U95)
	}
	if got := table.At(0, "energy_j"); math.Abs(got.U95/got.Value-0.0909/5) > 2e-5 {
		t.Errorf("energy_j %g ± %g, want 1.82 %%", got.Value, got.U95)
	}
}
