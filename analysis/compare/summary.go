package compare

import (
	"fmt"
	"slices"
	"strings"

	"powerd/analysis"
)

// Headlines says in a sentence for each quantity and run what its verdicts come to.
func (r *Result) Headlines() []string {
	var out []string
	for i, run := range r.runs[1:] {
		for _, q := range []string{"iops_per_mw", "mb_per_s_per_mw", "mean_w"} {
			if s := r.headline(run, i, q); s != "" {
				out = append(out, s)
			}
		}
		for _, m := range r.Idle {
			if m.Rail == totalRail && m.Figures[0].Values[0].Value != nil && m.Figures[0].Values[i+1].Value != nil {
				out = append(out, m.sentence(i))
			}
		}
	}
	return out
}

// tally is how often each verdict was said.
type tally struct {
	of    map[string]int
	n     int
	ratio []float64
}

// headline says what run i, from 0 for the second, comes to in a quantity of the cells.
func (r *Result) headline(run *Run, i int, quantity string) string {
	t := tally{of: map[string]int{}}
	head := ""
	for _, m := range r.Cells {
		f := m.figure(quantity)
		if f == nil || f.Values[0].Value == nil || f.Values[i+1].Value == nil {
			continue
		}
		head = f.Head
		t.n++
		t.of[f.Against[i].Verdict]++
		if x := f.Against[i].Ratio; x != nil {
			t.ratio = append(t.ratio, *x)
		}
	}
	if t.n == 0 {
		return ""
	}
	cells := "cells"
	if t.n == 1 {
		cells = "cell"
	}
	s := fmt.Sprintf("%s, %d %s in common: %s against %s is %s", head, t.n, cells, run.Label, r.runs[0].Label, t.words())
	if len(t.ratio) > 0 {
		lo, hi := analysis.FormatValue(slices.Min(t.ratio), 0, 3), analysis.FormatValue(slices.Max(t.ratio), 0, 3)
		if s += "; ratio " + lo; lo != hi {
			s += " to " + hi
		}
	}
	return s + "."
}

func (t tally) words() string {
	var out []string
	for _, v := range []string{Higher, Lower, NoDifference, NotJudged} {
		if n := t.of[v]; n > 0 {
			where := "in"
			if v == NoDifference {
				v = "not different"
			}
			out = append(out, fmt.Sprintf("%s %s %d", v, where, n))
		}
	}
	return strings.Join(out, ", ")
}

// sentence says what an idle comes to.
func (m *Match) sentence(i int) string {
	f := m.Figures[len(m.Figures)-1] // net, where it is known
	x := f.Against[i]
	s := fmt.Sprintf("Power in %s: %s against %s: %s", m.Name, x.Run, x.Over, x.text())
	if x.Ratio != nil {
		s += ", ratio " + analysis.Column{Digits: 3}.Format(analysis.OptU(x.Ratio, x.U95, ""))
	}
	return s + "."
}
