package plots

import (
	"errors"
	"fmt"

	"powerd/analysis"
)

// Columns is how many columns a waveform should have: the narrowest frame is that
// many pixels wide. Wider waveforms are reduced.
const Columns = 1200

// newTraces makes waveforms fit for drawing. One without a sample becomes a note,
// as long as another has some.
func newTraces(waves []*analysis.Waveform) (traces []*trace, missing []string, err error) {
	if len(waves) == 0 {
		return nil, nil, fmt.Errorf("%w: no trace was given", ErrNoData)
	}
	var empty error
	for _, w := range waves {
		t, err := newTrace(w)
		switch {
		case w != nil && errors.Is(err, ErrNoData):
			empty = errors.Join(empty, err)
			missing = append(missing, fmt.Sprintf("%s: no sample in the %s", name(w), span(w)))
		case err != nil:
			return nil, nil, err
		default:
			traces = append(traces, t)
		}
	}
	if len(traces) == 0 {
		return nil, nil, empty
	}
	return traces, missing, nil
}

// ofUnit returns the traces that have a unit.
func ofUnit(traces []*trace, unit string) []*trace {
	var out []*trace
	for _, t := range traces {
		if t.unit == unit {
			out = append(out, t)
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
