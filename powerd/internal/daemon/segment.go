package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"powerd/analysis/align"
	"powerd/powerd/internal/live"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
	"powerd/quarch/capture"
)

const (
	partNs     = int64(5 * time.Second) // what a crash loses at most
	recordStep = "record"

	// A segment on disk, generously: a stripe of two rails, and what the two files of
	// each part take beside their stripes.
	stripeBytes = 6
	partBytes   = 8 << 10
)

// segmentBytes is about what a segment takes on disk.
func segmentBytes(length, sampling time.Duration) int64 {
	return stripeBytes*int64(length/max(1, sampling)) + partBytes*(1+length.Nanoseconds()/partNs)
}

// segment is one folder of a recording while it is written.
type segment struct {
	dir     string
	hold    io.Closer
	w       *capture.Writer
	base    uint64 // index in the stream of its first stripe
	startNs int64  // host time at which it began
}

// head is what a segment begins with.
type head struct {
	meta  results.Meta
	info  quarch.Info
	clock quarch.Clock
	first uint64 // index of its first stripe in the stream
	// The place in host time of that stripe, and when it cannot have begun before; 0 =
	// not known.
	atNs, sentNs, ackedNs int64
	gap                   *Gap // that ends with it; nil = none
}

// newSegment makes the folder of a segment in dir, which is the bench's. Of one that
// cannot be begun nothing is left: an empty folder would pass for a recording.
func newSegment(dir string, h head, now func() int64) (s *segment, err error) {
	s = &segment{base: h.first, startNs: h.clock.MonoNs}
	at := time.Unix(0, h.clock.UTCNs).UTC()
	for { // a name is one folder's, also where the wall clock was put back
		s.dir = filepath.Join(dir, at.Format(segmentName))
		if err := os.Mkdir(s.dir, 0o755); err == nil {
			break
		} else if !errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("make a recording's folder: %w", err)
		}
		at = at.Add(time.Millisecond)
	}
	made := s.dir // s is nil by the time that an error is returned
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(made))
		}
	}()
	if s.hold, err = results.Hold(s.dir); err != nil {
		return nil, err
	}
	h.meta.Start = h.clock
	h.meta.Run.ID = filepath.Base(dir) + "-" + filepath.Base(s.dir)
	h.meta.Run.StartedUTC, h.meta.Run.StartedMonoNs = at.Format(time.RFC3339Nano), h.clock.MonoNs
	meta, err := json.Marshal(h.meta)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("encode meta: %w", err), s.hold.Close())
	}
	s.w, err = capture.Create(filepath.Join(s.dir, captureDir), capture.Options{Run: meta, PartNs: partNs, Now: now})
	if err != nil {
		return nil, errors.Join(err, s.hold.Close())
	}
	if err := s.begin(h); err != nil {
		return nil, errors.Join(err, s.w.Close(), s.hold.Close())
	}
	return s, nil
}

func (s *segment) begin(h head) error {
	events := []quarch.Event{
		{MonoNs: h.clock.MonoNs, Kind: quarch.EventRunStart},
		{MonoNs: h.clock.MonoNs, Kind: quarch.EventStreamStart, Data: map[string]any{
			"first_stripe": h.first, "not_before_mono_ns": h.sentNs,
		}},
	}
	if h.gap != nil {
		events = append(events, h.gap.event())
	}
	events = append(events, results.StepStart(h.atNs, results.StepMark{Step: recordStep, Group: recordStep, Kind: suite.Record, Of: 1}))
	for _, e := range events {
		if err := s.w.Event(e); err != nil {
			return err
		}
	}
	return s.w.BeginStream(capture.StreamInfo{Module: h.info, SentNs: h.sentNs, AckedNs: h.ackedNs})
}

// write takes a block of the stream.
func (s *segment) write(b *quarch.Block) error {
	shifted := *b
	shifted.First -= s.base
	if shifted.First == 0 {
		shifted.Lost = 0 // what was lost before it belongs to no segment
	}
	if err := s.w.Write(&shifted); err != nil {
		return err
	}
	if shifted.Lost > 0 {
		return s.w.Event(results.Lost(&shifted))
	}
	return nil
}

// end says why the segment ends, writes what is left of it, and lets go of it.
func (s *segment) end(why, outcome string, upToNs int64, c quarch.Clock) error {
	return errors.Join(
		s.w.EndStream(why),
		s.w.Event(results.StepEnd(upToNs, recordStep, outcome, "")),
		s.w.Event(quarch.Event{MonoNs: c.MonoNs, Kind: quarch.EventRunEnd, Data: map[string]any{"outcome": outcome, "utc_ns": c.UTCNs}}),
		s.w.Close(), s.hold.Close(),
	)
}

// place returns where the meter puts a stripe, and when it cannot have begun before, as
// well as is known; 0 = it is not.
func place(m *live.Meter, b *quarch.Block) (atNs, notBeforeNs int64) {
	if m.PeriodNs() == 0 {
		return b.AtNs[0], 0
	}
	ns, u := m.Map().TimeOf(float64(b.First))
	if m.Map().Status != align.StatusOK || math.IsInf(u, 1) {
		return int64(ns), 0
	}
	return int64(ns), int64(ns - u)
}
