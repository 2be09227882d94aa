package measure

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"powerd/powerd/internal/live"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/textfile"
	"powerd/quarch"
)

// Status is what a run says of itself once a second, in status.json and on the
// live line. Its figures are a preview: they are never stored as results. A
// pointer is nil while the value is unknown.
type Status struct {
	RunID       string             `json:"run_id"`
	Suite       string             `json:"suite"`
	Bench       string             `json:"bench,omitempty"`
	Drive       string             `json:"drive,omitempty"`  // model
	Module      string             `json:"module,omitempty"` // serial number
	Outcome     string             `json:"outcome"`
	UpdatedUTC  string             `json:"updated_utc"`
	Step        string             `json:"step"`
	Kind        string             `json:"kind"`
	StepNumber  int                `json:"step_number"` // from 1
	Steps       int                `json:"steps"`
	ElapsedS    float64            `json:"elapsed_s"`
	LeftS       float64            `json:"left_s"`                   // estimate
	LeftAtMostS float64            `json:"left_at_most_s"`           // if nothing that may end early does; waits at their longest
	MayEndEarly bool               `json:"may_end_early,omitempty"`  // loads ahead end once the drive is steady, or enough is written
	Leg         int                `json:"leg,omitempty"`            // of a run that was broken off and went on: from 2
	ShiftNs     int64              `json:"clock_shift_ns,omitempty"` // what CLOCK_MONOTONIC of this boot is put forward by
	Plan        []PlanStep         `json:"plan"`                     // in order; of a long plan, what is near the step under way
	Rails       map[quarch.Rail]VA `json:"rails,omitempty"`          // that the drive uses
	TotalW      *float64           `json:"total_w,omitempty"`        // nil if a rail that the drive uses is not known
	TotalWhy    string             `json:"total_w_why,omitempty"`    // why it never will be
	IOPS        *float64           `json:"iops,omitempty"`
	MBPerS      *float64           `json:"mb_per_s,omitempty"`
	OffsetS     *float64           `json:"offset_s,omitempty"`
	OffsetU95S  *float64           `json:"offset_u95_s,omitempty"`
	LostStripes uint64             `json:"lost_stripes"` // of the whole run

	Alignment *results.StreamAlignment `json:"alignment,omitempty"` // of the stream under way, as known so far

	Seconds  *Seconds          `json:"seconds,omitempty"`
	Warnings []results.Warning `json:"warnings"` // the latest; all stand in the results
}

// VA is what a rail carried in the last second, as means.
type VA = live.VA

// Seconds is the mean total power of each of the last seconds, at most 600 of them.
type Seconds struct {
	EndUTC string     `json:"end_utc"` // end of the last one
	TotalW []*float64 `json:"total_w"` // one a second, oldest first; null = no samples
}

// StepWaiting is the state of a step that has not begun.
const StepWaiting = "waiting"

// PlanStep is one step of the plan as it stands.
type PlanStep struct {
	Number  int     `json:"number"` // from 1
	Step    string  `json:"step"`
	Kind    string  `json:"kind"`
	State   string  `json:"state"`    // waiting, running, completed, failed, interrupted
	TookS   float64 `json:"took_s"`   // so far
	LeftS   float64 `json:"left_s"`   // estimate
	LengthS float64 `json:"length_s"` // estimate, with what comes before and after it
}

// Left returns the estimated time to the end of the run.
func (s Status) Left() time.Duration { return time.Duration(s.LeftS * float64(time.Second)) }

// AtMost returns the longest time to the end of the run; ok is false where that is the
// estimate, and no load may end early.
func (s Status) AtMost() (d time.Duration, ok bool) {
	return time.Duration(s.LeftAtMostS * float64(time.Second)), s.MayEndEarly || s.LeftAtMostS > s.LeftS
}

// Updated returns when the status was written; the zero Time if it does not say.
func (s Status) Updated() time.Time {
	t, err := time.Parse(time.RFC3339, s.UpdatedUTC)
	if err != nil {
		return time.Time{}
	}
	return t
}

func (s Status) write(dir string) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode status: %w", err)
	}
	if err := textfile.Replace(filepath.Join(dir, results.StatusFile), append(b, '\n')); err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	return nil
}

// ReadStatus returns what the run in dir last said of itself.
func ReadStatus(dir string) (Status, error) {
	var s Status
	path := filepath.Join(dir, results.StatusFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return s, fmt.Errorf("read status: %w", err)
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("read status %s: %w", path, err)
	}
	return s, nil
}
