package supply

import (
	"fmt"
	"strings"

	"powerd/powerd/internal/benchbook"
	"powerd/quarch"
)

func (s *Session) isOn() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on == nil {
		return unknown
	}
	return known(*s.on)
}

type state int

const (
	unknown state = iota
	stateOff
	stateOn
)

func known(on bool) state {
	if on {
		return stateOn
	}
	return stateOff
}

func powerText(on *bool) string {
	switch {
	case on == nil:
		return "of unknown power"
	case *on:
		return "ON"
	}
	return "OFF"
}

// describe is a supply in one line.
func describe(f benchbook.Found) string {
	parts := []string{"power " + powerText(f.On)}
	if f.OutputMode != "" {
		parts = append(parts, "output mode "+f.OutputMode)
	}
	for r := range quarch.ByRail(f.RailsMV) {
		parts = append(parts, fmt.Sprintf("%s %d mV", r, f.RailsMV[r]))
	}
	return strings.Join(parts, ", ")
}
