package results

import (
	"fmt"
	"time"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/quarch"
)

const (
	warmUpS      = 600 // until a module is as accurate as its sheet says
	calibratedBy = 365 * 24 * time.Hour
)

// CalibrationOf returns a module's accuracy: as its owner gives it, and as its family
// is verified to where a figure is nil. calDate is YYYY-MM-DD, "" = not known.
func CalibrationOf(gainPct, offsetMA, offsetMV *float64, calDate string, info quarch.Info) *Calibration {
	s, _ := accuracy.Assumed(info.Model)
	c := &Calibration{GainPct: s.GainPct, OffsetMA: s.OffsetAmps * 1e3, OffsetMV: s.OffsetVolts * 1e3, CalDate: calDate}
	for _, part := range []struct {
		given *float64
		into  *float64
	}{{gainPct, &c.GainPct}, {offsetMA, &c.OffsetMA}, {offsetMV, &c.OffsetMV}} {
		if part.given == nil {
			c.Assumed = true
		} else {
			*part.into = *part.given
		}
	}
	return c
}

// accuracyKnown sees to it that the module's accuracy is known, if only assumed, and
// says what speaks against it. An emulated module has none of these faults.
func (d *Document) accuracyKnown() {
	m := &d.Module
	if m.Calibration == nil {
		m.Calibration = CalibrationOf(nil, nil, nil, "", quarch.Info{Model: m.Model})
	}
	if d.Suite.Simulated {
		return
	}
	if c := m.Calibration; c.Assumed {
		_, origin := accuracy.Assumed(m.Model)
		d.warn("accuracy_assumed", fmt.Sprintf("the module's accuracy was not given in full: %g %% + %g mA, %g mV are reckoned with, %s",
			c.GainPct, c.OffsetMA, c.OffsetMV, origin))
	}
	if on, err := time.Parse(time.DateOnly, m.Calibration.CalDate); err == nil {
		if at, err := time.Parse(time.RFC3339Nano, d.Run.StartedUTC); err == nil && at.Sub(on) > calibratedBy {
			d.warn("calibration_old", fmt.Sprintf("the module was calibrated on %s, more than a year before this run", m.Calibration.CalDate))
		}
	}
	if s := m.RuntimeS; s != nil && *s < warmUpS {
		d.warn("module_cold", fmt.Sprintf("the module had been on for %s s when the run began; it is accurate after %d", analysis.Decimal(*s, 0), warmUpS))
	}
}
