package results

import (
	"encoding/json"
	"fmt"

	"powerd/analysis/idle"
	"powerd/engine"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// StepMark is what the capture keeps of a step's plan.
type StepMark struct {
	Step  string      `json:"step"`  // unique in the run
	Group string      `json:"group"` // the suite's step it was expanded from
	Kind  string      `json:"kind"`  // power_cycle, idle, load
	Index int         `json:"index"` // from 0
	Of    int         `json:"of"`
	Job   *engine.Job `json:"job,omitempty"` // of a load; Dir is left out

	Settle *idle.Rule `json:"settle,omitempty"` // of an idle step that waits until the drive has settled

	// Of a load in rounds.
	Cell        string `json:"cell,omitempty"`  // its step's name without the round
	Round       int    `json:"round,omitempty"` // from 1
	Rounds      int    `json:"rounds,omitempty"`
	FreshRounds int    `json:"fresh_rounds,omitempty"` // of the first window that is compared; 0 = none is
	LastRounds  int    `json:"last_rounds,omitempty"`

	Within string        `json:"within,omitempty"` // kind of the suite's step, of a load of a demand ramp or a recovery
	Paused *suite.Paused `json:"paused,omitempty"` // of a load of a recovery

	Steady *suite.Steady `json:"steady,omitempty"` // the rule that ends the rounds

	Again bool `json:"again,omitempty"` // it is done once more to bring the drive to its state, and no figure is of it
}

// StepStart returns the event that begins a step.
func StepStart(nowNs int64, m StepMark) quarch.Event {
	if m.Job != nil {
		job := *m.Job
		job.Dir = ""
		m.Job = &job
	}
	return quarch.Event{MonoNs: nowNs, Kind: quarch.EventStepStart, Step: m.Step, Data: map[string]any{"mark": m}}
}

// StepEnd returns the event that ends a step with an outcome and its reason.
func StepEnd(nowNs int64, step, outcome, why string) quarch.Event {
	return quarch.Event{MonoNs: nowNs, Kind: quarch.EventStepEnd, Step: step, Text: why, Data: map[string]any{"outcome": outcome}}
}

// PowerEvent returns the event of a power command and the host times right before
// it was sent and right after it was acknowledged.
func PowerEvent(step string, on bool, sentNs, ackedNs int64) quarch.Event {
	kind := quarch.EventPowerOff
	if on {
		kind = quarch.EventPowerOn
	}
	return quarch.Event{
		MonoNs: ackedNs, Kind: kind, Step: step,
		Data: map[string]any{"sent_mono_ns": sentNs, "acked_mono_ns": ackedNs},
	}
}

// WindowStart returns the event from which on a step is measured, after what was waited
// for; why says what came of the waiting.
func WindowStart(nowNs int64, step, why string) quarch.Event {
	return quarch.Event{MonoNs: nowNs, Kind: quarch.EventWindow, Step: step, Text: why}
}

// CommandEvent returns the event of a command that has ended.
func CommandEvent(nowNs int64, c Command) quarch.Event {
	return quarch.Event{MonoNs: nowNs, Kind: quarch.EventCommand, Step: c.Step, Data: map[string]any{"command": c}}
}

// step is a step as its marks in the capture tell it.
type step struct {
	mark      StepMark
	end       StepResult
	powerOnNs int64  // host time right before the last power-up was sent; 0 if none
	windowNs  int64  // host time from which on it was measured; 0 = its start
	ready     *Ready // of the last power-up; nil = nobody tried
	unended   bool   // where it ended is not known, and another came after it
	leg       int    // in which it was done, from 1
}

// figureOf is what a step's figure is called under withheld.
func figureOf(m StepMark) string {
	switch m.Kind {
	case suite.PowerCycle:
		return "inrush." + m.Step
	case suite.Load:
		return "efficiency." + m.Step
	}
	return m.Kind + "." + m.Step
}

// steps pairs the marks of a run's events. The last step of a leg without an end ended with
// the leg's last event: the run was cut short there. Of one before it the end is lost; it was
// over when the next began.
func steps(events []quarch.Event) ([]step, error) {
	var out []step
	last := map[string]int{}
	leg, beforeNs := 1, int64(0)
	for _, e := range events {
		switch e.Kind {
		case quarch.EventRunResume:
			cutShort(out, beforeNs)
			clear(last)
			leg++
		case quarch.EventStepStart:
			var m StepMark
			if err := remarshal(e.Data["mark"], &m); err != nil {
				return nil, fmt.Errorf("read mark of step %s: %w", e.Step, err)
			}
			last[e.Step] = len(out)
			out = append(out, step{mark: m, leg: leg, end: StepResult{
				Step: m.Step, Kind: m.Kind, StartMonoNs: e.MonoNs, Outcome: Interrupted, Why: "the run ended inside this step",
			}})
		case quarch.EventPowerOn:
			if i, ok := last[e.Step]; ok {
				out[i].powerOnNs = intOf(e.Data["sent_mono_ns"])
			}
		case quarch.EventReady:
			var r Ready
			if err := remarshal(e.Data["ready"], &r); err != nil {
				return nil, fmt.Errorf("read how the drive answered in step %s: %w", e.Step, err)
			}
			if i, ok := last[e.Step]; ok {
				out[i].ready = &r
			}
		case quarch.EventWindow:
			if i, ok := last[e.Step]; ok {
				out[i].windowNs = e.MonoNs
			}
		case quarch.EventStepEnd:
			if i, ok := last[e.Step]; ok {
				out[i].end.EndMonoNs, out[i].end.Why = e.MonoNs, e.Text
				out[i].end.Outcome, _ = e.Data["outcome"].(string)
			}
		}
		beforeNs = e.MonoNs
	}
	cutShort(out, beforeNs)
	return out, nil
}

// cutShort ends the steps of a leg that have no end.
func cutShort(all []step, ns int64) {
	for i := range all {
		switch {
		case all[i].end.EndMonoNs != 0:
		case i+1 < len(all):
			all[i].unended = true
			all[i].end.EndMonoNs, all[i].end.Why = all[i+1].end.StartMonoNs, "its end is not written down"
		default:
			all[i].end.EndMonoNs = ns
		}
	}
}

func remarshal(from, to any) error {
	b, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

// intOf reads a nanosecond stamp or a count of an event; 0 where there is none.
func intOf(v any) int64 {
	switch x := v.(type) {
	case int64:
		return x
	case float64: // 1e9, as others than powerd may write it
		return int64(x)
	}
	return 0
}
