package fio

import (
	"errors"
	"io/fs"
	"time"

	"powerd/engine"
)

const engineName = "fio"

// Load computes a finished job's result from the files in job.Dir: the same
// that Run.Wait returned, error included. Without a record of the process the
// figures stand, but nothing is known of when it ran or how it ended, and a
// warning says so.
func (e *Engine) Load(job engine.Job) (*engine.Result, error) {
	return load(job)
}

func load(job engine.Job) (*engine.Result, error) {
	names := files{job.Dir, job.Step}
	rec, err := readRecord(names.record())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &engine.JobError{Step: job.Step, Why: "its record can't be read", Err: err}
	}
	rep, err := readReport(names.output())
	switch {
	case err == nil:
	case rec != nil && errors.Is(err, fs.ErrNotExist): // fio ended before it opened its output
		rep = &report{}
	default:
		return nil, &engine.JobError{
			Step: job.Step, Why: "its report can't be read", Err: err,
			Hint: "look for " + job.Step + ".json in the run's engine folder",
		}
	}
	rep.addPrinted(rec)
	var res *engine.Result
	if rep.last != nil {
		res = assemble(job, rec, rep)
	}
	if jobErr := judge(job, rec, rep, res); jobErr != nil {
		return res, jobErr
	}
	return res, nil
}

// addPrinted puts what fio printed beside its output into the messages, once:
// fio says many things twice.
func (rep *report) addPrinted(rec *record) {
	if rec == nil {
		return
	}
	seen := map[string]bool{}
	var out []string
	for _, m := range append(rep.messages, rec.Printed...) {
		if !seen[m] {
			seen[m] = true
			out = append(out, m)
		}
	}
	rep.messages = out
}

// assemble makes the result of a report and its logs.
func assemble(job engine.Job, rec *record, rep *report) *engine.Result {
	d := rep.last
	first := d.options(&d.Entries[0])
	res := &engine.Result{
		Engine: engineName, Version: d.version.String(),
		Label:     first.label(),
		Defaulted: first.defaulted(),
		Messages:  rep.messages,
		Warnings:  rep.warnings,
	}
	warn := warnInto(res)
	if remark, err := supported(d.version); err != nil {
		warn("version", "the report is of fio %v, older than any whose behaviour is known", d.version)
	} else if remark != "" {
		warn("version", "%s", remark)
	}
	var reads, writes []*totals
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Read != nil {
			reads = append(reads, e.Read)
		}
		if e.Write != nil {
			writes = append(writes, e.Write)
		}
	}
	res.Read, res.Write = direction(d.version, reads), direction(d.version, writes)
	res.Interrupted = interrupted(rec, rep)
	var clones []clone
	if rec == nil {
		warn("no-record", "there is no %s.run.json: how fio ended and when it ran are not known", job.Step)
	} else {
		h := rec.times(allowed(job).Milliseconds())
		clones = readClones(job.Dir, d, h, warn)
		place(res, d, clones, h, warn)
	}
	crossCheck(job, d, res, clones, warn)
	return res
}

// place gives the result its window and series.
func place(res *engine.Result, d *document, clones []clone, h hostTimes, warn warner) {
	w, ok := windowOf(d, clones, h, warn)
	if !ok {
		warn("window-unknown", "neither a log nor the report says when the IO began")
		return
	}
	res.StartNs, res.EndNs, res.EdgeU95Ns = w.startNs, w.endNs, w.edgeNs
	res.Intervals = intervals(clones)
}

// direction adds up one direction of all entries. Jobs run side by side, so the
// runtime is the longest.
func direction(v Version, parts []*totals) engine.Direction {
	var d engine.Direction
	for _, t := range parts {
		if !t.complete() {
			continue // named by checkMissing
		}
		d.IOs += *t.IOs
		d.Bytes += *t.bytes(v)
		d.Runtime = max(d.Runtime, time.Duration(min(*t.RuntimeMs, 1<<40))*time.Millisecond)
	}
	d.Latency = latencyOf(v, parts)
	return d
}

// allowed is how long a job may take at most, for records whose end was not
// seen: the workload, fio's start and end, and a drive that was asleep.
func allowed(job engine.Job) time.Duration {
	if job.Duration == 0 {
		return 24 * time.Hour
	}
	return job.Ramp + job.Duration + time.Minute
}
