package ppm

import (
	"context"
	"fmt"
	"strings"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// Decimal places of the counts of a polled stream: mV and µA, or finer where the
// module's first reply is. More would not fit an int32 (2147 V, 21 A).
const (
	voltsDecimals, voltsDecimalsMost = 3, 6
	ampsDecimals, ampsDecimalsMost   = 6, 8
)

// poller asks for one stripe a round.
type poller struct {
	m       *Module
	rails   []quarch.Rail
	outputs bool // with measure:outputs?, else channel by channel
	v, a    int  // decimal places of the counts; fixed in the first round
	readNs  int64
}

// poll is Stream on the terminal link.
func (m *Module) poll(ctx context.Context, yield func(*quarch.Block, error) bool) error {
	p := &poller{m: m}
	if err := p.prepare(ctx); err != nil {
		return unlessDone(ctx, err)
	}
	start := m.o.Now()
	m.sentNs.Store(start)
	m.ackedNs.Store(start)
	for n := uint64(0); ctx.Err() == nil; n++ {
		from := m.o.Now()
		readings, err := p.round(ctx)
		if err != nil {
			return unlessDone(ctx, err)
		}
		if n == 0 {
			p.resolve(readings)
		}
		middle := from + (p.readNs-from)/2
		b := quarch.Block{First: n, AtNs: []int64{middle}, ReadAtNs: p.readNs, Traces: p.traces(readings)}
		if !yield(&b, nil) {
			return nil
		}
	}
	return nil
}

// prepare finds out which rails there are and whether one command gives all.
func (p *poller) prepare(ctx context.Context) error {
	rails, err := p.m.rails(ctx)
	if err != nil {
		return err
	}
	p.rails = rails[:]
	reply, err := p.m.optional(ctx, "measure:outputs?")
	if err != nil {
		return err
	}
	values := wire.ParseOutputs(reply)
	p.outputs = len(values) > 0
	for _, rail := range p.rails {
		_, v := find(values, rail, wire.UnitVolts)
		_, a := find(values, rail, wire.UnitAmps)
		p.outputs = p.outputs && v && a
	}
	return nil
}

func find(values []wire.Output, rail quarch.Rail, unit wire.Unit) (wire.Quantity, bool) {
	for _, o := range values {
		if o.Rail == string(rail) && o.Quantity.Unit == unit {
			return o.Quantity, true
		}
	}
	return wire.Quantity{}, false
}

// round asks for every channel once. What cannot be read is absent.
func (p *poller) round(ctx context.Context) ([]wire.Output, error) {
	if p.outputs {
		reply, err := p.ask(ctx, "measure:outputs?")
		if err != nil {
			return nil, err
		}
		values := wire.ParseOutputs(reply)
		return values, p.demand(reply, values)
	}
	var values []wire.Output
	var last string
	for _, rail := range p.rails {
		for _, unit := range []wire.Unit{wire.UnitVolts, wire.UnitAmps} {
			cmd := fmt.Sprintf("meas:%s %s?", word(unit), rail)
			reply, err := p.ask(ctx, cmd)
			if err != nil {
				return nil, err
			}
			last = reply
			q, err := wire.ParseAs(reply, unit)
			if err != nil {
				p.m.o.Log.Warn("a reading is missing", "port", p.m.o.Port, "command", cmd, "error", err)
				continue
			}
			values = append(values, wire.Output{Rail: string(rail), Quantity: q})
		}
	}
	return values, p.demand(last, values)
}

func word(unit wire.Unit) string {
	if unit == wire.UnitVolts {
		return "volt"
	}
	return "cur"
}

// demand refuses a round without any value.
func (p *poller) demand(reply string, values []wire.Output) error {
	if len(values) > 0 {
		return nil
	}
	return fmt.Errorf("module %s: no reading can be understood; the last was %s", p.m.o.Port, quoted(reply))
}

func (p *poller) ask(ctx context.Context, cmd string) (string, error) {
	a, err := p.m.exchangeAt(ctx, cmd, false)
	p.readNs = a.atNs
	return strings.TrimSpace(a.text), err
}

// resolve takes the finest of the default and what the module prints.
func (p *poller) resolve(values []wire.Output) {
	p.v, p.a = voltsDecimals, ampsDecimals
	for _, o := range values {
		switch o.Quantity.Unit {
		case wire.UnitVolts:
			p.v = min(max(p.v, o.Quantity.Decimals), voltsDecimalsMost)
		case wire.UnitAmps:
			p.a = min(max(p.a, o.Quantity.Decimals), ampsDecimalsMost)
		}
	}
}

func (p *poller) traces(values []wire.Output) []quarch.Trace {
	traces := make([]quarch.Trace, 0, len(p.rails))
	for _, rail := range p.rails {
		traces = append(traces, quarch.Trace{
			Rail: rail,
			V:    []int32{count(values, rail, wire.UnitVolts, p.v)}, LSBVolts: lsb(p.v),
			A: []int32{count(values, rail, wire.UnitAmps, p.a)}, LSBAmps: lsb(p.a),
		})
	}
	return traces
}

func count(values []wire.Output, rail quarch.Rail, unit wire.Unit, decimals int) int32 {
	q, found := find(values, rail, unit)
	n, fits := q.Counts(decimals)
	if !found || !fits {
		return quarch.Missing
	}
	return n
}

// lsb returns 10^-decimals, correctly rounded.
func lsb(decimals int) float64 {
	x := 1.0
	for range decimals {
		x *= 10
	}
	return 1 / x
}
