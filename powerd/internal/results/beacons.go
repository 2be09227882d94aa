package results

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"powerd/analysis/align"
	"powerd/quarch"
)

// Burst is a burst of reads by powerd itself, whose start shows as an edge in the
// samples. Times are host CLOCK_MONOTONIC.
type Burst struct {
	SubmitNs int64  `json:"submit_mono_ns"` // right before the first read was submitted
	DoneNs   int64  `json:"done_mono_ns"`   // right after the first one had completed
	EndNs    int64  `json:"end_mono_ns"`    // right after the last one had completed
	Reads    uint64 `json:"reads"`
}

// BeaconEvent returns the event of bursts one after the other, before each of which the
// drive had no IO for as long as it had then.
func BeaconEvent(nowNs int64, bursts []Burst) quarch.Event {
	return quarch.Event{MonoNs: nowNs, Kind: quarch.EventBeacon, Data: map[string]any{"bursts": bursts}}
}

const (
	// edgeNs is how far to either side of a burst's start its edge is looked for, where the
	// map is sure. The power of the burst before must have gone by then.
	edgeNs = 30e6

	// edgeMapNs is the ± of a map with which the one edge that is meant is found.
	edgeMapNs = 10e6

	// sleepyNs is how long a first read takes at most of a drive that was awake, on a host
	// that did not stand still.
	sleepyNs = 20e6

	// quickest is how many edges of a beacon are used: those whose first reads were done
	// soonest, as the host came between the least.
	quickest = 2
)

// trains returns the beacons of the run that may lie in stream s, each with its bursts.
func (f *folder) trains(s *stream) (out [][]Burst, err error) {
	for _, e := range f.events {
		if e.Kind != quarch.EventBeacon || e.MonoNs < s.BeginNs || s.EndNs > 0 && e.MonoNs > s.EndNs {
			continue
		}
		var b []Burst
		if err := remarshal(e.Data["bursts"], &b); err != nil {
			return nil, fmt.Errorf("read the bursts of a beacon: %w", err)
		}
		if len(b) > 0 {
			out = append(out, b)
		}
	}
	return out, nil
}

// What speaks against an edge besides its own shape.
var (
	errSleepy  = errors.New("the first read took long: the drive woke up, or the host stood still")
	errUnsure  = errors.New("the stream was not placed well enough to say which edge it is")
	errOutside = errors.New("samples around it are missing")
	errFalls   = errors.New("the power falls")
	errLate    = errors.New("the power rose after the first read had been done: another step was found")
)

// beacons looks for the starts of bursts in a stream that is placed by m, and keeps how
// many were refused for what.
func (s *stream) beacons(trains [][]Burst, m *align.Map) (found []align.Known) {
	for _, bursts := range trains {
		if s.looked == nil {
			s.looked = &Beacons{}
		}
		from := m.IndexAt(float64(bursts[0].SubmitNs) - edgeNs)
		to := m.IndexAt(float64(bursts[len(bursts)-1].SubmitNs) + edgeNs)
		watts, first := s.watts(from, to)
		var edges []align.Event
		for _, b := range bursts {
			v, err := s.edge(b, m, watts, first)
			s.looked.count(err)
			if err == nil {
				edges = append(edges, v)
			}
		}
		slices.SortStableFunc(edges, func(a, b align.Event) int {
			return cmp.Compare(a.DoneNs-a.NotBeforeNs, b.DoneNs-b.NotBeforeNs)
		})
		for _, v := range edges[:min(len(edges), quickest)] {
			s.looked.Used++
			found = append(found, v)
		}
	}
	return found
}

// edge finds the start of one burst in watts, the means of stripes of which the first is
// number first.
func (s *stream) edge(b Burst, m *align.Map, watts []float64, first uint64) (align.Event, error) {
	submit := float64(b.SubmitNs)
	_, u := m.TimeOf(m.IndexAt(submit))
	from, to := m.IndexAt(submit-edgeNs)-float64(first), m.IndexAt(submit+edgeNs)-float64(first)
	switch {
	case b.DoneNs-b.SubmitNs > sleepyNs:
		return align.Event{}, errSleepy
	case !(u <= edgeMapNs):
		return align.Event{}, errUnsure
	case from < 0 || to > float64(len(watts))+1:
		return align.Event{}, errOutside
	}
	edge, err := align.FindEdge(watts[int(from):min(int(to), len(watts))], first+uint64(from), float64(s.PeriodNs))
	switch {
	case err != nil:
		return align.Event{}, err
	case edge.StepW < 0:
		return align.Event{}, errFalls
	}
	if at, u := m.TimeOf(edge.Stripe); at-u > float64(b.DoneNs)+edge.UNs {
		return align.Event{}, errLate
	}
	return align.Event{Stripe: edge.Stripe, UNs: edge.UNs, NotBeforeNs: b.SubmitNs, DoneNs: b.DoneNs, Kind: "beacon"}, nil
}

// watts returns the power of all rails in the stripes of [from, to), NaN where a value is
// missing; nothing where the stream ends before.
func (s *stream) watts(from, to float64) (watts []float64, first uint64) {
	if from < 0 || to >= float64(s.End()) || to <= from {
		return nil, 0
	}
	first = uint64(from)
	watts = make([]float64, uint64(to)-first)
	for i := range watts {
		watts[i] = math.NaN()
	}
	for b := range s.tolerant(first, first+uint64(len(watts))) {
		for i := range b.Len() {
			sum := 0.0
			for k := range b.Traces {
				w, ok := b.Traces[k].Watts(i)
				if !ok {
					sum = math.NaN()
				}
				sum += float64(w)
			}
			watts[b.First-first+uint64(i)] = sum
		}
	}
	return watts, first
}

// Beacons are what came of the beacons in a stream: starts of powerd's own bursts of reads
// that were looked for in its samples.
type Beacons struct {
	Edges   int            `json:"edges"`
	Found   int            `json:"found"`
	Used    int            `json:"used"` // the quickest two of each beacon
	Refused []RefusedEdges `json:"refused,omitempty"`
}

// RefusedEdges are edges that were not used.
type RefusedEdges struct {
	Why   string `json:"why"` // of the first of them
	Edges int    `json:"edges"`

	err error
}

// count takes what came of an edge. Reasons of a kind are counted together.
func (b *Beacons) count(err error) {
	b.Edges++
	if err == nil {
		b.Found++
		return
	}
	for i := range b.Refused {
		if r := &b.Refused[i]; errors.Is(err, r.err) || errors.Is(err, align.ErrNoEdge) && errors.Is(r.err, align.ErrNoEdge) {
			r.Edges++
			return
		}
	}
	b.Refused = append(b.Refused, RefusedEdges{Why: err.Error(), Edges: 1, err: err})
}

// text says it in a line; empty where nothing was refused.
func (b *Beacons) text() string {
	if b == nil || len(b.Refused) == 0 {
		return ""
	}
	var whys []string
	for _, r := range b.Refused {
		whys = append(whys, fmt.Sprintf("%d: %s", r.Edges, r.Why))
	}
	return fmt.Sprintf("%d of %d beacon edges were refused (%s)", b.Edges-b.Found, b.Edges, strings.Join(whys, "; "))
}
