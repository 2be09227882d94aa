package results

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"powerd/analysis/align"
	"powerd/engine"
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
	// sleepyNs is how long a first read takes at most of a drive that was awake, on a host
	// that did not stand still.
	sleepyNs = 20e6

	// quickest is how many edges of a beacon are used: those whose first reads were done
	// soonest, as the host came between the least.
	quickest = 2

	// A map that is too unsure to tell a beacon's edges apart, but not by more than searchNs,
	// is helped by the beacon as a whole: its bursts are laid upon the power in steps of binNs.
	searchNs = 1e9
	binNs    = 10_000_000
)

// trains returns the beacons of the run that may lie in stream s, each with its bursts.
func (f *folder) trains(s *stream) (out [][]Burst, err error) {
	for _, e := range f.events {
		if e.Kind != quarch.EventBeacon || !f.during(s.Stream, e.MonoNs) {
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

// errSleepy speaks against a burst, whatever its edge.
var errSleepy = errors.New("the first read took long: the drive woke up, or the host stood still")

// beacons looks for the starts of bursts in a stream that is placed by m, and keeps how
// many were refused for what.
func (s *stream) beacons(trains [][]Burst, m *align.Map) (found []align.Known) {
	if len(trains) > 0 {
		s.looked = &Beacons{}
	}
	for _, bursts := range trains {
		edges := s.train(bursts, m)
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

// train returns the edges of one beacon.
func (s *stream) train(bursts []Burst, m *align.Map) (edges []align.Event) {
	first, last := bursts[0], bursts[len(bursts)-1]
	_, u := m.TimeOf(m.IndexAt(float64(first.SubmitNs)))
	v := s.view(m, float64(first.SubmitNs)-edgeNs-edgeMapNs, float64(last.SubmitNs)+edgeNs+edgeMapNs)
	var shiftNs float64
	var err error
	if !(u <= edgeMapNs) {
		shiftNs, v, err = s.search(bursts, m, u)
	}
	for _, b := range bursts {
		edge, err := align.Edge{}, err
		switch {
		case err != nil:
		case b.DoneNs-b.SubmitNs > sleepyNs:
			err = errSleepy
		default:
			edge, err = v.rise(cause{float64(b.SubmitNs), float64(b.DoneNs)}, shiftNs, edgeNs)
		}
		if s.looked.count(err); err == nil {
			edges = append(edges, align.Event{Stripe: edge.Stripe, UNs: edge.UNs, NotBeforeNs: b.SubmitNs, DoneNs: b.DoneNs, Kind: "beacon"})
		}
	}
	return edges
}

// search returns how much later than the map has it the power of a beacon lies, by all
// of its bursts together, and the power around it.
func (s *stream) search(bursts []Burst, m *align.Map, u float64) (shiftNs float64, v view, err error) {
	if !(u <= searchNs) {
		return 0, v, errUnsure
	}
	const besideNs = 5 * binNs
	fromNs, toNs := bursts[0].SubmitNs-besideNs, bursts[len(bursts)-1].EndNs+besideNs
	start, _ := m.TimeOf(0)
	v = s.view(m, max(start, float64(fromNs)-u-edgeNs), float64(toNs)+u+edgeNs)
	if len(v.watts) == 0 {
		return 0, v, errOutside
	}
	var bins []engine.Interval
	for at := fromNs; at+binNs <= toNs; at += binNs {
		bin := engine.Interval{StartNs: at, EndNs: at + binNs}
		for _, b := range bursts { // reads are as many as the microseconds in which there were some
			bin.Reads += uint64(max(0, min(bin.EndNs, b.EndNs)-max(bin.StartNs, b.SubmitNs))) / 1000
		}
		bins = append(bins, bin)
	}
	at, _ := m.TimeOf(float64(v.first))
	o, err := align.Correlate(align.NewEnergy(at, v.periodNs*(1+m.DriftPPM*1e-6), v.watts), bins, u+edgeMapNs)
	switch {
	case err != nil:
		return 0, v, err
	case o.U95Ns > edgeMapNs:
		return 0, v, errUnsure
	}
	return o.Ns, v, nil
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

	kind error
}

// count takes what came of an edge. Reasons of a kind are counted together.
func (b *Beacons) count(err error) {
	b.Edges++
	if err == nil {
		b.Found++
		return
	}
	for i := range b.Refused {
		if r := &b.Refused[i]; errors.Is(err, r.kind) {
			r.Edges++
			return
		}
	}
	kind := err
	for _, k := range []error{align.ErrNoEdge, align.ErrNotUnique} {
		if errors.Is(err, k) {
			kind = k
		}
	}
	b.Refused = append(b.Refused, RefusedEdges{Why: err.Error(), Edges: 1, kind: kind})
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
