package plots_test

import (
	"errors"
	"strings"
	"testing"

	"powerd/plots"
)

// 990 reads of 100 µs and 10 of 1 ms: both axes in µs, the share ends at 100 %, percentiles
// stand where they are asked for, and one outside the bins is left out.
func TestLatencyHistogramAsText(t *testing.T) {
	bins := []plots.LatencyBin{{LowUs: 99, HighUs: 100, IOs: 990}, {LowUs: 1000, HighUs: 1010, IOs: 10}}
	p, err := plots.LatencyHistogram(bins, []plots.Mark{{AtS: 99.5, Label: "50 %"}, {AtS: 5000, Label: "99.9 %"}}, "randread, 4 KiB", plots.Footer{})
	got := svg(t, p, err)
	for _, want := range []string{"Latency (µs)", "IOs within 1 % of that latency", "IOs that took no longer (%)", ">100<", ">1000<", "50 %", "1000 IOs in 2 bins"} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if strings.Contains(got, "99.9 %") {
		t.Error("a percentile outside the bins is shown")
	}
}

// Nothing to draw is said, and never drawn: no bins, bins of no width, cells without a figure.
func TestLatencyPicturesOfNothing(t *testing.T) {
	for _, bins := range [][]plots.LatencyBin{nil, {{LowUs: 0, HighUs: 1, IOs: 3}}, {{LowUs: 5, HighUs: 5, IOs: 3}}, {{LowUs: 5, HighUs: 6}}} {
		if _, err := plots.LatencyHistogram(bins, nil, "", plots.Footer{}); !errors.Is(err, plots.ErrNoData) {
			t.Errorf("%v: %v", bins, err)
		}
	}
	if _, err := plots.LatencyOverIOPS([]plots.LatencyPanel{{Label: "mean (µs)", Lines: []plots.Line{{Label: "jobs 1"}}}}, "", plots.Footer{}); !errors.Is(err, plots.ErrNoData) {
		t.Errorf("no cell: %v", err)
	}
}

// Three depths of two numbers of jobs, a panel for the mean and one for 99.99 %, for which no
// cell had IOs enough: that is said in its place.
func TestLatencyOverIOPSAsText(t *testing.T) {
	p, err := plots.LatencyOverIOPS([]plots.LatencyPanel{
		{Label: "mean latency (µs)", Lines: []plots.Line{
			{Label: "jobs 1", X: []float64{3000, 9000, 20_000}, Y: []float64{330, 440, 1600}}, {Label: "jobs 4", X: []float64{12_000, 20_000}, Y: []float64{330, 800}},
		}},
		{Label: "99.99 % latency (µs)", Lines: []plots.Line{{Label: "jobs 1"}}},
	}, "randread", plots.Footer{})
	got := svg(t, p, err)
	for _, want := range []string{"mean latency (µs)", ">IOPS<", "jobs 1", "jobs 4", "99.99 % latency (µs): no cell has enough IOs", ">1000<"} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
}
