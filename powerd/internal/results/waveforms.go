package results

import (
	"iter"
	"math"
	"slices"

	"powerd/analysis"
	"powerd/analysis/align"
	"powerd/analysis/window"
	"powerd/quarch"
)

// Waveforms reduces what was sampled in a window of host time to columns: volts,
// amperes and watts of each rail in use, and total watts if all of them are measured.
// originNs is second 0 of their axis. Time without samples, between two streams too, is NaN.
func (d *Document) Waveforms(w analysis.Window, columns int, originNs int64) []*analysis.Waveform {
	var out []*analysis.Waveform
	for i := range d.folder.streams {
		s := &d.folder.streams[i]
		if s.End() == 0 || s.endNs <= w.StartNs || s.startNs >= w.EndNs {
			continue
		}
		out = join(out, s.waveforms(w, columns, originNs, d.shown()))
	}
	return out
}

func (s *stream) waveforms(w analysis.Window, columns int, originNs int64, rails []quarch.Rail) []analysis.Waveform {
	dec := window.NewDecimator(w, columns, s.m, originNs, rails)
	from, to := s.m.IndexAt(float64(w.StartNs)), s.m.IndexAt(float64(w.EndNs))
	for b := range s.tolerant(uint64(max(0, from-1)), uint64(max(0, to+1))) {
		dec.Add(b)
	}
	return dec.Waveforms()
}

// join puts the columns of waves into those of out that have none yet.
func join(out []*analysis.Waveform, waves []analysis.Waveform) []*analysis.Waveform {
	for i := range waves {
		w := &waves[i]
		k := slices.IndexFunc(out, func(o *analysis.Waveform) bool { return o.Name == w.Name })
		if k < 0 {
			out = append(out, w)
			continue
		}
		for c, m := range w.Mean {
			if !math.IsNaN(m) {
				out[k].Min[c], out[k].Mean[c], out[k].Max[c] = w.Min[c], m, w.Max[c]
			}
		}
	}
	return out
}

// Placement reduces what the alignment rests on to columns, as Waveforms does what was
// sampled; nil where no stream has a clock of its own. A stream that was started again is
// left out.
func (d *Document) Placement(w analysis.Window, columns int, originNs int64) (*align.Placement, error) {
	var out *align.Placement
	for i := range d.folder.streams {
		s := &d.folder.streams[i]
		if s.Polled || s.End() == 0 || s.EndReason == StartedAgain || s.came.Status == align.StatusNone {
			continue
		}
		arrivals, err := s.Arrivals()
		if err := d.folder.tolerate(err); err != nil {
			return nil, err
		}
		p := s.came.Place(slices.Values(arrivals), w, columns, originNs)
		if out == nil {
			out = p
			continue
		}
		waves := []*analysis.Waveform{&out.Late, &out.Floor, &out.U95, &out.Clock}
		join(waves, []analysis.Waveform{p.Late, p.Floor, p.U95, p.Clock})
		out.Evidence = append(out.Evidence, p.Evidence...)
	}
	return out, nil
}

// Rate reduces what was completed in a window to columns of "iops" or "mb_per_s": by
// the engine, and in steps that recorded by whoever loaded the drive. It is nil where
// nothing is known of that.
func (d *Document) Rate(name string, w analysis.Window, columns int, originNs int64) *analysis.Waveform {
	intervals := d.folder.intervals()
	if len(intervals) == 0 {
		return nil
	}
	waves := window.Intervals(w, columns, originNs, intervals)
	for i := range waves {
		if waves[i].Name == name {
			return &waves[i]
		}
	}
	return nil
}

// tolerant yields the blocks of a stream; a damaged part's stripes are lost.
func (s *stream) tolerant(from, to uint64) iter.Seq[*quarch.Block] {
	return func(yield func(*quarch.Block) bool) {
		for b, err := range s.Blocks(from, to) {
			if err == nil && !yield(b) {
				return
			}
		}
	}
}
