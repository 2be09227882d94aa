package plots_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"powerd/plots"
)

func curveTexts(t *testing.T, planes []plots.Plane, marks []plots.Mark) (*plots.Picture, error) {
	t.Helper()
	return plots.Curves(planes, marks, plots.CurveLabels{Title: "IOPS over the demand", Subtitle: "randread 4k", Varied: "Demand (IOPS)"}, plots.Footer{Drive: "a drive"})
}

// Both axes, every curve and what is left out are named; a figure that is not known at a
// value leaves its dot out, and one that is known nowhere its curve.
func TestCurvesSayWhatTheyShow(t *testing.T) {
	p, err := curveTexts(t, []plots.Plane{
		{Diagonal: true, Curves: []plots.Curve{
			{Name: "iops", Label: "IOPS", Unit: "IOPS", X: []float64{3000, 1000, 2000}, Y: []float64{2500, 1000, 2000}},
			{Name: "total_w", Label: "total power", Unit: "W", X: []float64{1000, 2000, 3000}, Y: []float64{3, math.NaN(), 4}, U95: []float64{0.1, math.NaN(), math.NaN()}, Right: true},
		}},
		{Log: true, Curves: []plots.Curve{
			{Name: "latency_mean", Label: "mean latency", Unit: "µs", X: []float64{1000, 2000}, Y: []float64{100, 0}},
			{Name: "latency_max", Label: "maximum latency", Unit: "µs", X: []float64{1000}, Y: []float64{math.NaN()}},
		}},
	}, []plots.Mark{{AtS: math.Inf(-1), Label: "met"}, {AtS: 2500, Label: "not met"}})
	if err != nil {
		t.Fatal(err)
	}
	text := svg(t, p, err)
	for _, want := range []string{
		"IOPS over the demand", "Demand (IOPS)", "Power (W)", "Latency (µs)", "total power (right axis)", "mean latency", "not met",
		"total power: not known at 1 of 3 values", "mean latency: not known at 1 of 2 values", "maximum latency: not known at any value",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
}

// One value is drawn; none is refused before anything is; lists that do not belong together
// are an error.
func TestCurvesOfLittle(t *testing.T) {
	one := []plots.Plane{{Curves: []plots.Curve{{Name: "iops", Unit: "IOPS", X: []float64{5}, Y: []float64{7}}}}}
	if p, err := curveTexts(t, one, nil); svg(t, p, err) == "" {
		t.Errorf("one value: %v", err)
	}
	for _, y := range []float64{math.NaN(), math.Inf(1), 1e300} {
		one[0].Curves[0].Y[0] = y
		if _, err := curveTexts(t, one, nil); !errors.Is(err, plots.ErrNoData) {
			t.Errorf("%g: %v, want no data", y, err)
		}
	}
	if _, err := curveTexts(t, nil, nil); !errors.Is(err, plots.ErrNoData) {
		t.Errorf("nothing: %v, want no data", err)
	}
	one[0].Curves[0].X = nil
	if _, err := curveTexts(t, one, nil); err == nil || errors.Is(err, plots.ErrNoData) {
		t.Errorf("a figure without its value: %v", err)
	}
}
