package window

import (
	"powerd/analysis"
	"powerd/engine"
)

// Intervals reduces an engine's intervals to the waveforms "iops" and "mb_per_s"
// (MB = 10⁶ B) on the same columns as a Decimator's. An interval's counts are
// taken as even over it. A column that no interval touches holds NaN.
func Intervals(w analysis.Window, columns int, originNs int64, intervals []engine.Interval) []analysis.Waveform {
	iops := newTrace("iops", "IOPS", "IOPS", columns)
	mb := newTrace("mb_per_s", "Throughput", "MB/s", columns)
	step := float64(w.EndNs-w.StartNs) / float64(columns)
	for _, v := range intervals {
		length := float64(v.EndNs - v.StartNs)
		if length <= 0 {
			continue
		}
		from, to := float64(v.StartNs-w.StartNs), float64(v.EndNs-w.StartNs)
		for c := max(0, int(from/step)); c < columns && float64(c)*step < to; c++ {
			share := min(to, float64(c+1)*step) - max(from, float64(c)*step)
			if share <= 0 {
				continue
			}
			iops.putWeighted(c, float64(v.Reads+v.Writes)/length*1e9, share)
			mb.putWeighted(c, float64(v.ReadBytes+v.WriteBytes)/length*1e3, share)
		}
	}
	return []analysis.Waveform{iops.waveform(w, originNs), mb.waveform(w, originNs)}
}
