package align

import (
	"math"
	"testing"

	"powerd/analysis"
	"powerd/quarch"
)

// Blocks of 10 ms come 400 µs after their end, but every third one 5 ms later, and the
// stream was asked for 100 µs before it began: the map lies in the middle, 250 µs below
// the line under the arrivals. So in each column of half a second the earliest is 250 µs
// from the map, the latest 5250 µs, and their mean 250 + 5000/3 to within the last block.
// The cause is 350 µs before where it is seen: the map is 250 µs late at stripe 0, too.
func TestPlacementInColumns(t *testing.T) {
	const period, n = 64_000, 156 // stripes a block
	const startNs = int64(5e12)
	var all []quarch.Arrival
	for i := range uint64(3000) {
		late := int64(400e3)
		if i%3 == 1 {
			late += 5e6
		}
		all = append(all, quarch.Arrival{First: i * n, N: n, ReadAtNs: startNs + int64((i+1)*n*period) + late})
	}
	arrivals := func(yield func(quarch.Arrival) bool) {
		for _, a := range all {
			if !yield(a) {
				return
			}
		}
	}
	m := Solve(Options{PeriodNs: period}, arrivals, Bound{NotBeforeNs: startNs - 100e3, Kind: "stream start"})
	w := analysis.Window{StartNs: startNs - 1e9, EndNs: startNs + 29e9}
	p := m.Place(arrivals, w, 60, startNs)
	if p.Late.StartS != -1 || p.Late.StepS != 0.5 || !math.IsNaN(p.Late.Mean[0]) || len(p.U95.Max) != 60 {
		t.Fatalf("from %g s in steps of %g s, %d columns", p.Late.StartS, p.Late.StepS, len(p.U95.Max))
	}
	near := func(what string, got, want, within float64) {
		t.Helper()
		if !(math.Abs(got-want) <= within) {
			t.Errorf("%s is %.1f µs, want %.1f", what, got, want)
		}
	}
	floorUs, _ := m.TimeOf(0)
	floorUs = (float64(startNs) + 400e3 - floorUs) * 1e-3 // by the map itself: the scatter that a floor is credited with moves it
	near("the floor", floorUs, 250, 60)
	for i := 3; i < 59; i += 11 {
		near("the earliest", p.Late.Min[i], floorUs, 1)
		near("the latest", p.Late.Max[i], floorUs+5000, 1)
		near("the mean", p.Late.Mean[i], floorUs+5000/3.0, 5000.0/50)
		near("the line under them", p.Floor.Mean[i], floorUs, 1)
		near("the clock", p.Clock.Mean[i], 0, 1)
		_, u := m.TimeOf(m.IndexAt(float64(w.StartNs) + (float64(i)+0.5)*0.5e9))
		near("U95", p.U95.Max[i], u*1e-3, 0.1)
	}
	if len(p.Evidence) != 1 || p.Evidence[0].Kind != "stream start" {
		t.Fatalf("%+v", p.Evidence)
	}
	near("the cause", p.Evidence[0].LateUs, floorUs-500, 1)
}
