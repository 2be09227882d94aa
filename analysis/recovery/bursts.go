package recovery

import (
	"powerd/analysis"
	"powerd/engine"
)

// Burst is the load between two pauses.
type Burst struct {
	analysis.Window // of host time
	IOs, Bytes      uint64
	U95Ns           int64 // of either border
}

// Find returns the bursts of a load in w that follow a pause and are whole, in time order,
// most at the most. counts are what reached the drive, in time order. loadNs is how long
// the engine loads the drive between two pauses of pauseNs.
func Find(counts []engine.Interval, w analysis.Window, loadNs, pauseNs int64, most int) []Burst {
	var all []Burst
	var group []engine.Interval
	flush := func() {
		if len(group) > 0 {
			all = append(all, burstOf(group))
		}
		group = group[:0]
	}
	for _, v := range counts {
		if v.Reads+v.Writes == 0 || v.EndNs <= w.StartNs || v.StartNs >= w.EndNs {
			continue
		}
		if n := len(group); n > 0 && v.StartNs-group[n-1].EndNs >= pauseNs/2 {
			flush()
		}
		group = append(group, v)
	}
	flush()
	if len(all) == 0 {
		return nil
	}
	var out []Burst
	for _, b := range all[1:] {
		if length := b.EndNs - b.StartNs; length >= loadNs-2*b.U95Ns && len(out) < most {
			out = append(out, b)
		}
	}
	return out
}

// burstOf adds intervals up and finds where their IO began and ended.
func burstOf(group []engine.Interval) Burst {
	first, last := group[0], group[len(group)-1]
	b := Burst{Window: analysis.Window{StartNs: first.StartNs, EndNs: last.EndNs}, U95Ns: max(first.EndNs-first.StartNs, last.EndNs-last.StartNs) / 2}
	for _, v := range group {
		b.IOs += v.Reads + v.Writes
		b.Bytes += v.ReadBytes + v.WriteBytes
	}
	if n := len(group); n >= 3 { // else there is no interval that is full of IO
		b.StartNs = first.EndNs - taken(first, group[1])
		b.EndNs = last.StartNs + taken(last, group[n-2])
	}
	return b
}

// taken returns how long the IOs of an interval take at the rate of its neighbour.
func taken(v, beside engine.Interval) int64 {
	rate := float64(beside.Reads+beside.Writes) / float64(beside.EndNs-beside.StartNs)
	return min(v.EndNs-v.StartNs, int64(float64(v.Reads+v.Writes)/rate))
}

// Windows returns the windows of bursts, each followed by the pause before the next: as
// many as there are figures of power to be cut.
func Windows(bursts []Burst) []analysis.Window {
	var out []analysis.Window
	for i, b := range bursts {
		out = append(out, b.Window)
		if i+1 < len(bursts) {
			out = append(out, analysis.Window{StartNs: b.EndNs, EndNs: bursts[i+1].StartNs})
		}
	}
	return out
}
