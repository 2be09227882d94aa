package compare

import (
	"fmt"
	"slices"
	"strconv"

	"powerd/analysis"
	"powerd/analysis/inrush"
	"powerd/quarch"
)

const totalRail = "total"

// startUps matches what runs did at power-up. Of several cycles the highest counts, with
// its own ±.
func (r *Result) startUps(o Options) {
	has := make([]bool, len(r.runs))
	for i, run := range r.runs {
		has[i] = len(run.Cycles) > 0
	}
	if n := count(has); n == 0 {
		return
	}
	r.miss("start-up", has, "")
	if count(has) < 2 {
		return
	}
	for _, rail := range r.railsAtStart() {
		r.peaks(o, rail, "amps", "Peak current", "A", func(p inrush.Peak) (*float64, *float64) { return p.Amps, p.U95A })
		r.start(o, "charge", rail, 0, "charge_c", "Charge", "C", func(c *inrush.Cycle) (*float64, *float64) {
			x := c.Rails[rail]
			if x == nil {
				return nil, nil
			}
			return x.ChargeC, x.ChargeU95C
		})
		r.start(o, "draws current from", rail, 0, "start_v", "Start voltage", "V", func(c *inrush.Cycle) (*float64, *float64) {
			x := c.Rails[rail]
			if x == nil {
				return nil, nil
			}
			return x.StartV, x.StartU95V
		})
	}
	r.peaks(o, totalRail, "watts", "Peak power", "W", func(p inrush.Peak) (*float64, *float64) { return p.Watts, p.U95W })
	r.start(o, "time to ready", totalRail, 0, "time_to_ready_s", "Time to ready", "s", func(c *inrush.Cycle) (*float64, *float64) { return c.TimeToReadyS, c.TimeToReadyU95S })
	r.start(o, "energy to ready", totalRail, 0, "energy_to_ready_j", "Energy to ready", "J", func(c *inrush.Cycle) (*float64, *float64) { return c.EnergyToReadyJ, c.EnergyToReadyU95J })
}

func (r *Result) railsAtStart() []quarch.Rail {
	all := map[quarch.Rail]*struct{}{}
	for _, run := range r.runs {
		for _, c := range run.Cycles {
			for rail := range c.Rails {
				all[rail] = nil
			}
		}
	}
	var out []quarch.Rail
	for rail := range quarch.ByRail(all) {
		out = append(out, rail)
	}
	return out
}

// peaks matches the peaks of a rail over each window that two runs have.
func (r *Result) peaks(o Options, rail quarch.Rail, name, head, unit string, of func(inrush.Peak) (x, u95 *float64)) {
	for _, us := range r.windowsAtStart(rail) {
		r.start(o, "peak", rail, us, name, head, unit, func(c *inrush.Cycle) (*float64, *float64) {
			for _, p := range peaksOf(c, rail) {
				if p.WindowUs == us {
					return of(p)
				}
			}
			return nil, nil
		})
	}
}

func (r *Result) windowsAtStart(rail quarch.Rail) []float64 {
	var out []float64
	for _, run := range r.runs {
		for _, c := range run.Cycles {
			for _, p := range peaksOf(c, rail) {
				if !slices.Contains(out, p.WindowUs) {
					out = append(out, p.WindowUs)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

func peaksOf(c *inrush.Cycle, rail quarch.Rail) []inrush.Peak {
	switch x := c.Rails[rail]; {
	case rail == totalRail && c.Total != nil:
		return c.Total.Peaks
	case x != nil:
		return x.Peaks
	}
	return nil
}

// start takes a figure of the power-ups that two runs have.
func (r *Result) start(o Options, what string, rail quarch.Rail, windowUs float64, name, head, unit string, of func(*inrush.Cycle) (x, u95 *float64)) {
	f := Figure{Name: name, Head: head, Unit: unit}
	n := 0
	for _, run := range r.runs {
		v := Value{Why: notInRun}
		for _, c := range run.Cycles {
			x, u := of(c)
			if x != nil && (v.Value == nil || *x > *v.Value) {
				v = Value{Value: x, U95: u}
			}
		}
		if v.Value != nil {
			n++
		} else if windowUs > 0 && len(run.Cycles) > 0 {
			v.Why = fmt.Sprintf("its samples are of %s", micros(run.Cycles[0].ResolutionUs))
		}
		f.Values = append(f.Values, v)
	}
	if n < 2 {
		return
	}
	f.judge(o, r.runs, func(*Run) string { return "" })
	title := what
	if windowUs > 0 {
		title += " over " + micros(windowUs)
	}
	r.StartUp = append(r.StartUp, &Match{Name: title, Rail: string(rail), WindowUs: windowUs, Figures: []Figure{f}})
}

// micros writes a time that is given in µs: "100 µs", "10 ms".
func micros(us float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e6, "s"}, {1e3, "ms"}} {
		if us >= u.size {
			return strconv.FormatFloat(us/u.size, 'g', 4, 64) + " " + u.name
		}
	}
	return strconv.FormatFloat(us, 'g', 4, 64) + " µs"
}

// railLabel writes a rail, or all of them, as people do.
func railLabel(rail string) string {
	if rail == totalRail || rail == "" {
		return rail
	}
	return analysis.RailLabel(quarch.Rail(rail))
}
