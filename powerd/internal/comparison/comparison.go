package comparison

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"powerd/analysis/compare"
	"powerd/powerd/internal/publish"
	"powerd/powerd/internal/results"
)

// Schema names the version of what `powerd compare --json` prints. Keys are only ever
// added.
const Schema = "powerd.compare/1"

// Options say what is compared, and how.
type Options struct {
	Simulated bool // emulated drives may be held against real ones
	OneModule bool // one module read all runs, and did not drift between them
	compare.Economics
}

// Comparison is runs side by side, with the keys of `powerd compare --json`.
type Comparison struct {
	Schema     string      `json:"schema"`
	Runs       []Named     `json:"runs"`
	OneModule  bool        `json:"one_module"` // what is common to its readings drops out of the ±
	Conditions []Condition `json:"conditions"`
	*compare.Result
	Buyers    []*compare.Buyer  `json:"buyers"`
	Economics compare.Economics `json:"economics"`
	Warnings  []results.Warning `json:"warnings"`

	subjects []*Subject
}

// Named is which run a label means.
type Named struct {
	Label      string  `json:"label"`
	Drive      string  `json:"drive"`
	Serial     string  `json:"serial,omitempty"`
	Firmware   string  `json:"firmware,omitempty"`
	Module     string  `json:"module,omitempty"` // serial number
	Suite      string  `json:"suite"`
	RunID      string  `json:"run_id"`
	StartedUTC string  `json:"started_utc"`
	Outcome    string  `json:"outcome"`
	Simulated  bool    `json:"simulated"`
	TwinScale  float64 `json:"twin_scale,omitempty"`
	Path       string  `json:"path"`
}

// Make compares subjects, two at least, against the first of them.
func Make(subjects []*Subject, o Options) (*Comparison, error) {
	if err := allowed(subjects, o); err != nil {
		return nil, err
	}
	c := &Comparison{
		Schema: Schema, OneModule: o.OneModule, Conditions: conditions(subjects), Economics: o.Economics, Warnings: []results.Warning{}, subjects: subjects,
	}
	var runs []*compare.Run
	for _, s := range subjects {
		runs = append(runs, runOf(s))
		c.Runs = append(c.Runs, named(s))
		c.warn(s)
	}
	c.Result = compare.Compare(runs, compare.Options{OneModule: o.OneModule})
	if err := c.CheckDuty(o.Duty); err != nil {
		return nil, err
	}
	c.Buyers = c.Result.Buyers(o.Economics)
	return c, nil
}

// allowed says whether subjects may be compared.
func allowed(subjects []*Subject, o Options) error {
	if len(subjects) < 2 {
		return errors.New("two runs at least are compared")
	}
	for _, s := range subjects[1:] {
		if a := subjects[0]; !o.Simulated && a.Suite.Simulated != s.Suite.Simulated {
			real, emulated := a, s
			if a.Suite.Simulated {
				real, emulated = s, a
			}
			return fmt.Errorf("%s is of an emulated drive and %s of a real one: --simulated compares them all the same", emulated.Path, real.Path)
		}
	}
	if why := sameModule(subjects); o.OneModule && why != "" {
		return fmt.Errorf("--one-module: %s", why)
	}
	return nil
}

// runOf takes of the results what is compared.
func runOf(s *Subject) *compare.Run {
	r := &compare.Run{
		Label: s.Label, Drive: nameOf(s.Document), Module: s.Module.Calibration.Spec(), RatesBy: ratesBy(s.Document), CapacityBytes: s.Drive.CapacityBytes,
		Cells: s.Efficiency, Idle: s.Idle, Idles: s.Idles, Saturation: s.Saturation, Withheld: s.Withheld,
	}
	if s.Inrush != nil {
		r.Cycles = s.Inrush.Cycles
	}
	if r.Idle != nil && len(r.Idles) == 0 { // of results that knew one idle only
		r.Idles = append(r.Idles, r.Idle)
	}
	return r
}

// nameOf is the drive with its firmware.
func nameOf(d *results.Document) string {
	name := publish.DriveName(d)
	if d.Drive.Firmware != "" {
		name += ", firmware " + d.Drive.Firmware
	}
	return name
}

func named(s *Subject) Named {
	return Named{
		Label: s.Label, Drive: publish.DriveName(s.Document), Serial: s.Drive.Serial, Firmware: s.Drive.Firmware, Module: s.Module.Serial,
		Suite: s.Suite.Name, RunID: s.Run.ID, StartedUTC: s.Run.StartedUTC, Outcome: s.Run.Outcome, Simulated: s.Suite.Simulated,
		TwinScale: s.Drive.TwinScale, Path: s.Path,
	}
}

// warn takes over what makes a run's figures doubtful.
func (c *Comparison) warn(s *Subject) {
	add := func(code, text string) {
		c.Warnings = append(c.Warnings, results.Warning{Code: code, Text: s.Label + ": " + text})
	}
	switch s.Run.Outcome {
	case results.Completed:
	case results.Running:
		add(results.Running, "the run was not over when these results were written: it goes on, or powerd was killed")
	default:
		add(s.Run.Outcome, strings.TrimSuffix("this run is "+cmp.Or(s.Run.Outcome, notTold)+": "+s.Run.Why, ": "))
	}
	for _, w := range s.Warnings {
		switch w.Code {
		case "newer_results", "host_io", "halves_differ", "not_settled", "partial_total", "not_steady", "resumed", "io_of_others",
			"alignment_degraded", "alignment_none", "alignment_disputed", "calibration_old", "module_cold", "self_test_failed", "zero_not_used":
			add(w.Code, w.Text)
		}
	}
}
