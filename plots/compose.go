package plots

import (
	"fmt"

	"powerd/analysis"
)

// maxColumns is the width of a frame in pixels, about: more columns are reduced.
const maxColumns = 1400

// newTraces makes every waveform fit for drawing.
func newTraces(waves []*analysis.Waveform) ([]*trace, error) {
	if len(waves) == 0 {
		return nil, fmt.Errorf("%w: no trace was given", ErrNoData)
	}
	traces := make([]*trace, len(waves))
	for i, w := range waves {
		t, err := newTrace(w, maxColumns)
		if err != nil {
			return nil, err
		}
		traces[i] = t
	}
	return traces, nil
}

// ofUnit returns the traces of the waveforms that have a unit.
func ofUnit(waves []*analysis.Waveform, traces []*trace, unit string) []*trace {
	var out []*trace
	for i, w := range waves {
		if w.Unit == unit {
			out = append(out, traces[i])
		}
	}
	return out
}

func limitsOf(limits []analysis.Limit, unit string) []analysis.Limit {
	var out []analysis.Limit
	for _, l := range limits {
		if l.Unit == unit && finite(l.Value) {
			out = append(out, l)
		}
	}
	return out
}

// newPanel returns a panel whose value axis holds traces and limits.
func newPanel(traces []*trace, limits []analysis.Limit, label string, zero bool) *panel {
	lo, hi := rangeOf(traces)
	for _, l := range limits {
		lo, hi = min(lo, l.Value), max(hi, l.Value)
	}
	p := &panel{limits: limits, leftTraces: seriesOf(traces)}
	p.left.label = label
	p.left.lo, p.left.hi = padRange(lo, hi, zero)
	return p
}

func seriesOf(traces []*trace) []series {
	out := make([]series, len(traces))
	for i, t := range traces {
		out[i] = series{trace: t, colour: traceColour(t.name)}
	}
	return out
}

// legendOf names series by their rails.
func legendOf(list []series) []entry {
	var out []entry
	for _, s := range list {
		out = append(out, entry{label: railLabel(s.name, s.label), colour: s.colour, band: s.hasBand()})
	}
	return out
}

// hasBand says whether min and max differ anywhere.
func (t *trace) hasBand() bool {
	for i := range t.mean {
		if t.max[i] > t.min[i] {
			return true
		}
	}
	return false
}
