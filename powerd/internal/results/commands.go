package results

import (
	"fmt"

	"powerd/quarch"
)

// Command is what a run did to the drive other than IO: a program, or the discard of all
// of an emulated drive.
type Command struct {
	Step        string   `json:"step"`
	Kind        string   `json:"kind"`           // command, purge
	Argv        []string `json:"argv,omitempty"` // as it was run; absent = the whole file was discarded
	StartMonoNs int64    `json:"start_mono_ns"`
	EndMonoNs   int64    `json:"end_mono_ns"`
	ExitCode    int      `json:"exit_code"` // -1: it did not start, or a signal ended it
	TimedOut    bool     `json:"timed_out,omitempty"`
	Stdout      string   `json:"stdout,omitempty"` // file in the run's folder
	Stderr      string   `json:"stderr,omitempty"`
	Why         string   `json:"why,omitempty"` // of a failure
}

// commanded lists the commands of a run, in their order.
func (d *Document) commanded() error {
	for _, e := range d.folder.events {
		if e.Kind != quarch.EventCommand {
			continue
		}
		var c Command
		if err := remarshal(e.Data["command"], &c); err != nil {
			return fmt.Errorf("read command of step %s: %w", e.Step, err)
		}
		d.Commands = append(d.Commands, c)
	}
	return nil
}
