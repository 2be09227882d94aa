package diskstats

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"powerd/engine"
)

// EngineName is what results call figures that come from the kernel's counts.
const EngineName = "diskstats"

// Series is what a target's counters said, in time order.
type Series struct {
	Damage []string // rows that could not be read: file, line, why

	readings []Reading
	part     []int // of each reading: readings of different parts have a gap between them
	parts    int
}

// gap says that what comes next does not belong to what came before.
func (s *Series) gap() { s.parts = s.nextPart() }

// nextPart returns the number of a part without readings.
func (s *Series) nextPart() int {
	if n := len(s.part); n > 0 {
		return s.part[n-1] + 1
	}
	return 0
}

// add adds a reading.
func (s *Series) add(r Reading) error {
	if n := len(s.readings); n > 0 {
		before := &s.readings[n-1]
		if r.AtNs <= before.AtNs {
			return fmt.Errorf("its time %d ns is not after %d ns", r.AtNs, before.AtNs)
		}
		if !r.follows(&before.Counters) {
			s.gap()
		}
	}
	s.readings, s.part = append(s.readings, r), append(s.part, s.parts)
	return nil
}

// Readings returns how many looks there were that told something.
func (s *Series) Readings() int { return len(s.readings) }

// Gaps returns how often the series is interrupted.
func (s *Series) Gaps() int {
	n := 0
	for i := 1; i < len(s.part); i++ {
		if s.part[i] != s.part[i-1] {
			n++
		}
	}
	return n
}

// Intervals returns what was completed from each reading to the next; there is none
// where there is a gap.
func (s *Series) Intervals() []engine.Interval { return s.intervals(0, len(s.readings)) }

// intervals returns those between the readings [from, to).
func (s *Series) intervals(from, to int) []engine.Interval {
	var out []engine.Interval
	for i := from + 1; i < to; i++ {
		if s.part[i] == s.part[i-1] {
			out = append(out, s.readings[i].since(&s.readings[i-1]))
		}
	}
	return out
}

// Counts is what was completed.
type Counts struct {
	Reads, Writes, ReadBytes, WriteBytes uint64
	Discards, Flushes                    uint64
}

// IOs returns reads and writes.
func (c Counts) IOs() uint64 { return c.Reads + c.Writes }

// Bytes returns bytes read and written.
func (c Counts) Bytes() uint64 { return c.ReadBytes + c.WriteBytes }

func (c *Counts) add(r, before *Reading) {
	iv := r.since(before)
	c.Reads, c.Writes = c.Reads+iv.Reads, c.Writes+iv.Writes
	c.ReadBytes, c.WriteBytes = c.ReadBytes+iv.ReadBytes, c.WriteBytes+iv.WriteBytes
	c.Discards, c.Flushes = c.Discards+r.Discards-before.Discards, c.Flushes+r.Flushes-before.Flushes
}

// Bracket is what was completed in a window.
type Bracket struct {
	Least Counts // by readings inside the window
	Most  Counts // by readings around it
	Open  bool   // Most is not known: no reading before, none after, or a gap between
}

// Between returns what was completed in [startNs, endNs) of host time.
func (s *Series) Between(startNs, endNs int64) Bracket {
	var b Bracket
	i, j := s.inside(startNs, endNs)
	for k := i + 1; k < j; k++ {
		if s.part[k] == s.part[k-1] {
			b.Least.add(&s.readings[k], &s.readings[k-1])
		}
	}
	from, to := s.around(startNs, endNs)
	if b.Open = from < 0 || to == len(s.readings) || s.part[from] != s.part[to]; !b.Open {
		b.Most.add(&s.readings[to], &s.readings[from])
	}
	return b
}

// inside returns the readings [i, j) that were surely made inside a window.
func (s *Series) inside(startNs, endNs int64) (i, j int) {
	i = s.search(startNs)
	for i < len(s.readings) && s.readings[i].AtNs-s.readings[i].UNs < startNs {
		i++
	}
	j = s.search(endNs)
	for j > i && s.readings[j-1].AtNs+s.readings[j-1].UNs > endNs {
		j--
	}
	return i, max(i, j)
}

// around returns the last reading that was surely made before a window, -1 if there is
// none, and the first one surely after it, len(s.readings) if there is none.
func (s *Series) around(startNs, endNs int64) (from, to int) {
	from = s.search(startNs+1) - 1
	for from >= 0 && s.readings[from].AtNs+s.readings[from].UNs > startNs {
		from--
	}
	to = s.search(endNs)
	for to < len(s.readings) && s.readings[to].AtNs-s.readings[to].UNs < endNs {
		to++
	}
	return from, to
}

// search returns the first reading at or after a time.
func (s *Series) search(ns int64) int {
	i, _ := slices.BinarySearchFunc(s.readings, ns, func(r Reading, ns int64) int {
		switch {
		case r.AtNs < ns:
			return -1
		case r.AtNs > ns:
			return 1
		}
		return 0
	})
	return i
}

// Reasons why a window has no result.
var (
	ErrNotCovered = errors.New("the target's block statistics were not read in it twice or more")
	ErrGap        = errors.New("the target's block statistics have a gap in it")
)

// Result returns what was done in a window as an engine would say it, from the first
// reading inside it to the last: its own window is that. The kernel tells no latency.
func (s *Series) Result(startNs, endNs int64) (*engine.Result, error) {
	i, j := s.inside(startNs, endNs)
	switch {
	case j-i < 2:
		return nil, ErrNotCovered
	case s.part[i] != s.part[j-1]:
		return nil, ErrGap
	}
	first, last := &s.readings[i], &s.readings[j-1]
	all := last.since(first)
	runtime := time.Duration(last.AtNs - first.AtNs)
	return &engine.Result{
		Engine: EngineName, StartNs: first.AtNs, EndNs: last.AtNs, EdgeU95Ns: max(first.UNs, last.UNs),
		Read:      engine.Direction{IOs: all.Reads, Bytes: all.ReadBytes, Runtime: runtime},
		Write:     engine.Direction{IOs: all.Writes, Bytes: all.WriteBytes, Runtime: runtime},
		Intervals: s.intervals(i, j),
	}, nil
}
