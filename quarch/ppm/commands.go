package ppm

import (
	"context"
	"fmt"
	"math"
	"strings"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// SetPower implements quarch.Module: `run:power up` or `run:power down`.
func (m *Module) SetPower(ctx context.Context, on bool) error {
	if on {
		return m.command(ctx, "run:power up")
	}
	return m.command(ctx, "run:power down")
}

// Powered asks whether the rails are on.
func (m *Module) Powered(ctx context.Context) (bool, error) {
	const cmd = "run:power?"
	reply, err := m.query(ctx, cmd)
	if err != nil {
		return false, err
	}
	switch state := strings.ToUpper(reply); {
	case strings.Contains(state, "OFF"), strings.Contains(state, "PULLED"):
		return false, nil
	case strings.Contains(state, "ON"):
		return true, nil
	}
	return false, fmt.Errorf("module %s: %s was answered %s (want ON, OFF or PULLED)", m.o.Port, cmd, wire.Quoted(reply))
}

// SelfTest asks *tst?: "OK", or what failed. An HD module fails it falsely for
// the first 5 s after a reset.
func (m *Module) SelfTest(ctx context.Context) (string, error) {
	return m.exchange(ctx, "*tst?", false)
}

// SetOutputMode chooses what the first rail is: "5V" or "3V3". An HD module takes
// about 4 s to settle.
func (m *Module) SetOutputMode(ctx context.Context, mode string) error {
	if mode != "5V" && mode != "3V3" {
		return fmt.Errorf("module %s: output mode %q is unknown (want 5V or 3V3)", m.o.Port, mode)
	}
	return m.command(ctx, "config:output:mode "+mode)
}

// OutputMode asks for it: "5V", "3V3", "DISABLED", empty where the module has
// none.
func (m *Module) OutputMode(ctx context.Context) (string, error) {
	mode, err := m.optional(ctx, "config:output:mode?")
	return strings.ToUpper(mode), err
}

func (m *Module) rails(ctx context.Context) ([2]quarch.Rail, error) {
	mode, err := m.OutputMode(ctx)
	return railsOf(mode), err
}

// railsOf returns the rails in stripe order.
func railsOf(mode string) [2]quarch.Rail {
	if mode == "3V3" {
		return [2]quarch.Rail{quarch.Rail3V3, quarch.Rail12V}
	}
	return [2]quarch.Rail{quarch.Rail5V, quarch.Rail12V}
}

// SetRailVoltage sets the voltage that a rail has when it is on, in mV: 5 V rail
// 0 to 6000, 12 V 0 to 14400, 3.3 V 0 to 3960.
func (m *Module) SetRailVoltage(ctx context.Context, rail quarch.Rail, milliVolts int) error {
	highest := map[quarch.Rail]int{quarch.Rail5V: 6000, quarch.Rail12V: 14400, quarch.Rail3V3: 3960}[rail]
	if milliVolts < 0 || milliVolts > highest {
		return fmt.Errorf("module %s: %d mV on rail %q is out of range (want 0 to %d)", m.o.Port, milliVolts, rail, highest)
	}
	return m.command(ctx, fmt.Sprintf("sig:%s:volt %d", rail, milliVolts))
}

// RailVoltage asks for the voltage that a rail is set to, in mV.
func (m *Module) RailVoltage(ctx context.Context, rail quarch.Rail) (int, error) {
	cmd := fmt.Sprintf("sig:%s:volt?", rail)
	reply, err := m.query(ctx, cmd)
	if err != nil {
		return 0, err
	}
	q, err := wire.ParseAs(reply, wire.UnitVolts)
	if err != nil {
		return 0, fmt.Errorf("module %s: %s: %w", m.o.Port, cmd, err)
	}
	return int(math.Round(q.Value * 1000)), nil
}

// Averaging asks how many base samples of 4 µs are in a stripe; 1 = none.
func (m *Module) Averaging(ctx context.Context) (int, error) {
	exponent, err := m.averaging(ctx)
	return wire.Samples(exponent), err
}

func (m *Module) averaging(ctx context.Context) (byte, error) {
	const cmd = "rec:ave?"
	reply, err := m.query(ctx, cmd)
	if err != nil {
		return 0, err
	}
	exponent, err := wire.ParseAveraging(reply)
	if err != nil {
		return 0, fmt.Errorf("module %s: %s: %w", m.o.Port, cmd, err)
	}
	return exponent, nil
}

// SetAveraging sets the base samples of a stripe: 1, 2, 4 … 32768. It is refused
// while a stream runs.
func (m *Module) SetAveraging(ctx context.Context, samples int) error {
	return m.SetPeriod(ctx, int64(samples)*wire.BasePeriodNs)
}

// SetPeriod implements quarch.Sampler. On a framed link over a serial line it
// refuses what the line cannot carry.
func (m *Module) SetPeriod(ctx context.Context, periodNs int64) error {
	exponent, ok := wire.Exponent(periodNs)
	if !ok {
		return fmt.Errorf("module %s: a period of %g µs is none that the module has (nearest: %s)", m.o.Port, float64(periodNs)/1000, nearest(periodNs))
	}
	if m.streaming.Load() {
		return fmt.Errorf("module %s: the period can be changed between two streams only", m.o.Port)
	}
	if m.identity.Link == quarch.LinkFramed {
		if err := m.checkBudget(exponent); err != nil {
			return err
		}
	}
	if err := m.command(ctx, "rec:ave "+wire.AveragingText(exponent)); err != nil {
		return err
	}
	got, err := m.averaging(ctx)
	if err == nil && got != exponent {
		err = fmt.Errorf("module %s: averaging was set to %s and reads back as %s", m.o.Port, wire.AveragingText(exponent), wire.AveragingText(got))
	}
	return err
}

// nearest names the periods on both sides of one that does not exist.
func nearest(periodNs int64) string {
	last := wire.PeriodNs(wire.MaxExponent)
	for e := byte(0); e <= wire.MaxExponent; e++ {
		p := wire.PeriodNs(e)
		switch {
		case p > periodNs && e == 0:
			return fmt.Sprintf("%d µs", p/1000)
		case p > periodNs:
			return fmt.Sprintf("%d and %d µs", wire.PeriodNs(e-1)/1000, p/1000)
		}
	}
	return fmt.Sprintf("%d µs", last/1000)
}
