package window

import (
	"math"
	"slices"

	"powerd/quarch"
)

// Watts works out what stripes carry, NaN where a stripe has no value. Its slices are
// lent until it reads again.
type Watts struct {
	Rails []quarch.Rail // whose watts are wanted, in order
	Each  [][]float64   // of each rail
	Total []float64     // of all of them
}

// Read reads the stripes [i, j) of b.
func (w *Watts) Read(b *quarch.Block, i, j int) {
	n := j - i
	w.Total = slices.Grow(w.Total[:0], n)[:n]
	clear(w.Total)
	for len(w.Each) < len(w.Rails) {
		w.Each = append(w.Each, nil)
	}
	for k, r := range w.Rails {
		each := slices.Grow(w.Each[k][:0], n)[:n]
		t := b.Trace(r)
		for x := range each {
			each[x] = math.NaN()
			if t != nil {
				if p, ok := t.Watts(i + x); ok {
					each[x] = float64(p)
				}
			}
			w.Total[x] += each[x]
		}
		w.Each[k] = each
	}
}
