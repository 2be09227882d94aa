package fio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// clone is one worker of a job with what its logs say. Rows are in ms of
// CLOCK_MONOTONIC if placed, else as logged.
type clone struct {
	number  int // N in the logs' names, from 1 across the job file
	entry   int // index into document.Entries; -1: a group of several jobs, unknown which
	opts    options
	layout  layout
	base    timeBase
	placed  bool
	iops    []row
	bw      []row
	lat     []row
	epochMs int64 // start of the measured part
	hasRows bool  // epochMs is known
}

// cloneEntries returns the entry of each clone in the order of the logs' numbers.
// A report lists either every clone under the job's name, or one entry for all.
func cloneEntries(d *document) []int {
	var out []int
	for i := 0; i < len(d.Entries); {
		e := &d.Entries[i]
		n := int(min(d.options(e).count("numjobs", 1), 1<<16))
		same := 1
		for i+same < len(d.Entries) && same < n && d.Entries[i+same].Name == e.Name {
			same++
		}
		if same == n {
			for k := range n {
				out = append(out, i+k)
			}
		} else {
			same = 1
			for range n {
				out = append(out, i)
			}
		}
		i += same
	}
	return out
}

// readClones reads the averaged logs in dir that the document's options name.
// Logs that can't be used are warned about and left out.
func readClones(dir string, d *document, h hostTimes, warn warner) []clone {
	byNumber := cloneEntries(d)
	var out []clone
	seen := map[int]bool{}
	for i := range d.Entries {
		o := d.options(&d.Entries[i])
		prefix, ok := logPrefix(o, &d.Entries[i])
		if !ok {
			continue
		}
		if v, given := o.get("per_job_logs"); given && v == "0" {
			warn("logs-merged", "job %s: per_job_logs=0 puts all jobs into one log whose rows can't be told apart; not used", d.Entries[i].Name)
			continue
		}
		for _, n := range logNumbers(dir, prefix) {
			if seen[n] {
				continue
			}
			seen[n] = true
			c := clone{number: n, entry: -1, opts: o, layout: layoutOf(o, d.version)}
			if n <= len(byNumber) {
				c.entry = byNumber[n-1]
				c.opts = d.options(&d.Entries[c.entry])
			}
			var started *int64
			if c.entry >= 0 {
				if ms, ok := jobStartMs(d, &d.Entries[c.entry], h); ok {
					started = &ms
				}
			}
			c.read(dir, prefix, h, started, warn)
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b clone) int { return a.number - b.number })
	if len(out) > len(byNumber) { // a group made of several jobs: numbers say nothing
		for i := range out {
			out[i].entry = -1
		}
	}
	return out
}

// logPrefix is the stem of an entry's log names; the job's name where the option
// has no value.
func logPrefix(o options, e *entry) (string, bool) {
	p, ok := o.get("write_iops_log")
	if !ok {
		return "", false
	}
	if p == "" {
		p = e.Name
	}
	return filepath.Base(p), true
}

// logNumbers lists the N of PREFIX_iops.N.log in dir.
func logNumbers(dir, prefix string) []int {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []int
	for _, e := range entries {
		rest, ok1 := strings.CutPrefix(e.Name(), prefix+"_iops.")
		digits, ok2 := strings.CutSuffix(rest, ".log")
		if n, err := strconv.Atoi(digits); ok1 && ok2 && err == nil && n > 0 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// read reads one clone's logs, recognises their time base and finds the epoch.
// started is the entry's own start stamp, which places relative rows; nil if it
// has none.
func (c *clone) read(dir, prefix string, h hostTimes, started *int64, warn warner) {
	limit := 0
	if c.layout.windowMs == 0 { // every IO is a row: only where it begins is used
		limit = 1
		warn("log-per-io", "%s_iops.%d.log has a row for every IO; no intervals are made of it", prefix, c.number)
	}
	placed := true
	for _, l := range []struct {
		kind string
		rows *[]row
	}{{"iops", &c.iops}, {"bw", &c.bw}, {"lat", &c.lat}} {
		name := fmt.Sprintf("%s_%s.%d.log", prefix, l.kind, c.number)
		rows, err := readRows(filepath.Join(dir, name), c.layout, limit)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				warn("log-unreadable", "%v", err)
			}
			continue
		}
		if len(rows) == 0 {
			continue
		}
		base, err := recognise(rows[0].timeMs, rows[len(rows)-1].timeMs, askedBase(c.opts), h)
		if err != nil {
			warn("time-base-implausible", "%s: %v", name, err)
			continue
		}
		addMs, ok := base.toMonotonic(h)
		if !ok && started != nil {
			addMs, ok = *started, true
		}
		for i := range rows {
			rows[i].timeMs += addMs
		}
		c.base = base
		placed = placed && ok
		*l.rows = rows
	}
	c.findEpoch()
	c.placed = placed && c.hasRows
	if c.hasRows && !c.placed {
		warn("log-relative", "%s_iops.%d.log counts from the job's start, which it doesn't tell; its rows have no host time", prefix, c.number)
	}
}

// findEpoch sets the epoch from the logs. Windows end on a grid of windowMs from
// the epoch; a row's stamp is never before its grid point, but may be late: by
// the wait for the next completion in lat logs, by the sampler's delay in iops
// logs. So the earliest phase among all rows is the grid's.
func (c *clone) findEpoch() {
	const samplerEarlyMs = 1 // iops and bw windows may be closed 1 ms early
	for _, l := range []struct {
		rows    []row
		earlyMs int64
	}{{c.lat, 0}, {c.iops, samplerEarlyMs}, {c.bw, samplerEarlyMs}} {
		if len(l.rows) == 0 {
			continue
		}
		e := gridStart(l.rows, c.layout.windowMs) + l.earlyMs
		if !c.hasRows || e < c.epochMs {
			c.epochMs, c.hasRows = e, true
		}
	}
}

// gridStart returns the first row's stamp less one window, moved to the earliest
// phase that any row shows.
func gridStart(rows []row, windowMs int64) int64 {
	start := rows[0].timeMs - windowMs
	if windowMs <= 0 {
		return start
	}
	earliest := int64(0)
	for _, r := range rows {
		phase := (r.timeMs - start) % windowMs
		if phase > windowMs/2 {
			phase -= windowMs
		}
		earliest = min(earliest, phase)
	}
	return start + earliest
}
