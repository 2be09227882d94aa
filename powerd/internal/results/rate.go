package results

import (
	"fmt"
	"math"

	"powerd/analysis/align"
)

// wanderPPM is what a module's rate is granted to move from one stream of a run to
// another: a crystal's warm-up is about 5 ppm.
const wanderPPM = 10

// prior is what is known of the module's rate before a stream is looked at. The zero
// prior knows nothing.
type prior struct {
	ppm, u95PPM float64
	from        string
}

// remembered returns the rate that the module had in an earlier run, as far as it was
// known when this one began.
func (m *Meta) remembered() prior {
	if m.Rate == nil || m.Rate.U95PPM <= 0 {
		return prior{}
	}
	return prior{m.Rate.PPM, m.Rate.U95PPM, m.Rate.From}
}

// Options says what is known of a stream of the run before its first block.
func (m *Meta) Options(periodNs int64) align.Options { return m.options(periodNs, m.remembered()) }

func (m *Meta) options(periodNs int64, rate prior) align.Options {
	return align.Options{
		PeriodNs: periodNs, TickNs: int64(m.Module.LatencyTimerMs) * 1e6,
		PriorPPM: rate.ppm, PriorU95PPM: rate.u95PPM,
		Uncounted: true, // a stream of frames has no number in it
	}
}

// besides returns what is known with the map of another stream of the run: its rate
// takes the place of what was remembered where that says less, or something else.
func (p prior) besides(m *align.Map, stream int) prior {
	here := prior{m.DriftPPM, m.DriftU95PPM + wanderPPM, fmt.Sprintf("stream %d", stream)}
	if p.u95PPM > 0 && p.u95PPM <= here.u95PPM && !p.contradicts(m) {
		return p
	}
	return here
}

// contradicts reports whether a map's own rate is another than what was known.
func (p prior) contradicts(m *align.Map) bool {
	return p.u95PPM > 0 && m.Measured && math.Abs(m.DriftPPM-p.ppm) > m.DriftU95PPM+p.u95PPM
}

// rateKnown warns where what was remembered of the module's clock cannot be right.
func (d *Document) rateKnown() {
	known := d.folder.meta.Rate
	if known == nil {
		return
	}
	if known.Fault != "" {
		d.warn("rate_not_remembered", "what is remembered of the module's clock was not used: "+known.Fault)
	}
	if s := d.folder.main(); s != nil && d.folder.meta.remembered().contradicts(s.m) {
		d.warn("rate_changed", fmt.Sprintf("the module's clock is off by %+.1f ± %.1f ppm; %+.1f ± %.1f ppm were remembered (%s) and were set aside: is it the same module?",
			s.m.DriftPPM, s.m.DriftU95PPM, known.PPM, known.U95PPM, known.From))
	}
}

// MeasuredRate is the rate of the module's clock as the main stream tells it by itself.
type MeasuredRate struct {
	PPM, U95PPM float64
	Seconds     float64 // of the stream
}

// leastRateS is how long a stream must be for its rate to be better than a remembered
// one.
const leastRateS = 60

// MeasuredRate returns the rate that is worth remembering; ok is false where the run was
// too short, or is not placed well enough.
func (d *Document) MeasuredRate() (r MeasuredRate, ok bool) {
	a := &d.Alignment.StreamAlignment
	if a.Status != align.StatusOK || !a.measured || a.DriftPPM == nil {
		return r, false
	}
	r = MeasuredRate{PPM: *a.DriftPPM, U95PPM: *a.DriftU95PPM, Seconds: float64(a.Stripes+a.LostStripes) * a.PeriodUs * 1e-6}
	return r, r.Seconds >= leastRateS
}
