package influx

import (
	"context"
	"errors"
	"fmt"

	"powerd/analysis"
	"powerd/powerd/internal/store"
)

// livePoints returns the points of the live summaries that are held back.
func (s *Store) livePoints() []store.Point {
	return append(s.run.RailPoints(s.gather.Rails), s.run.EnginePoints(s.gather.Engines)...)
}

// flush puts the live summaries that are held back into the outbox. The caller
// holds s.mu.
func (s *Store) flush(ctx context.Context) error {
	if s.gather.Empty() {
		return nil
	}
	lines, empty, err := encodeAll(s.livePoints())
	if err != nil {
		return fmt.Errorf("queue live summaries for influx: %w", err)
	}
	if err := s.put(ctx, lines); err != nil {
		return err
	}
	s.gather.Reset()
	s.counts.Empty += empty
	return nil
}

// put adds lines to the outbox and wakes the goroutine that sends. The caller
// holds s.mu.
func (s *Store) put(ctx context.Context, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	dropped, err := s.opts.Outbox.Put(ctx, s.opts.Dest, batches(lines, s.opts.BatchPoints))
	if err != nil {
		return fmt.Errorf("queue %d points for influx: %w", len(lines), err)
	}
	if dropped > 0 {
		s.counts.Dropped += dropped
		s.opts.Log.Warn("influx outbox full, oldest points given up", "points", dropped, "points_total", s.counts.Dropped)
	}
	select {
	case s.wake <- struct{}{}:
	default: // it is awake already
	}
	return nil
}

// freshLines returns the lines of tables that are not queued yet, how many rows
// hold no figure, and what is wrong with the tables that are left out.
func (s *Store) freshLines(tables []*analysis.Table) (fresh []string, empty int64, odd error) {
	for _, t := range tables {
		lines, none, err := encodeAll(s.run.TablePoints(t))
		if err != nil {
			odd = errors.Join(odd, fmt.Errorf("queue table %s for influx: %w", t.Name, err))
			continue
		}
		empty += none
		for _, line := range lines {
			if !s.queued[line] {
				fresh = append(fresh, line)
			}
		}
	}
	return fresh, empty, odd
}

// encodeAll returns the lines of points; empty is how many held no figure.
func encodeAll(points []store.Point) (lines []string, empty int64, err error) {
	points, empty = store.Clean(points)
	if err := store.Check(points); err != nil {
		return nil, 0, err
	}
	lines = make([]string, len(points))
	for i, p := range points {
		if lines[i], err = encode(p); err != nil {
			return nil, 0, err
		}
	}
	return lines, empty, nil
}
