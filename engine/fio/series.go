package fio

import (
	"math"
	"slices"

	"powerd/engine"
)

// A row is the rate over the time since the row before it, so that time, not the
// window that was asked, is its weight: a late sampler makes both longer. From
// pauseWindows windows on it was a pause, of which fio logs nothing, and the row
// covers one window only.
const pauseWindows = 2

// part is a count over [startNs, endNs).
type part struct {
	startNs, endNs int64
	count          float64
}

// partsOf turns the rows of one direction into counts. factor makes a count per
// second of a row's value.
func partsOf(rows []row, ddir uint8, epochMs, windowMs int64, factor float64) []part {
	var out []part
	prevMs := epochMs
	for _, r := range rows {
		if r.ddir != ddir {
			continue
		}
		spacingMs := r.timeMs - prevMs
		if spacingMs >= pauseWindows*windowMs {
			spacingMs = windowMs
		}
		prevMs = max(prevMs, r.timeMs)
		if spacingMs <= 0 {
			continue
		}
		endNs := r.timeMs*msNs + floorsNs
		out = append(out, part{
			endNs - spacingMs*msNs, endNs,
			float64(r.value) * factor * float64(spacingMs) / 1000,
		})
	}
	return out
}

// running is a running total as a function of time: straight between points,
// flat in pauses.
type running struct {
	atNs  []int64
	total []float64
}

func runningOf(parts []part) running {
	var r running
	sum := 0.0
	for _, p := range parts {
		if n := len(r.atNs); n == 0 || r.atNs[n-1] < p.startNs {
			r.atNs, r.total = append(r.atNs, p.startNs), append(r.total, sum)
		}
		sum += p.count
		r.atNs, r.total = append(r.atNs, p.endNs), append(r.total, sum)
	}
	return r
}

func (r running) at(ns int64) float64 {
	i, exact := slices.BinarySearch(r.atNs, ns)
	switch {
	case exact:
		return r.total[i]
	case i == 0:
		return 0
	case i == len(r.atNs):
		return r.total[i-1]
	}
	share := float64(ns-r.atNs[i-1]) / float64(r.atNs[i]-r.atNs[i-1])
	return r.total[i-1] + share*(r.total[i]-r.total[i-1])
}

// counts are the four quantities of an interval as running totals of all clones.
type counts struct {
	reads, writes, readBytes, writeBytes []running
	blockBytes                           int64 // where all clones use one size, else 0
}

// intervals cuts the clones' counts at the row ends of the clone with the most
// rows. Pauses and what comes after the last row are left out.
func intervals(clones []clone) []engine.Interval {
	c := counts{blockBytes: commonBlock(clones)}
	var cuts []int64
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range clones {
		for ddir := range uint8(2) {
			parts := c.add(&clones[i], ddir)
			if len(parts) == 0 {
				continue
			}
			first, last = min(first, parts[0].startNs), max(last, parts[len(parts)-1].endNs)
			if len(parts)+1 > len(cuts) {
				cuts = runningOf(parts).atNs
			}
		}
	}
	if len(cuts) < 2 {
		return nil
	}
	cuts[0], cuts[len(cuts)-1] = first, last
	var out []engine.Interval
	for i := range len(cuts) - 1 {
		from, to := cuts[i], cuts[i+1]
		iv := engine.Interval{
			StartNs: from, EndNs: to,
			Reads: between(c.reads, from, to), Writes: between(c.writes, from, to),
			ReadBytes: between(c.readBytes, from, to), WriteBytes: between(c.writeBytes, from, to),
		}
		if c.blockBytes > 0 {
			iv.ReadBytes, iv.WriteBytes = iv.Reads*uint64(c.blockBytes), iv.Writes*uint64(c.blockBytes)
		}
		if iv.Reads+iv.Writes > 0 {
			out = append(out, iv)
		}
	}
	return out
}

// add takes one direction of a clone and returns its IO counts.
func (c *counts) add(cl *clone, ddir uint8) []part {
	if cl.layout.windowMs == 0 || cl.layout.maxOnly || !cl.placed {
		return nil
	}
	ios := partsOf(cl.iops, ddir, cl.epochMs, cl.layout.windowMs, 1)
	moved := partsOf(cl.bw, ddir, cl.epochMs, cl.layout.windowMs, 1024)
	if len(ios) == 0 {
		return nil
	}
	if ddir == ddirRead {
		c.reads, c.readBytes = append(c.reads, runningOf(ios)), append(c.readBytes, runningOf(moved))
	} else {
		c.writes, c.writeBytes = append(c.writes, runningOf(ios)), append(c.writeBytes, runningOf(moved))
	}
	return ios
}

// commonBlock returns the block size that all IOs of all clones have, 0 if they
// differ: where there is one, bytes are IOs times it.
func commonBlock(clones []clone) int64 {
	bs := int64(0)
	for i := range clones {
		b := clones[i].opts.blockBytes()
		if b == 0 || bs != 0 && b != bs {
			return 0
		}
		bs = b
	}
	return bs
}

// between counts what all of them did from a to b, rounded so that neighbours
// add up.
func between(all []running, a, b int64) uint64 {
	var atA, atB float64
	for _, r := range all {
		atA += r.at(a)
		atB += r.at(b)
	}
	return uint64(max(0, math.Round(atB)-math.Round(atA)))
}
