package ppm

import (
	"slices"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// batch is what one read completed: one block, or several where stripes are
// missing between them.
type batch struct {
	cols  wire.Columns
	parts []part
	atNs  int64
}

type part struct {
	first, lost uint64
	resync      int
	from, to    int // stripes of the columns
}

func (b *batch) add(f wire.Frame, to int) {
	from := to - f.N
	if n := len(b.parts); n > 0 && f.Lost == 0 && f.Resync == 0 {
		b.parts[n-1].to = to
		return
	}
	b.parts = append(b.parts, part{f.First, f.Lost, f.Resync, from, to})
}

// stripes returns how many stripes are in b.
func (b *batch) stripes() int {
	if len(b.parts) == 0 {
		return 0
	}
	return b.parts[len(b.parts)-1].to
}

// blocks fills in the blocks of a batch; they share its memory.
func (b *batch) blocks(l layout) []quarch.Block {
	blocks := make([]quarch.Block, 0, len(b.parts))
	for _, p := range b.parts {
		blocks = append(blocks, quarch.Block{
			First: p.first, Lost: p.lost, Resync: p.resync,
			PeriodNs: l.periodNs, ReadAtNs: b.atNs, Traces: l.traces(&b.cols, p.from, p.to),
		})
	}
	return blocks
}

// layout says what the columns of a stream mean.
type layout struct {
	periodNs int64
	mask     wire.Mask
	rails    [2]quarch.Rail
}

func (l layout) traces(cols *wire.Columns, from, to int) []quarch.Trace {
	var traces []quarch.Trace
	for i, rail := range l.rails {
		v, a := l.column(cols, 2*i, from, to), l.column(cols, 2*i+1, from, to)
		if v == nil && a == nil {
			continue
		}
		traces = append(traces, quarch.Trace{
			Rail: rail, V: orMissing(v, to-from), A: orMissing(a, to-from),
			LSBVolts: 1e-3, LSBAmps: 1e-6,
		})
	}
	return traces
}

func (l layout) column(cols *wire.Columns, c, from, to int) []int32 {
	if l.mask>>(wire.Channels-1-c)&1 == 0 {
		return nil
	}
	return cols[c][from:to:to]
}

// orMissing stands in for a channel that the module was told to leave out.
func orMissing(col []int32, n int) []int32 {
	if col != nil {
		return col
	}
	return slices.Repeat([]int32{quarch.Missing}, n)
}
