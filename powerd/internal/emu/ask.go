package emu

import (
	"math"

	"powerd/powerd/internal/catalog"
)

// aroundNs is how far beside a window IO is looked for, so that a window in the
// wrong place shows.
const aroundNs = 100_000_000

// aboveNs is the mean that is held against limits.
const aboveNs = 10_000_000

// truth asks the twin's model.
func truth(t *catalog.Twin, q Request) Truth {
	out := Truth{
		Scale: t.Drive.Scale(), Cycles: []PowerUp{}, Steps: []StepTruth{}, Windows: []WindowTruth{}, Edges: []Edge{},
		Intervals: intervals(t.Drive, q), Losses: []Loss{}, LateIOs: t.Drive.Late(),
	}
	out.streams(t.Module.Streams(), q)
	if q.Idle != nil && q.Idle.EndMonoNs > q.Idle.StartMonoNs { // there is no mean of nothing
		w := window(t.Drive, *q.Idle)
		out.Idle = &Idle{Rail5VW: w.RailsW["5v"], Rail12VW: w.RailsW["12v"], TotalW: w.MeanW}
	}
	for _, c := range q.Cycles {
		if p := powerUp(t.Drive, c); p != nil {
			out.Cycles = append(out.Cycles, *p)
		}
	}
	out.Inrush = inrush(t.Drive, q.StartedMonoNs, out.Cycles)
	for _, w := range q.Steps {
		out.Steps = append(out.Steps, served(t.Drive, w))
	}
	for _, w := range q.Windows {
		out.Windows = append(out.Windows, window(t.Drive, w))
	}
	for _, e := range t.Drive.Edges() {
		if e.EndNs >= q.StartedMonoNs {
			out.Edges = append(out.Edges, Edge{
				Rail: e.Rail, StartMonoNs: e.StartNs, EndMonoNs: e.EndNs, FromV: e.FromVolts, ToV: e.ToVolts, Off: e.Off,
			})
		}
	}
	return out
}

// streams tells of the module's streams: their clocks, and what was lost of them.
func (t *Truth) streams(streams []catalog.StreamTruth, q Request) {
	n := 0
	for _, s := range streams {
		if s.StartNs < q.StartedMonoNs { // before the run, to show what hangs on the module
			continue
		}
		n++
		c := Clock{
			Stream: n, OffsetS: float64(s.StartNs-q.StartedMonoNs) * 1e-9, DriftPPM: s.DriftPPM,
			Stripes: s.Stripes, Overrun: s.Overrun,
		}
		t.Clocks = append(t.Clocks, c)
		if c.Stream == q.Stream {
			t.Clock = c
		}
		for _, l := range s.Losses {
			t.Losses = append(t.Losses, Loss{Stream: n, FromStripe: l.Index, Stripes: l.Stripes, What: l.What})
		}
	}
}

// window is what the drive did in a window.
func window(d *catalog.Drive, w Window) WindowTruth {
	e := d.Truth(w.StartMonoNs, w.EndMonoNs)
	out := WindowTruth{
		Step: w.Step, StartMonoNs: w.StartMonoNs, EndMonoNs: w.EndMonoNs, FirstIOMonoNs: e.FirstIONs, LastIOMonoNs: e.LastIONs,
		IOs: e.IOs, Reads: e.Reads, Writes: e.Writes, Bytes: e.Bytes, EdgeIOs: e.EdgeIOs, EnergyJ: e.EnergyJ, MeanW: e.MeanW,
	}
	out.LatencyUs = latencyUs(&e)
	if s := float64(w.EndMonoNs-w.StartMonoNs) * 1e-9; s > 0 {
		out.RailsW = map[string]float64{"5v": e.Energy5VJ / s, "12v": e.Energy12VJ / s}
	}
	return out
}

// latencyUs is for how long the IOs of a window were in the drive; nil if there were none.
func latencyUs(e *catalog.WindowTruth) *LatencyTruth {
	if e.IOs == 0 {
		return nil
	}
	out := &LatencyTruth{Mean: (e.ReadsNs + e.WritesNs) / float64(e.IOs) * 1e-3, Max: e.LongestNs * 1e-3}
	if e.Reads > 0 {
		out.ReadMean = e.ReadsNs / float64(e.Reads) * 1e-3
	}
	if e.Writes > 0 {
		out.WriteMean = e.WritesNs / float64(e.Writes) * 1e-3
	}
	return out
}

// served is what the drive did in a load's window; first and last IO and current are
// those of the load that the window stands for, be they inside or beside it; IO of a ramp
// is no part of it.
func served(d *catalog.Drive, w Window) StepTruth {
	out := StepTruth{WindowTruth: window(d, w)}
	from := w.StartMonoNs - aroundNs
	if w.Ramped {
		from = w.StartMonoNs
	}
	around := d.Truth(from, w.EndMonoNs+aroundNs)
	out.FirstIOMonoNs, out.LastIOMonoNs = around.FirstIONs, around.LastIONs
	if spells := d.Spells(from, w.EndMonoNs+aroundNs); len(spells) > 0 {
		out.FirstCurrentMonoNs, out.LastCurrentMonoNs = spells[0].FirstNs, spells[len(spells)-1].EndNs
	}
	return out
}

// mostIntervals bounds their list.
const mostIntervals = 10_000

// intervals are those of a run that had IO.
func intervals(d *catalog.Drive, q Request) Intervals {
	out := Intervals{LengthS: 1, Rows: []Interval{}}
	if q.EndedMonoNs <= q.StartedMonoNs {
		return out
	}
	seconds := (q.EndedMonoNs - q.StartedMonoNs + 1e9 - 1) / 1e9
	out.LengthS = (seconds + mostIntervals - 1) / mostIntervals
	for s := int64(0); s < seconds; s += out.LengthS {
		from := q.StartedMonoNs + s*1e9
		if e := d.Truth(from, min(from+out.LengthS*1e9, q.EndedMonoNs)); e.IOs > 0 {
			out.Rows = append(out.Rows, Interval{StartMonoNs: from, Reads: e.Reads, Writes: e.Writes, Bytes: e.Bytes, EnergyJ: e.EnergyJ})
		}
	}
	return out
}

// inrush is the first power-up of the run: that of the results, or one that they have
// nothing of.
func inrush(d *catalog.Drive, sinceNs int64, cycles []PowerUp) *PowerUp {
	if len(cycles) > 0 {
		return &cycles[0]
	}
	var spec catalog.InrushSpec
	for _, us := range []float64{20, 100, 1e3, 10e3, 100e3, 500e3} {
		spec.WindowsNs = append(spec.WindowsNs, nsOf(us))
	}
	for _, t := range d.Inrushes(spec) {
		if t.OnNs >= sinceNs {
			return newPowerUp("", &t)
		}
	}
	return nil
}

// powerUp is the last power-up of a cycle's window, as the results take it; nil if there
// is none in which the drive came to life.
func powerUp(d *catalog.Drive, c Cycle) *PowerUp {
	spec := catalog.InrushSpec{
		FromNs: c.StartMonoNs, ToNs: c.EndMonoNs, Limits5VAmps: c.LimitsA["5v"], Limits12VAmps: c.LimitsA["12v"], LimitWindowNs: aboveNs,
	}
	for _, us := range c.WindowsUs {
		spec.WindowsNs = append(spec.WindowsNs, nsOf(us))
	}
	all := d.Inrushes(spec)
	if len(all) == 0 {
		return nil
	}
	return newPowerUp(c.Step, &all[len(all)-1])
}

func nsOf(us float64) int64 { return int64(math.Round(us * 1e3)) }

func newPowerUp(step string, t *catalog.InrushTruth) *PowerUp {
	return &PowerUp{
		Step: step, OnMonoNs: t.OnNs, FirstMonoNs: t.FirstNs, UVLOMonoNs: t.UVLONs, UVLOV: t.UVLOVolts, EndMonoNs: t.EndNs,
		ReadyS: t.ReadyS, EnergyToReadyJ: t.EnergyToReadyJ,
		Rails: map[string]Current{"5v": newCurrent(&t.Rail5V), "12v": newCurrent(&t.Rail12V)}, Total: newCurrent(&t.Total),
	}
}

func newCurrent(r *catalog.RailInrush) Current {
	c := Current{Peaks: []Peak{}, ChargeC: r.ChargeC, EnergyJ: r.EnergyJ}
	for _, p := range r.Peaks {
		c.Peaks = append(c.Peaks, Peak{WindowUs: float64(p.WindowNs) * 1e-3, Amps: p.Amps, AtS: p.AmpsAtS, Watts: p.Watts, WattsAtS: p.WattsAtS})
	}
	for _, a := range r.Above {
		c.Above = append(c.Above, Above{LimitA: a.LimitAmps, FirstS: a.FirstS, LastS: a.LastS, TotalS: a.TotalS})
	}
	return c
}
