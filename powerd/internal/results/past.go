package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"powerd/engine"
	"powerd/quarch"
	"powerd/quarch/capture"
)

// Past is what a run's folder tells to who goes on with it.
type Past struct {
	Meta  Meta
	Legs  []Leg
	Steps []PastStep // in the order in which they began; of one that was done again the last
	Over  string     // the run's outcome, if it said one
	Why   string

	clock  quarch.Clock // latest reading
	lastNs int64        // of the latest event
	dir    string
}

// PastStep is a step that began.
type PastStep struct {
	Mark    StepMark
	Outcome string
	leg     int
}

// ReadPast reads the past of the run in dir. Samples are not looked at.
func ReadPast(dir string) (*Past, error) {
	c, err := capture.Open(filepath.Join(dir, "capture"))
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", dir, err)
	}
	p := &Past{dir: dir}
	if err := json.Unmarshal(c.Meta().Run, &p.Meta); err != nil {
		return nil, fmt.Errorf("read run %s: read run in capture/meta.json: %w", dir, err)
	}
	events, err := c.Events()
	if err != nil && !errors.Is(err, capture.ErrDamaged) {
		return nil, fmt.Errorf("read run %s: %w", dir, err)
	}
	if p.Legs, err = p.Meta.legs(events); err != nil {
		return nil, fmt.Errorf("read run %s: %w", dir, err)
	}
	all, err := steps(events)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", dir, err)
	}
	for _, s := range judgedSteps(all) {
		p.Steps = append(p.Steps, PastStep{Mark: s.mark, Outcome: s.end.Outcome, leg: s.leg})
	}
	p.clock, p.lastNs = p.Meta.Start, p.Meta.Start.MonoNs
	for _, e := range events {
		p.lastNs = max(p.lastNs, e.MonoNs)
		switch e.Kind {
		case quarch.EventClock:
			p.clock = quarch.Clock{MonoNs: e.MonoNs, RawNs: intOf(e.Data["raw_ns"]), UTCNs: intOf(e.Data["utc_ns"])}
		case quarch.EventRunEnd:
			p.Over, _ = e.Data["outcome"].(string)
			p.Why = e.Text
		case quarch.EventRunResume:
			p.Over, p.Why = "", ""
		}
	}
	return p, nil
}

// Load returns what the engine left of a load.
func (p *Past) Load(s PastStep, l Loader) (*engine.Result, error) {
	if s.Mark.Job == nil {
		return nil, errors.New("it has no job")
	}
	job := *s.Mark.Job
	job.Dir = EngineDir(p.dir, s.leg)
	return l.Load(job)
}

// leastApartNs is how far legs of different boots lie apart at least.
const leastApartNs = 1_000_000_000

// Next returns the leg that goes on now: by the clocks as they are, and the boot in which
// they are read.
func (p *Past) Next(now quarch.Clock, bootID string) Leg {
	l := Leg{Number: len(p.Legs) + 1, StartedUTC: utcText(now.UTCNs), BootID: bootID}
	known := false
	for _, before := range p.Legs {
		if before.BootID == bootID {
			l.ClockShiftNs, l.RawShiftNs, known = before.ClockShiftNs, before.RawShiftNs, true
		}
	}
	if !known {
		// The wall clock says how long the machine was down; one that runs behind moves nothing
		// before what is there.
		gap := max(now.UTCNs-p.clock.UTCNs, p.lastNs-p.clock.MonoNs+leastApartNs)
		l.ClockShiftNs = p.clock.MonoNs + gap - now.MonoNs
		l.RawShiftNs = p.clock.RawNs + gap - now.RawNs
	}
	l.StartMonoNs = now.MonoNs + l.ClockShiftNs
	return l
}
