package bench

import (
	"powerd/analysis/accuracy"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/results"
)

// remembered adds to meta what is known of the bench from before: the module's
// accuracy, how long it has been on, and its zero.
func (b *bench) remembered(m *results.Meta) error {
	m.Module.RuntimeS = b.info.RuntimeS
	m.Module.Calibration = calibration(b.cfg.Accuracy, b.info.Model)
	if b.name == "" {
		return nil
	}
	entry, err := b.book.Read(b.name)
	m.Bench.Zero = entry.Zero // whether it holds for this module and fixture, the results judge
	return refusal(err)
}

// calibration is the module's accuracy as its owner says, and where they say nothing
// as its family is known for.
func calibration(a config.Accuracy, model string) *results.Calibration {
	family, _ := accuracy.Assumed(model)
	c := &results.Calibration{
		GainPct: family.GainPct, OffsetMA: family.OffsetAmps * 1e3, OffsetMV: family.OffsetVolts * 1e3, CalDate: a.CalDate,
	}
	for _, given := range []struct{ from, to *float64 }{{a.GainPct, &c.GainPct}, {a.OffsetMA, &c.OffsetMA}, {a.OffsetMV, &c.OffsetMV}} {
		if given.from != nil {
			*given.to = *given.from
		} else {
			c.Assumed = true
		}
	}
	return c
}
