package results

import (
	"fmt"

	"powerd/analysis"
	"powerd/analysis/align"
	"powerd/quarch"
)

// A window whose borders are unsure by more than these shares of its length says
// little of what went on between them.
const (
	unsureShare     = 0.10
	unsureLongShare = 0.05 // where they are unsure by unsureNs too
	unsureNs        = 100e6
)

// losses warns of stripes that did not arrive: those that the link tells of, those whose
// place and number arrivals tell, and those that only the host's clock misses.
func (d *Document) losses() {
	var stripes, gaps int64
	for _, e := range d.folder.events {
		if e.Kind == quarch.EventGap {
			gaps, stripes = gaps+1, stripes+intOf(e.Data["stripes"])
		}
	}
	if gaps > 0 {
		d.warn("lost_stripes", fmt.Sprintf("gaps in the samples: %d, with %d stripes lost; what is not known of a window shows in its coverage", gaps, stripes))
	}
	for i := range d.folder.streams {
		s := &d.folder.streams[i]
		if text := uncountedText(uncounted(s.came)); text != "" {
			d.warn("uncounted_stripes", fmt.Sprintf("stream %d: %s, and the link did not count them: only the host's clock tells. Figures are of what came, and their coverage says of how much; does another program read the same port?", s.Number, text))
		}
		if s.missingS > 0 && s.EndReason != StartedAgain {
			d.warn("missing_samples", fmt.Sprintf("stream %d: about %.1f s of samples are missing or came late, and nothing says where; does another program read the same port?", s.Number, s.missingS))
		}
	}
}

// misplaced returns why a window cannot be found in the stream; empty if it can.
func (s *stream) misplaced(w analysis.Window) string {
	if s.m.Impossible && s.missingS == 0 {
		return "its samples cannot be placed: " + s.m.Reason
	}
	var u float64
	for _, ns := range []int64{w.StartNs, w.EndNs} {
		_, x := s.m.TimeOf(s.m.IndexAt(float64(ns)))
		u = max(u, x)
	}
	length := float64(w.EndNs - w.StartNs)
	unbounded := s.m.Status == align.StatusNone && s.missingS == 0 // its figures say so themselves
	if unbounded || u <= unsureShare*length && (u <= unsureNs || u <= unsureLongShare*length) {
		return ""
	}
	return fmt.Sprintf("its samples are placed within ± %.0f ms only, and it lasts %.3g s", u*1e-6, length*1e-9)
}
