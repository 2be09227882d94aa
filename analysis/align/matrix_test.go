package align

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"powerd/analysis/align/aligntest"
)

// The matrix. Each row is a module, a link, a host and what the host did, for up to an
// hour of virtual time; each second of it the map is asked for the time of a stripe and
// for its U95, and both are held against the truth.
//
// What every row must reach: the truth inside ± U95 in 99 % of the seconds, and status
// ok only where no U95 is above a millisecond. What a group of rows must reach beside
// that stands with the group.
//
// The columns: p95 and max of the error in µs, share of seconds inside ± U95 in %,
// median U95 in µs, that over the root mean square of the error, how many times worse
// what others do is (see usual), status.

// group is rows of one claim.
type group struct {
	name     string
	p95, max float64 // ns; 0 = none asked
	status   string  // that all must have; empty = what they come to
	rows     []scenario
}

const us, ms = 1e3, 1e6

func allLinks() []string  { return []string{"usbcdc", "tcp", "ftdi1", "ftdi16", "locked16", "exp5+16"} }
func fastLinks() []string { return []string{"usbcdc", "tcp", "ftdi1"} }
func ppms() []float64     { return []float64{-200, -50, 0, 50, 200} }

// hour is what the rows of a group have in common.
func hour(link string, ppm float64) scenario {
	return scenario{
		link: link, periodUs: 64, ppm: ppm, warm: true, stalls: true, loss: "none", clock: "still",
		seconds: 3600, events: aligntest.None, everyS: 60, lagUs: 150, seed: 1,
	}
}

// rows returns a row for each link and rate, as change makes it.
func rows(links []string, ppms []float64, change func(*scenario)) (out []scenario) {
	for _, link := range links {
		for _, ppm := range ppms {
			s := hour(link, ppm)
			s.seed = uint64(len(out))
			change(&s)
			out = append(out, s)
		}
	}
	return out
}

// groups returns the corners of what is claimed; few = those that stand for the others.
func groups(few bool) []group {
	all, fast, rates := allLinks(), fastLinks(), ppms()
	if few {
		rates = []float64{-200, 50}
	}
	others := rates
	if few {
		others = rates[:1]
	}
	caused := func(kind string, everyS, lagUs float64) func(*scenario) {
		return func(s *scenario) { s.events, s.everyS, s.lagUs = kind, everyS, lagUs }
	}
	short := func(kind string, lagUs float64) func(*scenario) {
		return func(s *scenario) {
			s.events, s.everyS, s.seconds, s.remembered, s.lagUs = kind, 5, 10, true, lagUs
		}
	}
	// Here the lag of the drive is that of most flash drives. Where the timer is locked
	// and no drift unlocks it, U95 is as wide as the timer, though the error is small.
	g := []group{
		{"beacons, lag 150 us", 120 * us, 250 * us, "", rows(all, rates, caused(aligntest.Beacon, 60, 150))},
		{"beacons, lag 20 us", 120 * us, 250 * us, "", rows(all, others, caused(aligntest.Beacon, 60, 20))},
		{"markers", 120 * us, 250 * us, "", rows(all, others, caused(aligntest.Marker, 1, 0))},
		{"arrivals alone, offline", 150 * us, 200 * us, StatusOK, rows(fast, rates, func(*scenario) {})},
		{"arrivals alone, online", 150 * us, 200 * us, "", rows(fast, rates, func(s *scenario) { s.causal, s.remembered = true, true })},
		{"arrivals alone, 16 ms timer", 0.8 * ms, 1.5 * ms, "", rows([]string{"ftdi16"}, rates, func(*scenario) {})},
		{"arrivals alone, locked timer", 0, 0, StatusDegraded, rows([]string{"locked16"}, rates, func(*scenario) {})},
		{"arrivals alone, slow module", 0, 0, StatusDegraded, rows([]string{"exp5+16"}, rates, func(*scenario) {})},
		{"natural starts and stops", 0, 0, "", rows(all, []float64{50}, caused(aligntest.Natural, 30, 150))},
		{"10 s, rate remembered", 150 * us, 0, "", rows([]string{"usbcdc", "tcp"}, rates, short(aligntest.None, 0))},
		{"10 s, 8 beacon edges, lag 100 us", 120 * us, 0, "", rows(all, others, short(aligntest.Beacon, 100))},
		{"10 s, 8 beacon edges, lag 200 us", 120 * us, 0, "", rows(all, others, short(aligntest.Beacon, 200))},
	}
	for _, lag := range []float64{400, 2000} {
		g = append(g, group{fmt.Sprintf("beacons, lag %g us", lag), 0, 0, "", rows(all, []float64{50}, caused(aligntest.Beacon, 60, lag))})
	}
	return g
}

// check returns what a row falls short of.
func (g group) check(o outcome) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if o.coverage < 0.99 {
		fault("the truth is inside U95 in %.2f %% of the seconds", 100*o.coverage)
	}
	if g.p95 > 0 && o.p95 > g.p95 {
		fault("p95 is %.0f us, may be %.0f", o.p95*1e-3, g.p95*1e-3)
	}
	if g.max > 0 && o.settled > g.max {
		fault("max is %.0f us, may be %.0f", o.settled*1e-3, g.max*1e-3)
	}
	if o.link == "locked16" && o.m.Status == StatusDegraded && o.m.hidesNs > 8*ms && !strings.Contains(o.m.Reason, "latency timer") && len(o.m.Steps) == 0 {
		fault("the timer hides %.1f ms, and nobody says so: %s", o.m.hidesNs*1e-6, o.m.Reason)
	}
	if g.status != "" && o.m.Status != g.status {
		fault("status %s (%s), must be %s", o.m.Status, o.m.Reason, g.status)
	}
	if o.m.Status == StatusOK && o.m.HalfWidthNs() > 1*ms {
		fault("status ok with a U95 of %.0f us", o.m.HalfWidthNs()*1e-3)
	}
	return faults
}

// TestMatrix holds the corners, and with POWERD_TEST_LONG=1 all of them and a covering
// array over all conditions: each pair of two conditions is in one of its rows at least.
func TestMatrix(t *testing.T) {
	long := os.Getenv("POWERD_TEST_LONG") == "1"
	all := groups(!long)
	if long {
		for seed := range uint64(4) {
			all = append(all, group{name: fmt.Sprintf("all pairs of conditions, array %d", seed+1), rows: covering(seed)})
		}
	}
	n := 0
	var ok pool
	for _, g := range all {
		var lines []string
		var in pool
		for _, s := range g.rows {
			o := s.run(nil)
			n++
			lines = append(lines, o.row())
			for _, f := range g.check(o) {
				t.Errorf("%s: %s: %s", g.name, s, f)
				lines[len(lines)-1] += "  <<< " + f
			}
			if o.m.Status == StatusOK {
				in.add(o)
				ok.add(o)
			}
		}
		t.Logf("%s%s\n%s\n%s", g.name, in, head(), strings.Join(lines, "\n"))
	}
	t.Logf("%d rows; where status is ok:%s", n, ok)
	if long && n < 300 {
		t.Errorf("%d rows, must be 300", n)
	}
	if r := ok.ratio(); r > 4 {
		t.Errorf("where status is ok, median U95 is %.1f times the error", r)
	}
}

// pool is the seconds of many rows.
type pool struct{ errors, halves []float64 }

func (p *pool) add(o outcome) {
	for i := 0; i < len(o.errors); i += 1 + len(o.errors)/60 { // each row weighs the same
		p.errors, p.halves = append(p.errors, o.errors[i]), append(p.halves, o.halves[i])
	}
}

func (p pool) ratio() float64 { return median(append([]float64(nil), p.halves...)) / rms(p.errors) }

func (p pool) String() string {
	if len(p.errors) == 0 {
		return ""
	}
	return fmt.Sprintf(" (median U95 over rms error: %.1f)", p.ratio())
}

// factors are the conditions and their values.
func factors() [][]func(*scenario) {
	var out [][]func(*scenario)
	add := func(values ...func(*scenario)) { out = append(out, values) }
	each := func(n int, set func(*scenario, int)) {
		var values []func(*scenario)
		for i := range n {
			values = append(values, func(s *scenario) { set(s, i) })
		}
		add(values...)
	}
	each(6, func(s *scenario, i int) { s.link = allLinks()[i] })
	each(5, func(s *scenario, i int) { s.periodUs = []float64{4, 64, 256, 1024, 4096}[i] })
	each(5, func(s *scenario, i int) { s.ppm = ppms()[i] })
	each(4, func(s *scenario, i int) { s.loss = []string{"none", "stripe", "block", "64ms"}[i] })
	each(4, func(s *scenario, i int) {
		s.events = []string{aligntest.None, aligntest.Natural, aligntest.Beacon, aligntest.Marker}[i]
	})
	each(4, func(s *scenario, i int) { s.lagUs = []float64{20, 150, 400, 2000}[i] })
	each(3, func(s *scenario, i int) { s.seconds = []float64{10, 60, 3600}[i] })
	each(3, func(s *scenario, i int) { s.clock = []string{"still", "step", "slew"}[i] })
	each(2, func(s *scenario, i int) { s.warm = i == 1 })
	each(2, func(s *scenario, i int) { s.stalls = i == 1 })
	each(2, func(s *scenario, i int) { s.remembered = i == 1 })
	return out
}

// covering returns rows in which each value of a factor meets each value of every other.
func covering(seed uint64) []scenario {
	r := rand.New(rand.NewPCG(seed, 5))
	f := factors()
	type pair struct{ i, a, j, b int }
	open := map[pair]bool{}
	for i := range f {
		for j := range i {
			for a := range f[i] {
				for b := range f[j] {
					open[pair{i, a, j, b}] = true
				}
			}
		}
	}
	var out []scenario
	for len(open) > 0 {
		var best []int
		most := -1
		for range 60 { // of many rows drawn, the one that meets most pairs
			row := make([]int, len(f))
			for i := range f {
				row[i] = r.IntN(len(f[i]))
			}
			n := 0
			for i := range f {
				for j := range i {
					if open[pair{i, row[i], j, row[j]}] {
						n++
					}
				}
			}
			if n > most {
				best, most = row, n
			}
		}
		for i := range f {
			for j := range i {
				delete(open, pair{i, best[i], j, best[j]})
			}
		}
		if most == 0 {
			continue
		}
		s := scenario{seed: seed*1000 + uint64(len(out))}
		for i := range f {
			f[i][best[i]](&s)
		}
		s.everyS = map[float64]float64{10: 5, 60: 20, 3600: 60}[s.seconds]
		if s.events == aligntest.Marker {
			s.everyS = 1
		}
		out = append(out, s)
	}
	return out
}
