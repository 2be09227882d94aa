package fio

import "slices"

// Times from fio's stamps: epoch and elapsed time are each cut to whole ms, so
// that a stamp is 0-2 ms early, 1 ms in the mean; with the delays of a busy host
// no edge is claimed to be better than ± 2 ms.
const (
	msNs       = int64(1_000_000)
	floorsNs   = 1 * msNs
	edgeU95Ns  = 2 * msNs
	exitLagMs  = 40  // least time from the last IO to fio's exit
	sideBySide = 0.9 // share of the window in which all jobs must run
	tooShortMs = 100 // rates over less mean nothing

	maxRuntimeMs = 1 << 50 // bounds nonsense in a report
)

// span is a clone's or entry's measured part in ms of CLOCK_MONOTONIC.
type span struct{ startMs, endMs int64 }

// window is a job's window with the half-width of its edges.
type window struct{ startNs, endNs, edgeNs int64 }

// windowOf returns [earliest epoch, latest end); ok = false if nothing says when
// it was.
func windowOf(d *document, clones []clone, h hostTimes, warn warner) (w window, ok bool) {
	spans, edgeMs := measuredSpans(d, clones, h)
	if len(spans) == 0 {
		return window{}, false
	}
	lo, hi := spans[0].startMs, spans[0].endMs
	allFrom, allTo := lo, hi
	for _, s := range spans[1:] {
		lo, hi = min(lo, s.startMs), max(hi, s.endMs)
		allFrom, allTo = max(allFrom, s.startMs), min(allTo, s.endMs)
	}
	if float64(allTo-allFrom) < sideBySide*float64(hi-lo) {
		warn("jobs-not-together", "all jobs ran together in %d ms of the window's %d ms; its figures mix phases", max(0, allTo-allFrom), hi-lo)
	}
	if late := hi + exitLagMs - h.exitMonoMs; late > exitLagMs {
		stepMs := longestWindowMs(clones)
		shift := (late + stepMs - 1) / stepMs * stepMs
		warn("window-moved", "the first log row would end the window after fio's exit: %d ms before it hold no row, so the window was moved; its edges are good to one log window", shift)
		lo, hi, edgeMs = lo-shift, hi-shift, max(edgeMs, stepMs)
	}
	return window{lo*msNs + floorsNs, hi*msNs + floorsNs, max(edgeU95Ns, edgeMs*msNs)}, true
}

// measuredSpans returns the measured parts that are known: one per clone where
// reports are per clone; one per group otherwise, with the spread of its clones'
// epochs, since the report says only how long the longest ran.
func measuredSpans(d *document, clones []clone, h hostTimes) (spans []span, spreadMs int64) {
	groups := map[int][]int64{} // entry → epochs of its clones
	for _, c := range clones {
		if c.placed {
			groups[c.entry] = append(groups[c.entry], c.epochMs)
		}
	}
	for i := range d.Entries {
		if ms, ok := jobStartMs(d, &d.Entries[i], h); ok {
			if len(groups[i]) < 2 { // exact: replaces what logs say
				groups[i] = []int64{ms}
			} else {
				groups[i][0] = ms
			}
		}
	}
	var longest uint64
	for i := range d.Entries {
		longest = max(longest, d.Entries[i].runtimeMs())
	}
	for i, epochs := range groups {
		first, last := slices.Min(epochs), slices.Max(epochs)
		end := last + int64(min(longest, maxRuntimeMs))
		if i >= 0 {
			if d.Entries[i].runtimeMs() == 0 {
				continue
			}
			end = d.Entries[i].endMs(first, last, len(epochs))
		}
		spans = append(spans, span{first, end})
		spreadMs = max(spreadMs, last-first)
	}
	return spans, spreadMs
}

// endMs returns when the last of an entry's clones ended. The report has the
// longest runtime, which one clone had of which at least the first epoch is
// known, and the sum of all, which says how short the shortest may be.
func (e *entry) endMs(firstMs, lastMs int64, clones int) int64 {
	longest := int64(min(e.runtimeMs(), maxRuntimeMs))
	shortest := int64(min(value(e.JobRunMs), maxRuntimeMs)) - int64(clones-1)*longest
	return max(firstMs+longest, lastMs+min(shortest, longest))
}

// jobStartMs returns the entry's own start stamp if it is on CLOCK_MONOTONIC:
// the report doesn't say which clock it is on, so option and value must both.
func jobStartMs(d *document, e *entry, h hostTimes) (int64, bool) {
	if !featuresOf(d.version).jobStart || e.JobStartMs == nil || d.options(e).count("job_start_clock_id", 0) != 1 {
		return 0, false
	}
	ms := *e.JobStartMs
	return ms, ms >= h.spawnMonoMs-slackMs && ms <= h.exitMonoMs+slackMs
}

func longestWindowMs(clones []clone) int64 {
	ms := int64(1)
	for _, c := range clones {
		ms = max(ms, c.layout.windowMs)
	}
	return ms
}
