package fio

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"time"

	"powerd/engine"
)

// runtimeShare is how much of the duration asked must have run.
const runtimeShare = 0.95

// exitInterrupted is fio's exit code after SIGINT or SIGTERM.
const exitInterrupted = 128

// judge returns why a job is no success, nil if it is. Exit code 0 alone proves
// nothing: a crashed worker leaves one.
func judge(job engine.Job, rec *record, rep *report, res *engine.Result) *engine.JobError {
	e := &engine.JobError{Step: job.Step, Messages: rep.messages, Hint: hintFor(rep.messages)}
	ran := time.Duration(0)
	if res != nil {
		ran = max(res.Read.Runtime, res.Write.Runtime)
	}
	asked := job.Duration
	switch {
	case crashText(rep.messages) != "":
		e.Why = "worker crashed"
	case rec != nil && rec.Overdue:
		e.Why = fmt.Sprintf("did not end by itself: it was to run %.1f s and was stopped after %.1f s",
			asked.Seconds(), time.Duration(rec.ExitMonoNs-rec.SpawnMonoNs).Seconds())
		e.Hint = "a job file's runtime= and loops= must fit the step's duration"
	case rec != nil && rec.Cancelled:
		e.Why = "interrupted after " + shareText(ran, asked)
		if rec.Killed {
			e.Why += ", by force"
		}
		e.Err, e.Hint = context.Canceled, ""
	case rec != nil && !rec.Ended:
		e.Why, e.Hint = "its end was not seen", "powerd stopped before fio did; run the step again"
	case rec != nil && rec.Signal != "":
		e.Why = "fio was ended by signal " + rec.Signal
	case interrupted(rec, rep):
		e.Why = "fio was told to stop after " + shareText(ran, asked)
	case rec != nil && rec.ExitCode != 0:
		e.Why = fmt.Sprintf("exit code %d", rec.ExitCode)
		e.Err = entryError(rep.last)
	case entryError(rep.last) != nil:
		e.Why, e.Err = "a job ended with an error", entryError(rep.last)
	case rep.last == nil:
		e.Why = "fio left no report"
	case merged(rep.last):
		e.Why, e.Hint = "the report merges reads and writes", "set unified_rw_reporting=none"
	case ran < time.Duration(runtimeShare*float64(asked)) && !enough(job, res):
		e.Why = fmt.Sprintf("ran %.2f s of %.2f s", ran.Seconds(), asked.Seconds())
	default:
		return nil
	}
	return e
}

// enough reports whether a job moved all that it was to: the last block may not have fitted.
func enough(job engine.Job, res *engine.Result) bool {
	return job.StopBytes > 0 && res != nil && int64(res.Bytes()) > job.StopBytes-job.BlockBytes
}

// shareText says how much of a duration ran; a user's job file has none that is
// known.
func shareText(ran, asked time.Duration) string {
	if asked == 0 {
		return fmt.Sprintf("%.1f s", ran.Seconds())
	}
	return fmt.Sprintf("%.1f s of %.1f s", ran.Seconds(), asked.Seconds())
}

// interrupted reports whether fio was stopped before its time.
func interrupted(rec *record, rep *report) bool {
	for _, m := range rep.messages {
		if strings.Contains(m, "terminating on signal") {
			return true
		}
	}
	return rec != nil && (!rec.Ended || rec.Cancelled || rec.Signal != "" || rec.ExitCode == exitInterrupted) ||
		crashText(rep.messages) != ""
}

// crashText returns the message that tells of a crashed worker.
func crashText(messages []string) string {
	for _, m := range messages {
		if strings.Contains(m, "got signal") || strings.Contains(m, "file hash not empty") {
			return m
		}
	}
	return ""
}

// entryError returns the first entry's error.
func entryError(d *document) error {
	if d == nil {
		return nil
	}
	for i := range d.Entries {
		if n := d.Entries[i].Error; n != 0 {
			return fmt.Errorf("job %s: %w (error %d)", d.Entries[i].Name, syscall.Errno(max(0, n)), n)
		}
	}
	return nil
}

// merged reports whether an entry gives only reads and writes together.
func merged(d *document) bool {
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Mixed != nil && e.Read == nil && e.Write == nil {
			return true
		}
	}
	return false
}

// hintFor says what to do about what fio printed.
func hintFor(messages []string) string {
	for _, h := range []struct{ text, hint string }{
		{"file creation disallowed", "the target does not exist; check its name"},
		{"unrecognized option", "see the option in the step's .fio file"},
		{"Bad option", "see the option in the step's .fio file"},
		{"No space left", "the target is full, or smaller than the region asked"},
		{"Permission denied", "run powerd as a user who may open the target"},
		{"engine not available", "choose an ioengine that this fio has (fio --enghelp)"},
		{"failed to load engine", "choose an ioengine that this fio has (fio --enghelp)"},
		{"does not support direct", "the target's file system may not do direct IO; use another"},
		{"mounted", "the target is in use; unmount it"},
	} {
		for _, m := range messages {
			if strings.Contains(m, h.text) {
				return h.hint
			}
		}
	}
	return ""
}
