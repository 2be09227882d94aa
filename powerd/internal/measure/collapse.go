package measure

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"powerd/engine"
)

const (
	collapseMinJob = 5 * time.Minute // a shorter load ends before anybody could act
	collapseHold   = time.Minute     // it must last this long, and is held against the minute before
	collapseTo     = 0.5             // of the rate before
	collapseKnown  = 0.75            // share of either minute that must be known
)

// collapse finds a load whose rate falls to less than half, at once, and stays
// there: what a drive does when its firmware gives up, and also when it has written
// through its spare area. A slow decline over minutes is none.
type collapse struct {
	job     time.Duration
	seconds []pace // of the last two minutes
	fell    *pace  // what the rate fell from, once told; nil again when it came back
}

// pace is what an engine did in one of its previews.
type pace struct {
	startNs, endNs int64
	iops, mbPerS   float64
	watts          float64 // NaN = unknown
}

func newCollapse(job time.Duration) *collapse { return &collapse{job: job} }

// add takes a preview and what the drive drew meanwhile. It returns the warning once
// a collapse has lasted, else "".
func (c *collapse) add(p engine.Progress, watts *float64) string {
	iv := p.Interval
	if c.job < collapseMinJob || p.Ramping || iv.EndNs <= iv.StartNs {
		return ""
	}
	s := pace{startNs: iv.StartNs, endNs: iv.EndNs, watts: math.NaN()}
	s.iops, s.mbPerS = rates(iv)
	if watts != nil {
		s.watts = *watts
	}
	c.seconds = append(c.seconds, s)
	from := s.endNs - 2*collapseHold.Nanoseconds()
	for c.seconds[0].startNs < from {
		c.seconds = c.seconds[1:]
	}
	return c.judge(s.endNs - collapseHold.Nanoseconds())
}

// judge holds what came after host time atNs against what came before.
func (c *collapse) judge(atNs int64) string {
	k := 0
	for k < len(c.seconds) && c.seconds[k].startNs < atNs {
		k++
	}
	before, after := paceOf(c.seconds[:k]), paceOf(c.seconds[k:])
	known := collapseKnown * collapseHold.Seconds()
	if before.seconds < known || after.seconds < known {
		return ""
	}
	if c.fell != nil {
		if after.mean.iops >= collapseTo*c.fell.iops && after.mean.mbPerS >= collapseTo*c.fell.mbPerS {
			c.fell = nil
		}
		return ""
	}
	iops, mb := after.highest.iops < collapseTo*before.mean.iops, after.highest.mbPerS < collapseTo*before.mean.mbPerS
	if !iops && !mb {
		return ""
	}
	c.fell = &before.mean
	what := fmt.Sprintf("IOPS fell from %s to %s", grouped(before.mean.iops), grouped(after.mean.iops))
	if !iops {
		what = fmt.Sprintf("MB/s fell from %s to %s", grouped(before.mean.mbPerS), grouped(after.mean.mbPerS))
	}
	if w := after.mean.watts; w < before.mean.watts {
		what += fmt.Sprintf(" (power from %.2f W to %.2f W)", before.mean.watts, w)
	}
	return what + fmt.Sprintf(" and stayed there for %.0f s: a firmware collapse looks like this, and so does a drive that has used up its spare area",
		collapseHold.Seconds())
}

// stretch is some seconds in a row.
type stretch struct {
	seconds float64
	mean    pace
	highest pace // rates: a fall must show in every second
}

func paceOf(seconds []pace) (s stretch) {
	var watts, known float64
	for _, p := range seconds {
		d := float64(p.endNs-p.startNs) * 1e-9
		s.seconds += d
		s.mean.iops += p.iops * d
		s.mean.mbPerS += p.mbPerS * d
		s.highest.iops, s.highest.mbPerS = max(s.highest.iops, p.iops), max(s.highest.mbPerS, p.mbPerS)
		if !math.IsNaN(p.watts) {
			watts += p.watts * d
			known += d
		}
	}
	s.mean.iops /= s.seconds
	s.mean.mbPerS /= s.seconds
	s.mean.watts = watts / known // NaN if it was never known
	return s
}

// grouped writes a rate as people read it: 41,000.
func grouped(x float64) string {
	text := strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
