package results

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"

	"powerd/analysis/align"
	"powerd/engine"
	"powerd/quarch"
	"powerd/quarch/capture"
)

// Loader reads what an engine left of a job; engine.Engine is one.
type Loader interface {
	Load(job engine.Job) (*engine.Result, error)
}

// folder is a run's folder, opened.
type folder struct {
	dir     string
	meta    Meta
	capture *capture.Capture
	events  []quarch.Event
	steps   []step
	streams []stream
	loader  Loader
}

// stream is one stream of the capture with its place in host time.
type stream struct {
	*capture.Stream
	m              *align.Map
	startNs, endNs int64 // host time of the first and the end of the last stripe
}

func open(dir string, loader Loader) (*folder, error) {
	c, err := capture.Open(filepath.Join(dir, "capture"))
	if err != nil {
		return nil, fmt.Errorf("open run %s: %w", dir, err)
	}
	f := &folder{dir: dir, capture: c, loader: loader}
	if err := json.Unmarshal(c.Meta().Run, &f.meta); err != nil {
		return nil, fmt.Errorf("open run %s: read run in capture/meta.json: %w", dir, err)
	}
	if f.events, err = c.Events(); err != nil {
		return nil, fmt.Errorf("open run %s: %w", dir, err)
	}
	if f.steps, err = steps(f.events); err != nil {
		return nil, fmt.Errorf("open run %s: %w", dir, err)
	}
	for _, s := range c.Streams() {
		placed, err := f.place(s)
		if err != nil {
			return nil, fmt.Errorf("open run %s: stream %d: %w", dir, s.Number, err)
		}
		f.streams = append(f.streams, placed)
	}
	return f, nil
}

// place puts a stream on host time.
func (f *folder) place(s *capture.Stream) (stream, error) {
	out := stream{Stream: s}
	if s.End() == 0 {
		out.m = align.NewEstimator(align.Options{PeriodNs: s.PeriodNs}).Map()
		return out, nil
	}
	if s.Polled {
		m, err := align.Polled(s.Blocks(0, math.MaxUint64))
		if err != nil { // too few readings to say when they were
			out.m = align.NewEstimator(align.Options{}).Map()
			out.m.Reason = err.Error()
			return out, nil
		}
		out.m = m
	} else {
		arrivals, err := s.Arrivals()
		if err != nil {
			return out, err
		}
		e := align.NewEstimator(align.Options{
			PeriodNs: s.PeriodNs, TickNs: int64(f.meta.Module.LatencyTimerMs) * 1e6,
		})
		for _, a := range arrivals {
			e.Add(a)
		}
		if s.SentNs > 0 {
			e.Bound(align.Bound{NotBeforeNs: s.SentNs, Kind: "stream start"})
		}
		first := e.Map()
		for _, b := range f.powerBounds(s, first) {
			e.Bound(b)
		}
		out.m = e.Map()
	}
	start, _ := out.m.TimeOf(0)
	end, _ := out.m.TimeOf(float64(s.End()))
	out.startNs, out.endNs = int64(start), int64(end)
	return out, nil
}

// powerBounds looks for the rise of a rail after each power-up of the stream: it
// cannot be earlier than the command.
func (f *folder) powerBounds(s *capture.Stream, m *align.Map) []align.Bound {
	var out []align.Bound
	for _, e := range f.events {
		sent := intOf(e.Data["sent_mono_ns"])
		if e.Kind != quarch.EventPowerOn || sent < s.BeginNs || (s.EndNs > 0 && sent > s.EndNs) {
			continue
		}
		_, u := m.TimeOf(m.IndexAt(float64(sent)))
		if math.IsInf(u, 1) {
			u = 1e9
		}
		from := max(0, m.IndexAt(float64(sent)-u-10e6))
		to := m.IndexAt(float64(sent) + u + 2e9)
		if k, ok := rise(s, uint64(from), uint64(max(from, to))); ok {
			out = append(out, align.Bound{Stripe: float64(k), NotBeforeNs: sent, Kind: "power on"})
		}
	}
	return out
}

// rise returns the first stripe in [from, to) at which a rail is at 1 % of its
// nominal volts or more after all were below.
func rise(s *capture.Stream, from, to uint64) (uint64, bool) {
	down := false
	for b, err := range s.Blocks(from, to) {
		if err != nil {
			continue
		}
		for i := range b.Len() {
			up := false
			for k := range b.Traces {
				t := &b.Traces[k]
				v, ok := t.Volts(i)
				up = up || (ok && float64(v) >= 0.01*t.Rail.NominalVolts())
			}
			if up && down {
				return b.First + uint64(i), true
			}
			down = !up
		}
	}
	return 0, false
}

// streamAt returns the stream that has samples at a host time, else nil.
func (f *folder) streamAt(ns int64) *stream {
	for i := range f.streams {
		if s := &f.streams[i]; ns >= s.startNs && ns < s.endNs {
			return s
		}
	}
	return nil
}

// main returns the longest stream, or nil if there is none.
func (f *folder) main() *stream {
	var best *stream
	for i := range f.streams {
		s := &f.streams[i]
		if s.End() > 0 && (best == nil || s.endNs-s.startNs > best.endNs-best.startNs) {
			best = s
		}
	}
	return best
}
