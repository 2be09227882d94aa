package fio

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

const recordSchema = "powerd.fio-run/1"

// record is what a result needs and fio's own files do not hold. It is written
// when fio was spawned and again when it ended.
type record struct {
	Schema      string   `json:"schema"`
	Step        string   `json:"step"`
	Version     string   `json:"version"` // as --version printed it
	Argv        []string `json:"argv"`
	PID         int      `json:"pid"`
	SpawnMonoNs int64    `json:"spawn_mono_ns"`
	SpawnUnixNs int64    `json:"spawn_unix_ns"`
	Ended       bool     `json:"ended"`
	ExitMonoNs  int64    `json:"exit_mono_ns,omitempty"`
	ExitUnixNs  int64    `json:"exit_unix_ns,omitempty"`
	ExitCode    int      `json:"exit_code"` // -1: ended by a signal
	Signal      string   `json:"signal,omitempty"`
	Cancelled   bool     `json:"cancelled"`         // powerd asked it to stop
	Overdue     bool     `json:"overdue,omitempty"` // because its time was long over
	Killed      bool     `json:"killed"`            // and had to use force
	Printed     []string `json:"printed,omitempty"`
}

// files are the names of a step's artefacts.
type files struct{ dir, step string }

func (f files) jobFile() string { return filepath.Join(f.dir, f.step+".fio") }
func (f files) output() string  { return filepath.Join(f.dir, f.step+".json") }
func (f files) record() string  { return filepath.Join(f.dir, f.step+".run.json") }

// write replaces the record as a whole, so that no reader sees half of one.
func (r *record) write(path string) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("write record of step %s: %w", r.Step, err)
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write record of step %s: %w", r.Step, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("write record of step %s: %w", r.Step, err)
	}
	return nil
}

func readRecord(path string) (*record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	r := &record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("read record %s: %w", path, err)
	}
	if r.Schema != recordSchema {
		return nil, fmt.Errorf("read record %s: schema is %q, want %q", path, clip(r.Schema, 60), recordSchema)
	}
	return r, nil
}

// times brackets the process; allowedMs stands for its length where its end was
// not seen.
func (r *record) times(allowedMs int64) hostTimes {
	h := hostTimes{
		spawnMonoMs: r.SpawnMonoNs / msNs, exitMonoMs: r.ExitMonoNs / msNs,
		spawnUnixMs: r.SpawnUnixNs / msNs, exitUnixMs: r.ExitUnixNs / msNs,
	}
	if !r.Ended {
		h.exitMonoMs, h.exitUnixMs = h.spawnMonoMs+allowedMs, h.spawnUnixMs+allowedMs
	}
	return h
}
