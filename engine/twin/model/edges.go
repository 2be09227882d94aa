package model

import (
	"cmp"
	"slices"
)

// Edge is a change of the supply of a rail, by a power command or a setting. Its volts
// go from one value to the other in a straight line.
type Edge struct {
	Rail               string // "5v" or "12v"
	StartNs, EndNs     int64  // host time
	FromVolts, ToVolts float64
	Off                bool // the source is switched off: no current flows any more
}

// Edges returns all edges so far, in the order of time.
func (d *Drive) Edges() []Edge {
	h := d.past.Load()
	var out []Edge
	for rail, name := range [railCount]string{"5v", "12v"} {
		for _, r := range h.ramps[rail] {
			out = append(out, Edge{Rail: name, StartNs: r.startNs, EndNs: r.endNs, FromVolts: r.from, ToVolts: r.to, Off: r.open})
		}
	}
	slices.SortStableFunc(out, func(a, b Edge) int { return cmp.Compare(a.StartNs, b.StartNs) })
	return out
}

// Scale returns what the drive's rates are divided by and its energies of IO are
// multiplied by.
func (d *Drive) Scale() int { return max(1, d.cfg.Scale) }

// Spell is a stretch of host time in which IO draws current. Breaks shorter than a
// tenth of a second are in it.
type Spell struct{ FirstNs, EndNs int64 }

// Spells returns the spells that reach into [fromNs, toNs), whole.
func (d *Drive) Spells(fromNs, toNs int64) []Spell {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []Spell
	for _, s := range d.ring.spells {
		if s.to*cellNs > fromNs && s.from*cellNs < toNs {
			out = append(out, Spell{FirstNs: s.from * cellNs, EndNs: s.to * cellNs})
		}
	}
	return out
}

// breakCells is the break that ends a spell.
const breakCells = 100 * msCells

// spells are the cells in which IO draws, in the order of time.
type spells []span

// mark says that IO draws in the cells [from, to).
func (s *spells) mark(from, to int64) {
	k := len(*s) - 1
	if k < 0 || from >= (*s)[k].to+breakCells {
		*s = append(*s, span{from, to})
		return
	}
	last := &(*s)[k]
	last.from, last.to = min(last.from, from), max(last.to, to)
}

// drop takes back what was drawn from cell c on.
func (s *spells) drop(c int64) {
	k := len(*s)
	for k > 0 && (*s)[k-1].from >= c {
		k--
	}
	*s = (*s)[:k]
	if k > 0 {
		last := &(*s)[k-1]
		last.to = min(last.to, c)
	}
}
