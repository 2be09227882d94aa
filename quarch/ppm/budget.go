package ppm

import (
	"fmt"

	"powerd/quarch/wire"
)

// lineShare is how much of a serial line a stream may fill, in percent: the rest
// is for framing, replies, and catching up.
const lineShare = 80

// CheckLine refuses to send wantHz samples of the given size over a serial line
// (10 bits a byte) that would be filled to more than 80 %; the error names the
// highest rate that fits.
func CheckLine(baud, sampleBytes int, wantHz float64) error {
	carried := float64(baud) / 10
	needed := wantHz * float64(sampleBytes)
	if needed <= carried*lineShare/100 {
		return nil
	}
	return fmt.Errorf("%.6g samples/s of %d bytes need %.6g B/s, %d baud carry %.6g B/s: over %d %% (highest rate that fits: %.6g samples/s)",
		wantHz, sampleBytes, needed, baud, carried, lineShare, carried*lineShare/100/float64(sampleBytes))
}

// checkBudget refuses an averaging whose stream is too fast for the line.
func (m *Module) checkBudget(exponent byte) error {
	if m.o.BaudForBudget == 0 {
		return nil
	}
	size := wire.MaskAll.StripeBytes()
	err := CheckLine(m.o.BaudForBudget, size, 1e9/float64(wire.PeriodNs(exponent)))
	if err == nil {
		return nil
	}
	for e := exponent + 1; e <= wire.MaxExponent; e++ {
		if CheckLine(m.o.BaudForBudget, size, 1e9/float64(wire.PeriodNs(e))) == nil {
			return fmt.Errorf("module %s: averaging %s: %w; the lowest averaging that fits is %s (%.6g samples/s)",
				m.o.Port, wire.AveragingText(exponent), err, wire.AveragingText(e), 1e9/float64(wire.PeriodNs(e)))
		}
	}
	return fmt.Errorf("module %s: averaging %s: %w; no averaging fits", m.o.Port, wire.AveragingText(exponent), err)
}
