package plots

import (
	"fmt"
	"math"
	"strings"

	"powerd/analysis"
)

// tooLarge is what no axis can show: such a value is left out like an infinity.
const tooLarge = 1e15

// trace is a waveform made fit for drawing: every column has three finite numbers
// or three NaN.
type trace struct {
	name, label    string
	unit           string
	t0, dt         float64 // seconds: left edge of the first column, width of one
	min, mean, max []float64
	leftOut, total int // columns without a finite value, columns in all
}

// newTrace checks a waveform, counts what cannot be drawn, and reduces it to at
// most Columns columns.
func newTrace(w *analysis.Waveform) (*trace, error) {
	t, err := wholeTrace(w)
	if err == nil {
		t.reduce(Columns)
	}
	return t, err
}

// wholeTrace is newTrace with every column kept.
func wholeTrace(w *analysis.Waveform) (*trace, error) {
	if w == nil {
		return nil, fmt.Errorf("%w: a trace is missing", ErrNoData)
	}
	n := len(w.Mean)
	if len(w.Min) != n || len(w.Max) != n {
		return nil, fmt.Errorf("draw %s: it has %d minima, %d means and %d maxima", w.Name, len(w.Min), n, len(w.Max))
	}
	if !finite(w.StartS) || !finite(w.StepS) || w.StepS < 0 {
		return nil, fmt.Errorf("draw %s: its time axis starts at %g s with columns of %g s", w.Name, w.StartS, w.StepS)
	}
	t := &trace{
		name: w.Name, label: name(w), unit: w.Unit, t0: w.StartS, dt: w.StepS, total: n,
		min: make([]float64, n), mean: make([]float64, n), max: make([]float64, n),
	}
	for i := range n {
		lo, mid, hi := w.Min[i], w.Mean[i], w.Max[i]
		if !finite(lo) || !finite(mid) || !finite(hi) {
			lo, mid, hi = math.NaN(), math.NaN(), math.NaN()
			t.leftOut++
		}
		t.min[i], t.mean[i], t.max[i] = lo, mid, hi
	}
	if t.leftOut == n {
		return nil, fmt.Errorf("%w: %s has no sample in the %s", ErrNoData, name(w), span(w))
	}
	return t, nil
}

func finite(v float64) bool { return math.Abs(v) < tooLarge } // false for NaN, too

func name(w *analysis.Waveform) string {
	if w.Label != "" {
		return w.Label
	}
	return w.Name
}

// span says in words which time a waveform covers.
func span(w *analysis.Waveform) string {
	if len(w.Mean) == 0 {
		return "window asked for"
	}
	return fmt.Sprintf("window from %.6g s to %.6g s", w.StartS, w.StartS+float64(len(w.Mean))*w.StepS)
}

// reduce joins neighbours so that at most n columns remain: the least minimum, the
// greatest maximum, the mean of the means.
func (t *trace) reduce(n int) {
	k := (len(t.mean) + n - 1) / n
	if k <= 1 {
		return
	}
	out := 0
	for i := 0; i < len(t.mean); i += k {
		lo, sum, hi, seen := math.Inf(1), 0.0, math.Inf(-1), 0
		for j := i; j < min(i+k, len(t.mean)); j++ {
			if math.IsNaN(t.mean[j]) {
				continue
			}
			lo, hi = min(lo, t.min[j]), max(hi, t.max[j])
			sum += t.mean[j]
			seen++
		}
		if seen == 0 {
			lo, sum, hi, seen = math.NaN(), math.NaN(), math.NaN(), 1
		}
		t.min[out], t.mean[out], t.max[out] = lo, sum/float64(seen), hi
		out++
	}
	t.min, t.mean, t.max = t.min[:out], t.mean[:out], t.max[:out]
	t.dt *= float64(k)
}

// middle returns the time of column i's middle in seconds.
func (t *trace) middle(i int) float64 { return t.t0 + (float64(i)+0.5)*t.dt }

// rangeOf returns the least and the greatest value of traces.
func rangeOf(traces []*trace) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, t := range traces {
		for i, m := range t.mean {
			if !math.IsNaN(m) {
				lo, hi = min(lo, t.min[i], m), max(hi, t.max[i], m)
			}
		}
	}
	return lo, hi
}

// timeRange returns the time that traces cover; no span becomes one of a second
// around it.
func timeRange(traces []*trace) (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for _, t := range traces {
		from, to = min(from, t.t0), max(to, t.t0+t.dt*float64(len(t.mean)))
	}
	if !(to-from > 1e-12*max(math.Abs(from), math.Abs(to))) {
		return from - 0.5, to + 0.5
	}
	return from, to
}

// runs calls f for every unbroken stretch [i, j) of columns with values.
func (t *trace) runs(f func(i, j int)) {
	for i := 0; i < len(t.mean); {
		if math.IsNaN(t.mean[i]) {
			i++
			continue
		}
		j := i
		for j < len(t.mean) && !math.IsNaN(t.mean[j]) {
			j++
		}
		f(i, j)
		i = j
	}
}

// notes says what a reader must know of the traces: what was left out, and the
// value of a line that is flat.
func notes(traces []*trace) []string {
	var out []string
	for _, t := range traces {
		if t.leftOut > 0 {
			out = append(out, fmt.Sprintf("%s: %d of %d %s left out (no sample or no finite number)",
				t.label, t.leftOut, t.total, plural(t.total, "point")))
		}
		if lo, hi := rangeOf([]*trace{t}); lo == hi {
			out = append(out, fmt.Sprintf("%s: constant at %s %s", t.label, analysis.FormatValue(lo, 0, 0), t.unit))
		}
	}
	return out
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// crop returns the part of w between two times; a column is in when its middle is.
func crop(w *analysis.Waveform, from, to float64) *analysis.Waveform {
	if w == nil {
		return nil
	}
	out := *w
	if !(w.StepS > 0) {
		return &out
	}
	clamp := func(s float64) int {
		return int(min(max(math.Round((s-w.StartS)/w.StepS), 0), float64(len(w.Mean))))
	}
	i, j := clamp(from), clamp(to)
	if len(w.Min) != len(w.Mean) || len(w.Max) != len(w.Mean) {
		return &out // newTrace says what is wrong
	}
	out.StartS = w.StartS + float64(i)*w.StepS
	out.Min, out.Mean, out.Max = w.Min[i:j], w.Mean[i:j], w.Max[i:j]
	return &out
}

// railLabel returns what a legend calls the rail of a trace: its name begins with
// the rail ("5v_w"). Other names give the trace's own label.
func railLabel(name, label string) string {
	rail, _, _ := strings.Cut(name, "_")
	switch rail {
	case "5v":
		return "5 V"
	case "12v":
		return "12 V"
	case "3v3":
		return "3.3 V"
	case "total":
		return "Total"
	}
	return label
}
