package steady

import (
	"math"

	"powerd/analysis/efficiency"
	"powerd/analysis/latency"
	"powerd/engine"
)

// Latencies lists the latencies that may decide, beside the IOPS.
func Latencies() []string { return []string{"mean", "99", "99.9", "99.99"} }

// LatencyName is what people call one of them; empty for none.
func LatencyName(which string) string {
	switch which {
	case "":
		return ""
	case "mean":
		return "mean"
	}
	return which + " %"
}

// IOPS returns what a round's job did, reads and writes: NaN where it failed, was stopped,
// or left none.
func IOPS(res *engine.Result, err error) float64 {
	if err != nil || res == nil || res.Interrupted {
		return math.NaN()
	}
	return orNaN(efficiency.IOPS(res))
}

// LatencyUs returns how long a round's IOs took, reads and writes together, as IOPS does.
// It is NaN, too, where the round has too few IOs for that percentile.
func LatencyUs(which string, res *engine.Result, err error) float64 {
	if err != nil || res == nil || res.Interrupted {
		return math.NaN()
	}
	f := latency.Join(res.Read.Latency, res.Write.Latency)
	if f == nil {
		return math.NaN()
	}
	switch which {
	case "mean":
		return orNaN(f.Mean)
	case "99":
		return orNaN(f.P99)
	case "99.9":
		return orNaN(f.P999)
	case "99.99":
		return orNaN(f.P9999)
	}
	return math.NaN()
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}
