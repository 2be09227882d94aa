package results

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// Leg is what one powerd did of a run, from its start to its end: a run that was broken
// off and went on later has several.
//
// All times of a run are on one axis: CLOCK_MONOTONIC of the boot in which it began. After
// another boot that clock counts from zero again, and every time of the leg, from whatever
// source, is put forward by ClockShiftNs: by so much that the leg lies behind the one
// before it as far as the wall clock says, one second at least. Times inside a leg are
// thereby as good as ever; between two legs of different boots they are as good as the
// machine's clock, and nothing is measured across.
type Leg struct {
	Number        int        `json:"leg"` // from 1
	StartedUTC    string     `json:"started_utc"`
	StartMonoNs   int64      `json:"start_mono_ns"`
	PowerdVersion string     `json:"powerd_version"`
	FioVersion    string     `json:"fio_version,omitempty"`
	BootID        string     `json:"boot_id,omitempty"`
	ClockShiftNs  int64      `json:"clock_shift_ns,omitempty"`
	RawShiftNs    int64      `json:"raw_clock_shift_ns,omitempty"` // the same of CLOCK_MONOTONIC_RAW
	From          string     `json:"from,omitempty"`               // the step that it goes on with
	Again         []Repeated `json:"again,omitempty"`              // what it does again
}

// Repeated is what is done again when a run goes on. Of what was done before there are no
// figures then.
type Repeated struct {
	What     string `json:"what"`               // a step, or a round of one
	Unjudged bool   `json:"unjudged,omitempty"` // it only brings the drive to the state that it was in
	Why      string `json:"why"`
}

// ResumeEvent returns the event that begins a leg other than the first.
func ResumeEvent(l Leg) quarch.Event {
	return quarch.Event{MonoNs: l.StartMonoNs, Kind: quarch.EventRunResume, Data: map[string]any{"leg": l}}
}

// firstLeg is the one that meta speaks of.
func (m *Meta) firstLeg() Leg {
	return Leg{
		Number: 1, StartedUTC: m.Run.StartedUTC, StartMonoNs: m.Run.StartedMonoNs, PowerdVersion: m.Run.PowerdVersion,
		FioVersion: m.Run.FioVersion, BootID: m.BootID,
	}
}

// legs returns the legs of a run, in order.
func (m *Meta) legs(events []quarch.Event) ([]Leg, error) {
	out := []Leg{m.firstLeg()}
	for _, e := range events {
		if e.Kind != quarch.EventRunResume {
			continue
		}
		var l Leg
		if err := remarshal(e.Data["leg"], &l); err != nil {
			return nil, fmt.Errorf("read how the run went on: %w", err)
		}
		l.Number = len(out) + 1
		out = append(out, l)
	}
	return out, nil
}

// legAt returns which leg a host time is of, from 1.
func (f *folder) legAt(ns int64) int {
	n := 1
	for _, l := range f.legs {
		if ns >= l.StartMonoNs {
			n = max(n, l.Number)
		}
	}
	return n
}

// EngineDir is where the engine leaves its files in a leg of the run in dir. Each has its
// own: what a load that was broken off has left stays beside that of the load done again.
func EngineDir(dir string, leg int) string {
	path := filepath.Join(dir, "engine")
	if leg > 1 {
		path = filepath.Join(path, "leg-"+strconv.Itoa(leg))
	}
	return path
}

// judgedSteps leaves out steps that only brought the drive to its state, and those that
// were done again later.
func judgedSteps(all []step) []step {
	last := map[string]int{}
	for i, s := range all {
		if !s.mark.Again {
			last[s.mark.Step] = i
		}
	}
	var out []step
	for i, s := range all {
		if k, ok := last[s.mark.Step]; ok && k == i {
			out = append(out, s)
		}
	}
	return out
}

// brokenOff warns where a run was broken off, and says what was done again.
func (d *Document) brokenOff() {
	if len(d.folder.legs) < 2 {
		return
	}
	d.Legs = d.folder.legs
	for _, l := range d.Legs[1:] {
		parts := []string{fmt.Sprintf("the run was broken off and went on at %s with %s", l.StartedUTC, l.From)}
		for _, a := range l.Again {
			done := "done again"
			if a.Unjudged {
				done = "done again without a figure"
			}
			parts = append(parts, fmt.Sprintf("%s was %s: %s", a.What, done, a.Why))
		}
		if l.ClockShiftNs != 0 {
			parts = append(parts, "the machine was started again meanwhile, so that times between the parts of the run are the wall clock's")
		}
		d.warn("resumed", strings.Join(parts, "; "))
	}
	for _, s := range d.folder.steps {
		if s.mark.Kind == suite.Idle && s.leg > 1 && s.mark.Index > 0 && d.folder.begins(s) {
			d.warn("rested", fmt.Sprintf("step %s: the drive had rested before it, from the end of the run's part %d on", s.mark.Step, s.leg-1))
		}
	}
}

// begins reports whether a step is the first thing that its leg did.
func (f *folder) begins(s step) bool {
	for _, other := range f.all {
		if other.leg == s.leg && other.end.StartMonoNs < s.end.StartMonoNs {
			return false
		}
	}
	return true
}
