package plots_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/align"
	"powerd/analysis/align/aligntest"
	"powerd/plots"
)

// placed is a module in virtual time, and the map that its arrivals and the host's beacons
// give.
func placed(mod aligntest.Module, beaconS float64) plots.Placed {
	o := align.Options{PeriodNs: int64(mod.PeriodNs), TickNs: int64(mod.Link.TickNs), Uncounted: len(mod.Faults) > 0}
	known := []align.Known{align.Bound{NotBeforeNs: int64(mod.StartNs - 300e3), Kind: "stream start"}}
	if beaconS > 0 {
		for _, v := range mod.Events(aligntest.Beacon, beaconS, aligntest.Drive{LagNs: 150e3, ServiceNs: 250e3}) {
			known = append(known, align.Event{Stripe: v.Stripe, UNs: v.UNs, NotBeforeNs: v.NotBeforeNs, DoneNs: v.DoneNs, Kind: v.Kind})
		}
	}
	m := align.Solve(o, mod.Arrivals(), known...)
	w := analysis.Window{StartNs: int64(mod.StartNs) - 1e9, EndNs: int64(mod.StartNs + (mod.Seconds+1)*1e9)}
	p := m.Place(mod.Arrivals(), w, plots.Columns, w.StartNs)
	at, u := m.Offset()
	out := plots.Placed{
		Late: &p.Late, Floor: &p.Floor, U95: &p.U95, Clock: &p.Clock,
		Text: fmt.Sprintf("offset %.3f ms ± %.2f ms, rate %+.1f ± %.1f ppm, method %s, lost stripes 0", (at-float64(w.StartNs))*1e-6, u*1e-6, m.DriftPPM, m.DriftU95PPM, m.Method),
	}
	for _, e := range p.Evidence {
		out.Causes = append(out.Causes, plots.Cause{AtS: e.AtS, LateUs: e.LateUs, Kind: e.Kind})
	}
	for _, s := range m.Recounted().Steps {
		from, _ := m.Recounted().TimeOf(float64(s.At))
		to, _ := m.Recounted().TimeOf(float64(s.At) + float64(s.Stripes))
		out.Gaps = append(out.Gaps, plots.Stretch{FromS: (from - float64(w.StartNs)) * 1e-9, ToS: (to - float64(w.StartNs)) * 1e-9})
	}
	return out
}

func module(link aligntest.Link, seconds float64) aligntest.Module {
	return aligntest.Module{PeriodNs: 64e3, StartNs: 5e12, PPM: 50, WarmPPM: 5, Link: link, Stalls: true, Seed: 4, Seconds: seconds}
}

// An hour behind an adapter with a timer of 16 ms, with beacons each minute: the module
// warms up by 5 ppm.
func ExampleAlignment() {
	p, err := plots.Alignment(placed(module(aligntest.FTDI("ftdi16", 16e6), 3600), 60), footer())
	save(p, err, "testdata/alignment.png")
}

// What did not come is said and not made up: nothing to draw is an error, a clock that
// does nothing has no panel but a note, gaps and a wall clock that was set are told, and so
// is how much is beyond the frame. Whatever is not a number is left out.
func TestPlacedEdges(t *testing.T) {
	flat := func(name string, lo, mid, hi float64) *analysis.Waveform {
		return &analysis.Waveform{
			Name: name, Label: name, Unit: "µs", StepS: 1,
			Min: []float64{lo, lo, math.NaN()}, Mean: []float64{mid, mid, math.NaN()}, Max: []float64{hi, hi, math.NaN()},
		}
	}
	whole := plots.Placed{
		Late: flat("late_us", 300, 400, 80_000), Floor: flat("floor_us", 280, 280, 280), U95: flat("u95_us", -300, 0, 300), Clock: flat("clock_us", 0, 0, 0),
		Causes:  []plots.Cause{{AtS: 0.5, LateUs: -200, Kind: "beacon"}, {AtS: 1, LateUs: -1e6, Kind: "power on"}, {AtS: 1, LateUs: math.NaN()}},
		Gaps:    []plots.Stretch{{FromS: 1, ToS: 1.0001}, {FromS: -9, ToS: -8}},
		WallAtS: []float64{1.5, 99},
	}
	svg := func(a plots.Placed) string {
		t.Helper()
		p, err := plots.Alignment(a, footer())
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := p.Encode(&b, "svg"); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := svg(whole)
	for _, part := range []string{
		"arrivals: 2 of 2 points go on beyond the frame, to 80,000 µs at most", "never 20 µs off its mean rate",
		"2 of 3 causes are told too roughly for this frame, and lie below it", "dashed at 1.5 s: the wall clock was set", "red: 2 gaps in the samples",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing", part)
		}
	}
	wide := whole
	wide.U95 = flat("u95_us", math.Inf(-1), 0, math.Inf(1)) // nothing bounds it
	if _, err := plots.Alignment(wide, footer()); !errors.Is(err, plots.ErrNoData) {
		t.Errorf("without an interval: %v", err)
	}
	if _, err := plots.Alignment(plots.Placed{}, footer()); !errors.Is(err, plots.ErrNoData) {
		t.Errorf("nothing at all: %v", err)
	}
}
