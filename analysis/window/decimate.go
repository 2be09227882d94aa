package window

import (
	"math"
	"slices"
	"sort"

	"powerd/analysis"
	"powerd/quarch"
)

// Decimator reduces a window's blocks to waveforms of a fixed number of columns:
// volts, amperes and watts of each rail in use, and the total's watts if all of them are
// measured. A stripe shorter
// than a column counts in the column of its middle; a longer one in all columns
// whose middle it covers. A column without samples holds NaN.
type Decimator struct {
	w        analysis.Window
	originNs int64
	borders  []float64     // of columns, in stripe indices: one more than columns
	used     []quarch.Rail // by the drive; nil = all
	rails    []quarch.Rail // of them, those that are measured
	traces   []trace       // V, A, W of each rail, then the total's W if there is a total
	total    bool
	seen     bool
}

// trace collects one waveform.
type trace struct {
	name, label, unit string
	n                 []float64
	min, mean, max    []float64
}

// NewDecimator returns a Decimator. originNs is the host time of second 0 on the
// waveforms' axis, used are the rails that the drive uses; nil = all that the module
// gives.
func NewDecimator(w analysis.Window, columns int, m analysis.TimeMap, originNs int64, used []quarch.Rail) *Decimator {
	d := &Decimator{w: w, originNs: originNs, used: used}
	for i := range columns + 1 {
		at := float64(w.StartNs) + float64(w.EndNs-w.StartNs)*float64(i)/float64(columns)
		d.borders = append(d.borders, m.IndexAt(at))
	}
	return d
}

// Add adds a block, in order. It keeps nothing of it.
func (d *Decimator) Add(b *quarch.Block) {
	if b.Len() == 0 {
		return
	}
	if !d.seen {
		d.begin(b)
	}
	first, end := float64(b.First), float64(b.End())
	columns := len(d.borders) - 1
	for c := max(0, sort.SearchFloat64s(d.borders, first)-1); c < columns && d.borders[c] < end; c++ {
		from, to := d.borders[c], d.borders[c+1]
		lo, hi := math.Ceil(from-0.5), math.Ceil(to-0.5)
		if lo >= hi { // no stripe has its middle here
			lo = math.Floor((from + to) / 2)
			hi = lo + 1
		}
		for k := int(max(first, lo) - first); k < int(min(end, hi)-first); k++ {
			d.put(b, c, k)
		}
	}
}

func (d *Decimator) begin(b *quarch.Block) {
	d.seen = true
	d.rails = slices.DeleteFunc(Measured(b), func(r quarch.Rail) bool { return !analysis.Uses(d.used, r) })
	d.total = len(analysis.Lacking(d.used, d.rails, nil)) == 0
	for _, r := range d.rails {
		rail := string(r)
		label := analysis.RailLabel(r)
		d.traces = append(
			d.traces,
			newTrace(rail+"_v", label+" voltage", "V", len(d.borders)-1),
			newTrace(rail+"_a", label+" current", "A", len(d.borders)-1),
			newTrace(rail+"_w", label+" power", "W", len(d.borders)-1),
		)
	}
	if d.total {
		d.traces = append(d.traces, newTrace("total_w", "Total power", "W", len(d.borders)-1))
	}
}

// put puts stripe i of b into column c.
func (d *Decimator) put(b *quarch.Block, c, i int) {
	var total float64
	complete := d.total && len(d.rails) > 0
	for k, r := range d.rails {
		t := b.Trace(r)
		if t == nil {
			complete = false
			continue
		}
		if v, ok := t.Volts(i); ok {
			d.traces[3*k].put(c, float64(v))
		}
		if a, ok := t.Amps(i); ok {
			d.traces[3*k+1].put(c, float64(a))
		}
		w, ok := t.Watts(i)
		if ok {
			d.traces[3*k+2].put(c, float64(w))
		}
		total, complete = total+float64(w), complete && ok
	}
	if complete {
		d.traces[len(d.traces)-1].put(c, total)
	}
}

// Waveforms returns what came so far; none if no block did.
func (d *Decimator) Waveforms() []analysis.Waveform {
	out := make([]analysis.Waveform, len(d.traces))
	for i := range d.traces {
		out[i] = d.traces[i].waveform(d.w, d.originNs)
	}
	return out
}

// newTrace returns a trace of n columns without samples.
func newTrace(name, label, unit string, n int) trace {
	nan := slices.Repeat([]float64{math.NaN()}, n)
	return trace{
		name: name, label: label, unit: unit, n: make([]float64, n),
		min: nan, mean: slices.Clone(nan), max: slices.Clone(nan),
	}
}

func (t *trace) put(c int, x float64) { t.putWeighted(c, x, 1) }

// putWeighted puts a value that stands for weight of the column.
func (t *trace) putWeighted(c int, x, weight float64) {
	if t.n[c] == 0 {
		t.min[c], t.mean[c], t.max[c] = x, 0, x
	}
	t.n[c] += weight
	t.min[c], t.max[c] = min(t.min[c], x), max(t.max[c], x)
	t.mean[c] += (x - t.mean[c]) * weight / t.n[c]
}

func (t *trace) waveform(w analysis.Window, originNs int64) analysis.Waveform {
	return analysis.Waveform{
		Name: t.name, Label: t.label, Unit: t.unit,
		StartS: float64(w.StartNs-originNs) * 1e-9, StepS: w.Seconds() / float64(len(t.n)),
		Min: slices.Clone(t.min), Mean: slices.Clone(t.mean), Max: slices.Clone(t.max),
	}
}
