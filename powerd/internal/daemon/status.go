package daemon

import (
	"powerd/powerd/internal/live"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// States of a bench.
const (
	Recording = "recording" // samples come and are kept
	// NotRecording: samples come and their means are stored, but they are not kept; Why says
	// what is the matter.
	NotRecording = "not_recording"
	Waiting      = "waiting" // for the module; Why says what is the matter
	Lent         = "lent"    // to the run that Run names
)

// starting is why a bench waits whose module was not looked for yet.
const starting = "starting"

// BenchStatus is how a bench is now. Its figures are a preview.
type BenchStatus struct {
	Bench  string       `json:"bench"`
	State  string       `json:"state" enum:"recording,not_recording,waiting,lent"`
	Why    string       `json:"why,omitempty"` // of waiting, or why samples are not kept
	Run    string       `json:"run,omitempty"` // that has the module
	Left   string       `json:"supply_left,omitempty" doc:"what a run that was killed has left of the drive's supply, and what puts it right"`
	Module ModuleStatus `json:"module"`

	Rails    map[quarch.Rail]live.VA `json:"rails,omitempty"`       // means of the last second, of the rails that the drive uses
	TotalW   *float64                `json:"total_w,omitempty"`     // absent if one of them is not known
	TotalWhy string                  `json:"total_w_why,omitempty"` // why it never will be

	// Alignment is that of the stream under way, as known so far. Its offset counts from
	// when the stream was asked for.
	Alignment *results.StreamAlignment `json:"alignment,omitempty"`

	Gap       *Gap            `json:"last_gap,omitempty"`
	Recording RecordingStatus `json:"recording"`
	Counters  Counters        `json:"counters"`
}

// Starting reports whether the bench's module was not looked for yet.
func (b *BenchStatus) Starting() bool { return b.State == Waiting && b.Why == starting }

// ModuleStatus says which module it is.
type ModuleStatus struct {
	Port     string `json:"port"`
	Serial   string `json:"serial,omitempty"` // as it says, or as it should
	Model    string `json:"model,omitempty"`
	Firmware string `json:"firmware,omitempty"`
	Link     string `json:"link,omitempty"`
	// Simulated: it is an emulated module, and no figure here was measured.
	Simulated bool `json:"simulated,omitempty"`
}

// RecordingStatus says where samples are kept.
type RecordingStatus struct {
	Segment string `json:"segment,omitempty"` // folder under way; absent while nothing is kept
	Dir     string `json:"dir"`
	// Of a disk that is too full to keep samples, absent else.
	FreeBytes   int64 `json:"free_bytes,omitempty"`
	NeededBytes int64 `json:"needed_bytes,omitempty"` // free, for samples to be kept again
	PeriodNs    int64 `json:"period_ns,omitempty"`
}

// Counters count since the daemon began.
type Counters struct {
	Samples     uint64                  `json:"samples"` // stripes that came
	LostStripes uint64                  `json:"lost_stripes"`
	Reconnects  uint64                  `json:"reconnects"`
	Gaps        uint64                  `json:"gaps"`
	Joules      map[quarch.Rail]float64 `json:"joules,omitempty"` // of the samples that came; a polled link has none
}
