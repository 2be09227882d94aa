package publish

import (
	"math"

	"powerd/analysis"
	"powerd/plots"
)

const (
	longLoadS = 60.0 // of a load whose single seconds are drawn
	tailShare = 0.7  // of its length, from where on they are drawn once more
)

// seconds draws what long loads did in each second: as a whole on a logarithmic axis, as
// a drive's cliff and its worst seconds are far apart, and the end of it from 0.
func (a *artist) seconds() {
	for _, c := range a.d.LongLoads(longLoadS) {
		n := int(math.Floor(*c.DurationS))
		w := analysis.Window{StartNs: c.StartMonoNs, EndNs: c.StartMonoNs + int64(n)*1e9}
		draw := func(v plots.View) func() (*plots.Picture, error) {
			return func() (*plots.Picture, error) {
				power := inWatts(a.waves(w.StartNs, w.EndNs, w.StartNs))
				return plots.Seconds(power, a.d.Rate("iops", w, n, w.StartNs), v, a.with(c.Step, ""))
			}
		}
		title := "Seconds of " + c.Step
		a.save(c.Step+"-seconds", title, "IOPS of each second, on a logarithmic axis. Reads and writes together.", draw(plots.View{Log: true}))
		a.save(c.Step+"-seconds-end", title+", the end", "The last 30 % of the same, on an axis that begins at 0.", draw(plots.View{FromS: math.Floor(tailShare * float64(n))}))
	}
}
