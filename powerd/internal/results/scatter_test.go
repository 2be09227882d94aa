package results_test

import (
	"testing"

	"powerd/engine"
)

// Power is even, 5.5 W, but the IOs of ten intervals of 0.3072 s wander: off their
// mean of 6000 by squares that add up to 30.8e6, so that one deviates by
// √(30.8e6/9) = 1851 and the mean by 585; with t(9) = 2.262 that is ± 1324, 22.1 %,
// of IOPS and of IOPS/mW alike. What the intervals scatter comes from the run's
// files: joules are cut to the engine's intervals.
func TestScatterOfIOsIsInTheRatiosInterval(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 8000 * stripeS, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	res := done(60_000)
	for i, reads := range []uint64{3500, 8500, 5500, 7500, 4500, 7500, 4500, 6500, 3900, 8100} {
		from := 2000 + 300*float64(i)
		res.Intervals = append(res.Intervals, engine.Interval{
			StartNs: host(from * stripeS), EndNs: host((from + 300) * stripeS), Reads: reads, ReadBytes: reads * 4096,
		})
	}
	r.Load(randread, 2000*stripeS, 5000*stripeS, res, nil)
	r.Ended(9)
	d := r.Compute()
	if len(d.Efficiency) != 1 {
		t.Fatalf("%d cells; withheld %v", len(d.Efficiency), d.Withheld)
	}
	c := d.Efficiency[0]
	near(t, "iops_u95_rel", c.IOPSU95Rel, 0.2206, 0.005)
	near(t, "u95_rel", c.U95Rel, 0.2206, 0.005)
	if *c.MeanU95W > 0.001**c.MeanW {
		t.Errorf("mean power ± %g W, though it was even", *c.MeanU95W)
	}
}
