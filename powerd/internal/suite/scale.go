package suite

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"powerd/analysis/idle"
)

// Scale is how many times shorter than written a trial is: 30 of 1m=2s. 0 and 1 are as
// written.
type Scale float64

const maxScale = 10_000

// ParseScale reads WRITTEN=TAKEN, two durations: 1m=2s lets what is written as a minute
// take two seconds.
func ParseScale(text string) (Scale, error) {
	written, taken, two := strings.Cut(text, "=")
	from, err1 := time.ParseDuration(written)
	to, err2 := time.ParseDuration(taken)
	if !two || err1 != nil || err2 != nil || from <= 0 || to <= 0 {
		return 0, fmt.Errorf("%q: write two durations with their units: 1m=2s lets a minute take two seconds", text)
	}
	s := Scale(float64(from) / float64(to))
	if s < 1 || s > maxScale {
		return 0, fmt.Errorf("%q: a trial is shorter than what is written, by up to %d times", text, maxScale)
	}
	return s, nil
}

// Factor returns it as a number of 1 or more.
func (s Scale) Factor() float64 { return max(1, float64(s)) }

// leastLoad is what a trial leaves of a longer time, and the least load between two pauses:
// in less an engine says nothing, and what the kernel counts each 100 ms tells no bursts apart.
const leastLoad = time.Second

// Shorter returns a time of the suite as a trial takes it: in whole milliseconds, and a
// second at least unless it was shorter as written.
func (s Scale) Shorter(d time.Duration) time.Duration {
	scaled := time.Duration(math.Round(float64(d) / s.Factor())).Round(time.Millisecond)
	return max(scaled, min(d, leastLoad))
}

// scale shortens a step's times for a trial. What a drive does by itself stays as long: its
// start-up, and the time that it is off before.
func (st *FileStep) scale(s Scale) {
	if s.Factor() == 1 || st.Kind == PowerCycle {
		return
	}
	if st.Kind == Idle && st.Duration == 0 {
		st.Duration = Duration(defaultIdle)
	}
	st.Duration = Duration(s.Shorter(time.Duration(st.Duration)))
	if st.Ramp > 0 { // may be cut to nearly nothing: it is not looked at
		st.Ramp = Duration(max(time.Duration(float64(st.Ramp)/s.Factor()).Round(time.Millisecond), time.Millisecond))
	}
	st.Pauses = slices.Clone(st.Pauses) // the file's stay as they are
	for i, p := range st.Pauses {
		st.Pauses[i] = Duration(s.Shorter(time.Duration(p)))
	}
	if st.Settle == nil {
		return
	}
	whole := func(d time.Duration) time.Duration { return (s.Shorter(d) + time.Second - 1).Truncate(time.Second) }
	rule := st.Settle.Rule
	st.Settle = &Settle{Off: st.Settle.Off, Rule: idle.Rule{Mean: whole(rule.Mean), WithinPct: rule.WithinPct, For: whole(rule.For), AtMost: whole(rule.AtMost)}}
}
