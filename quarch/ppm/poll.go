package ppm

import (
	"context"
	"errors"
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

// blankRounds in a row, rounds without any value, end a polled stream: it is more
// than the line that is wrong.
const blankRounds = 5

// poller asks for one stripe a round.
type poller struct {
	m       *Module
	rails   []quarch.Rail
	outputs bool // with measure:outputs?, else channel by channel
	v, a    int  // decimal places of the counts; fixed in the first round
	readNs  int64
	blank   int   // rounds in a row without a value
	missing int64 // readings and rounds without a value, all told
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
		if readings, err = p.judge(ctx, readings, err); err != nil {
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
				p.lacks(fmt.Errorf("%s: %w", cmd, err))
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

// errBlank says that a round was answered and gave no value.
var errBlank = errors.New("no reading can be understood")

func (p *poller) demand(reply string, values []wire.Output) error {
	if len(values) > 0 {
		return nil
	}
	return fmt.Errorf("module %s: %w; the last was %s", p.m.o.Port, errBlank, wire.Quoted(reply))
}

// judge says whether the stream goes on after a round. A damaged or late reply
// costs its whole round: the readings of one stripe must be of one time.
func (p *poller) judge(ctx context.Context, values []wire.Output, err error) ([]wire.Output, error) {
	var silent *timeoutError
	switch late := errors.As(err, &silent); {
	case err == nil:
		p.blank = 0
		return values, nil
	case !late && !errors.Is(err, errBlank):
		return nil, err
	case late:
		p.readNs = p.m.o.Now()
		if hopeless := p.recover(ctx, silent); hopeless != nil {
			return nil, hopeless
		}
	}
	if p.blank++; p.blank == blankRounds {
		return nil, fmt.Errorf("%w (%d times in a row)", err, blankRounds)
	}
	p.lacks(err)
	return nil, nil
}

// recover asks another question, so that the reply that was given up is not taken
// for that to the next one, which may be the same. A module that is silent again
// has gone.
func (p *poller) recover(ctx context.Context, first *timeoutError) error {
	_, err := p.m.exchange(ctx, "hello?", true)
	var again *timeoutError
	switch late := errors.As(err, &again); {
	case !late:
		return err
	case first.bytes == 0 && again.bytes == 0:
		return first
	}
	return nil
}

// lacks counts what is missing, and logs the 1st, 10th, 100th … of it.
func (p *poller) lacks(why error) {
	p.missing++
	n := p.missing
	for n%10 == 0 {
		n /= 10
	}
	if n == 1 {
		p.m.o.Log.Warn("a reading is missing", "port", p.m.o.Port, "error", why, "so_far", p.missing)
	}
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
