package fio

import (
	"fmt"
	"math"
	"slices"

	"powerd/engine"
)

// warner takes a remark for the result.
type warner func(code, format string, args ...any)

// Tolerances of the cross-checks.
const (
	totalsTolerance = 0.02 // log against report, bytes against IOs × size
	depthOver       = 1.05 // IOs in flight over what was asked: more is impossible
	depthUnder      = 0.85 // less: fio or the host could not keep the drive busy
	depthUnderRamp  = 0.75 // with a ramp, whose IOs in flight straddle the start
	demandMet       = 0.98
)

// crossCheck compares what should agree and is free to compare.
func crossCheck(job engine.Job, d *document, res *engine.Result, clones []clone, warn warner) {
	checkMissing(d, warn)
	checkBytes(d, warn)
	checkDepth(d, warn)
	checkBins(d, warn)
	checkDemand(job, res, warn)
	if job.Pause == 0 { // of the row after a pause nobody can say which time it covers
		checkRows(res, clones, warn)
	}
	if ms := max(res.Read.Runtime, res.Write.Runtime).Milliseconds(); ms < tooShortMs && res.IOs() > 0 {
		warn("too-short", "ran %d ms: rates over less than %d ms mean nothing", ms, tooShortMs)
	}
}

// checkMissing names totals that a direction in use lacks.
func checkMissing(d *document, warn warner) {
	for i := range d.Entries {
		e := &d.Entries[i]
		for _, t := range []struct {
			name string
			*totals
		}{{"read", e.Read}, {"write", e.Write}} {
			if t.totals != nil && !t.complete() {
				warn("totals-missing", "job %s: %s lacks total_ios, io_bytes or runtime; it counts as unused", e.Name, t.name)
			}
		}
		if e.Trim != nil && value(e.Trim.IOs) > 0 {
			warn("trims-not-counted", "job %s: %d trims are in no figure", e.Name, *e.Trim.IOs)
		}
	}
}

// checkBytes compares bytes with IOs × block size.
func checkBytes(d *document, warn warner) {
	for i := range d.Entries {
		e := &d.Entries[i]
		bs := d.options(e).blockBytes()
		for _, t := range e.directions() {
			moved := t.bytes(d.version)
			if bs == 0 || value(t.IOs) == 0 || moved == nil || value(t.RuntimeMs) == 0 {
				continue
			}
			want := float64(*t.IOs) * float64(bs)
			if math.Abs(float64(*moved)-want) > totalsTolerance*want {
				warn("bytes-disagree", "job %s: %d IOs of %s make %.0f bytes, the report says %d", e.Name, *t.IOs, formatSize(bs), want, *moved)
			}
		}
	}
}

// checkDepth compares IOs in flight by Little's law with the depth asked. It
// speaks of closed loops only: not where a rate or think time leaves the queue
// empty.
func checkDepth(d *document, warn warner) {
	perEntry := cloneEntries(d)
	for i := range d.Entries {
		e := &d.Entries[i]
		o := d.options(e)
		depth := o.depth()
		if depth == 0 || slices.ContainsFunc([]string{"rate", "rate_iops", "thinktime"}, o.given) {
			continue
		}
		under := depthUnder
		if o.given("ramp_time") {
			under = depthUnderRamp
		}
		clones := 0
		for _, at := range perEntry {
			if at == i {
				clones++
			}
		}
		asked, inFlight := float64(depth)*float64(max(1, clones)), flight(d.version, e)
		if inFlight > 0 && (inFlight > depthOver*asked || inFlight < under*asked) {
			warn("depth-disagrees", "job %s: %.2f IOs in flight by rate × latency, %.0f asked", e.Name, inFlight, asked)
		}
	}
}

// flight is the mean number of IOs in flight: Σ rate × latency.
func flight(v Version, e *entry) float64 {
	sum := 0.0
	for _, t := range e.directions() {
		m, toUs := t.latency(v)
		if m == nil || m.Mean == nil || value(t.RuntimeMs) == 0 {
			continue
		}
		sum += float64(value(t.IOs)) / float64(*t.RuntimeMs) * 1e3 * *m.Mean * toUs * 1e-6
	}
	return sum
}

// depth is how many IOs a worker keeps in flight; 0 for engines of which that is
// not known.
func (o options) depth() int64 {
	name, ok := o.get("ioengine")
	if !ok {
		name = "psync"
	}
	switch {
	case isAsync(name):
		return o.count("iodepth", 1)
	case isSync(name):
		return 1
	}
	return 0
}

func isAsync(ioengine string) bool {
	return slices.Contains([]string{"libaio", "io_uring", "posixaio"}, ioengine)
}

func isSync(ioengine string) bool {
	return slices.Contains([]string{"psync", "sync", "pvsync", "pvsync2", "vsync"}, ioengine)
}

// checkDemand reports a demanded rate that was not reached.
func checkDemand(job engine.Job, res *engine.Result, warn warner) {
	runtime := max(res.Read.Runtime, res.Write.Runtime).Seconds()
	if job.RateIOPS == 0 || job.JobFile != "" || runtime == 0 {
		return
	}
	if got := float64(res.IOs()) / runtime; got < demandMet*float64(job.RateIOPS) {
		warn("demand-not-met", "%.0f IOPS of the demanded %d were reached", got, job.RateIOPS)
	}
}

// checkRows compares the sum of the log's rows with the report's total. The last
// window of every log is not written, and how much it held is open, so that the
// total may be over the rows by one such window at their highest rate, or by two
// where the sampler was late. More is a log that lacks its end.
func checkRows(res *engine.Result, clones []clone, warn warner) {
	if len(res.Intervals) == 0 || res.IOs() == 0 {
		return
	}
	var rows, peak float64 // IOs; IOs per ns
	for _, iv := range res.Intervals {
		n := float64(iv.Reads + iv.Writes)
		rows += n
		peak = max(peak, n/float64(iv.EndNs-iv.StartNs))
	}
	last := res.Intervals[len(res.Intervals)-1].EndNs
	total := float64(res.IOs())
	window := longestWindowMs(clones) * msNs
	unlogged := min(max(0, res.EndNs-last)+window, pauseWindows*window)
	if rows > total*(1+totalsTolerance) || rows+float64(unlogged)*peak < total*(1-totalsTolerance) {
		warn("log-disagrees", "the log's rows add up to %.0f IOs, the report says %.0f (%+.1f %%); figures are the report's",
			rows, total, 100*(rows/total-1))
	}
}

// warnInto collects remarks in a result.
func warnInto(res *engine.Result) warner {
	return func(code, format string, args ...any) {
		res.Warnings = append(res.Warnings, engine.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
}
