package fio

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"powerd/engine"
)

// pool is moments of several entries put together.
type pool struct {
	n             float64
	mean, squares float64 // squares: sum of squared deviations from the mean
	min, max      float64
}

// add merges moments that count in units of toUs µs. Entries without samples or
// with a missing value add nothing.
func (p *pool) add(m *moments, toUs float64) {
	if m == nil || m.Mean == nil || value(m.N) == 0 {
		return
	}
	n, mean, std := float64(*m.N), *m.Mean*toUs, value(m.Std)*toUs
	lo, hi := value(m.Min)*toUs, value(m.Max)*toUs
	if p.n == 0 {
		*p = pool{n, mean, std * std * (n - 1), lo, hi}
		return
	}
	delta, sum := mean-p.mean, p.n+n
	p.squares += std*std*(n-1) + delta*delta*p.n*n/sum
	p.mean += delta * n / sum
	p.n = sum
	p.min, p.max = min(p.min, lo), max(p.max, hi)
}

func (p *pool) std() float64 {
	if p.n < 2 {
		return 0
	}
	return math.Sqrt(p.squares / (p.n - 1))
}

// latencyOf returns the completion latency of one direction of all entries.
// Moments are pooled exactly, and so are histograms; percentiles can't be made of percentiles.
func latencyOf(v Version, parts []*totals) engine.Latency {
	var p pool
	var withSamples []*moments
	var factor float64
	for _, t := range parts {
		m, toUs := t.completion(v)
		p.add(m, toUs)
		if m != nil && value(m.N) > 0 {
			withSamples, factor = append(withSamples, m), toUs
		}
	}
	if p.n == 0 {
		return engine.Latency{PercentilesWithheldBecause: "no IO was timed"}
	}
	out := engine.Latency{N: uint64(p.n), MeanUs: p.mean, StdUs: p.std(), MinUs: p.min, MaxUs: p.max, Histogram: histogramOf(v, parts)}
	switch {
	case len(withSamples) > 1:
		out.PercentilesWithheldBecause = fmt.Sprintf("fio gave them for %d jobs apart, and percentiles can't be averaged; use group_reporting=1", len(withSamples))
	case len(withSamples[0].Percentiles) == 0:
		out.PercentilesWithheldBecause = "fio's report has none"
	default:
		out.PercentileUs = map[string]float64{}
		for k, v := range withSamples[0].Percentiles {
			out.PercentileUs[percentileKey(k)] = v * factor
		}
	}
	return out
}

// percentileKey shortens fio's "99.990000" to "99.99".
func percentileKey(k string) string {
	if _, err := strconv.ParseFloat(k, 64); err != nil || !strings.Contains(k, ".") {
		return k
	}
	return strings.TrimSuffix(strings.TrimRight(k, "0"), ".")
}
