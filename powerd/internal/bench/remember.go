package bench

import "powerd/powerd/internal/results"

// remembered adds to meta what is known of the bench from before: the module's
// accuracy, how long it has been on, and its zero.
func (b *bench) remembered(m *results.Meta) error {
	m.Module.RuntimeS = b.info.RuntimeS
	a := b.cfg.Accuracy
	m.Module.Calibration = results.CalibrationOf(a.GainPct, a.OffsetMA, a.OffsetMV, a.CalDate, b.info)
	if b.name == "" {
		return nil
	}
	entry, err := b.book.Read(b.name)
	m.Bench.Zero = entry.Zero // whether it holds for this module and fixture, the results judge
	return refusal(err)
}
