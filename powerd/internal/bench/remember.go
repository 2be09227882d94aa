package bench

import (
	"fmt"
	"time"

	"powerd/analysis/align"
	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/results"
)

// remembered adds to meta what is known of the bench from before: the module's
// accuracy, how long it has been on, how far off its clock is, and its zero.
func (b *bench) remembered(m *results.Meta) error {
	m.Module.RuntimeS = b.info.RuntimeS
	a := b.cfg.Accuracy
	m.Module.Calibration = results.CalibrationOf(a.GainPct, a.OffsetMA, a.OffsetMV, a.CalDate, b.info)
	m.Rate = knownRate(b.book, m)
	if m.Rate != nil && m.Rate.Fault != "" {
		b.warn("what is remembered of the module's clock is not used", m.Rate.Fault)
	}
	if b.name == "" {
		return nil
	}
	entry, err := b.book.Read(b.name)
	m.Bench.Zero = entry.Zero // whether it holds for this module and fixture, the results judge
	return refusal(err)
}

// knownRate returns what is remembered of the module's clock by the time of the run; nil
// if nothing is. What cannot be read is said in its place: a run goes on without it.
func knownRate(book *benchbook.Book, m *results.Meta) *results.KnownRate {
	if m.Module.Serial == "" {
		return nil
	}
	r, err := book.Rate(m.Module.Serial)
	switch {
	case err != nil:
		return &results.KnownRate{Fault: err.Error()}
	case r == nil || r.Simulated != m.Suite.Simulated:
		return nil
	}
	ppm, u95 := r.Now(clock.UTC(m.Start), warm(m))
	return &results.KnownRate{PPM: ppm, U95PPM: u95, From: fmt.Sprintf("%s, run %s", r.DateUTC, r.Run)}
}

// warm reports whether the module's warm-up was over when the run began, as far as is
// known.
func warm(m *results.Meta) bool {
	s := m.Module.RuntimeS
	return s != nil && *s >= align.WarmAfter.Seconds()
}

// rememberRate keeps the rate of the module's clock for the runs to come, if this one
// tells it.
func (b *bench) rememberRate(m *results.Meta, d *results.Document) {
	r, ok := d.MeasuredRate()
	if !ok || m.Module.Serial == "" {
		return
	}
	err := b.book.Remember(m.Module.Serial, benchbook.Rate{
		DriftPPM: r.PPM, DriftU95PPM: r.U95PPM, DateUTC: clock.UTC(m.Start).Format(time.RFC3339), Run: m.Run.ID,
		Seconds: r.Seconds, Warm: warm(m), Simulated: m.Suite.Simulated,
	})
	if err != nil {
		b.warn("the rate of the module's clock is not remembered", err.Error())
	}
}

// warn tells what is the matter and is no reason to stop.
func (b *bench) warn(what, why string) {
	if b.log != nil {
		b.log.Warn(what, "module", b.info.Serial, "reason", why)
	}
}
