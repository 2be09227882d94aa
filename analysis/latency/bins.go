package latency

import "powerd/engine"

// Bins is the histogram of one direction of a cell, with the JSON keys of results.json:
// IOs[i] of them took from LowNs[i] to HighNs[i], which is not in it. HighNs has no last
// value where the last bin has no end.
type Bins struct {
	Step        string   `json:"step"` // as in efficiency
	Round       int      `json:"round"`
	Direction   string   `json:"direction"` // read, write
	Total       uint64   `json:"total"`     // of IOs
	BinWidthRel float64  `json:"bin_width_rel"`
	LowNs       []int64  `json:"low_ns"`
	HighNs      []int64  `json:"high_ns"`
	IOs         []uint64 `json:"ios"`
}

// BinsOf returns those of both directions, as far as the engine left them.
func (f *Figures) BinsOf(step string, round int) []*Bins {
	var out []*Bins
	if f == nil {
		return nil
	}
	for _, d := range []struct {
		name string
		of   engine.Histogram
	}{{"read", f.Reads}, {"write", f.Writes}} {
		if len(d.of) == 0 {
			continue
		}
		b := &Bins{Step: step, Round: round, Direction: d.name, Total: d.of.IOs(), BinWidthRel: d.of.WidestRel()}
		for _, bin := range d.of {
			b.LowNs, b.IOs = append(b.LowNs, bin.LowNs), append(b.IOs, bin.IOs)
			if !bin.Open() {
				b.HighNs = append(b.HighNs, bin.HighNs)
			}
		}
		out = append(out, b)
	}
	return out
}
