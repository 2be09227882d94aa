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
		earliest, latest := extent(rows)
		base, err := recognise(earliest, latest, askedBase(c.opts), h)
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
	c.findEpoch(started)
	c.placed = placed && c.hasRows
	if c.hasRows && !c.placed {
		warn("log-relative", "%s_iops.%d.log counts from the job's start, which it doesn't tell; its rows have no host time", prefix, c.number)
	}
}

// extent returns the earliest and latest stamp of rows, of which there is one at
// least.
func extent(rows []row) (earliestMs, latestMs int64) {
	earliestMs, latestMs = rows[0].timeMs, rows[0].timeMs
	for _, r := range rows {
		earliestMs, latestMs = min(earliestMs, r.timeMs), max(latestMs, r.timeMs)
	}
	return earliestMs, latestMs
}

// findEpoch sets the epoch from the logs. Windows end on a grid of windowMs from
// the epoch. A row's stamp may be late: by the wait for the next completion in
// lat logs, by the sampler's delay in iops logs; the earliest phase that rows
// agree on is the grid's. lat rows are never early, iops rows by 1 ms at most, so
// that these count only where they are earlier by more.
func (c *clone) findEpoch(started *int64) {
	if len(c.iops) > 0 {
		c.epochMs, c.hasRows = gridStart(c.iops, c.layout.windowMs), true
	}
	if len(c.lat) > 0 {
		e := gridStart(c.lat, c.layout.windowMs)
		if !c.hasRows || e <= c.epochMs+1 {
			c.epochMs = e
		} else {
			c.epochMs++
		}
		c.hasRows = true
	}
	if c.hasRows && c.base == baseRelative && started != nil {
		c.epochMs = *started
	}
}

// gridStart returns the first row's stamp less one window, moved to an earlier
// phase if enough rows agree on it. One row alone proves nothing: it is as well
// late by most of a window.
func gridStart(rows []row, windowMs int64) int64 {
	const agreeMs = 5
	start := rows[0].timeMs - windowMs
	if windowMs <= 0 {
		return start
	}
	phases := make([]int64, len(rows))
	for i, r := range rows {
		phases[i] = (r.timeMs - start) % windowMs
		if phases[i] > windowMs/2 {
			phases[i] -= windowMs
		}
	}
	slices.Sort(phases)
	need := max(2, len(phases)/4)
	for i := 0; i+need <= len(phases) && phases[i] < 0; i++ {
		if phases[i+need-1]-phases[i] <= agreeMs {
			return start + phases[i]
		}
	}
	return start
}
