package efficiency

import (
	"math"
	"math/rand/v2"
	"testing"

	"powerd/engine"
)

// A queue of 8 slots, each filled again 5 µs after its IO is done. An IO takes 295 µs in
// the mean, and slow spells of some 50 IOs come and go. The ± of the mean latency of a
// second must hold 295 µs in at least 92 of 100 seconds; that from the IOs' own scatter,
// as if they knew nothing of one another, does not.
func TestIntervalOfTheMeanLatency(t *testing.T) {
	const windows, slots, meanUs, turnUs = 300, 8, 295.0, 5.0
	held, plain := 0, 0
	for seed := range uint64(windows) {
		r := rand.New(rand.NewPCG(seed, 11))
		phi := 1 - 1/50.0
		var counts [20]uint64 // rows of 50 ms
		var n, sum, squares float64
		x := r.NormFloat64()
		at := make([]float64, slots)
		for i := 0; ; i = (i + 1) % slots {
			x = phi*x + math.Sqrt(1-phi*phi)*r.NormFloat64()
			us := meanUs * (1 + 0.2*x)
			at[i] += us + turnUs
			if at[i] >= 1e6 {
				break
			}
			counts[int(at[i]/50e3)]++
			n, sum, squares = n+1, sum+us, squares+us*us
		}
		res := rows(50e6, counts[:]...)
		mean := sum / n
		std := math.Sqrt(squares/n - mean*mean)
		res.Read.Latency = engine.Latency{N: uint64(n), MeanUs: mean, StdUs: std}
		in := Input{Job: job(), Result: res}
		in.Job.QueueDepth, in.Job.Jobs = slots, 1
		c := Judge(in)
		if c.Latency.MeanU95 == nil {
			t.Fatalf("withheld: %v", c.Withheld)
		}
		if math.Abs(mean-meanUs) <= *c.Latency.MeanU95 {
			held++
		}
		if math.Abs(mean-meanUs) <= 1.96*std/math.Sqrt(n) {
			plain++
		}
		if in.Job.RateIOPS = 100; Judge(in).Latency.MeanU95 != nil {
			t.Fatal("at a demanded rate the queue is not full, and the rate tells nothing of the latency")
		}
	}
	t.Logf("of %d seconds ± holds the latency in %d, the plain one in %d", windows, held, plain)
	if held < windows*92/100 || plain > windows*3/4 {
		t.Errorf("± holds the latency in %d of %d, the plain one in %d", held, windows, plain)
	}
}
