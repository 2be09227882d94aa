package sim

import (
	"cmp"
	"slices"
)

// missing is what a client does not get of a stream that it still wants: what a fault keeps
// from it to the end, or what is not made any more. What a fault took out of a stream that
// went on is noted as it happens, by lost.
type missing struct {
	what     string // why; empty = nothing
	made     bool   // what was made comes all the same; only what was not made is missing
	unwanted int64  // host time from which the client does not want the stream; 0 = it does
}

// held says why the client gets no more. The first reason stays.
func (m *missing) held(what string) {
	if m.what == "" {
		m.what = what
	}
}

// notMade says why no more is made.
func (m *missing) notMade(what string) {
	if m.what == "" {
		m.what, m.made = what, true
	}
}

// goesOn takes a reason back: the client gets more after all.
func (m *missing) goesOn() {
	if !m.made {
		m.what = ""
	}
}

// end notes that nobody wants the stream from nowNs on.
func (m *missing) end(nowNs int64) {
	if m.unwanted == 0 {
		m.unwanted = nowNs
	}
}

// Why a client gets no more of a stream.
const (
	whySilent = "the module was silent"
	whySync   = "the module waited on, for it did not take the answer to its sync"
	whyBroken = "the link broke"
)

// unwanted notes that nobody wants the last stream from nowNs on. The caller holds mu.
func (m *Module) unwanted(nowNs int64) {
	if n := len(m.streams); n > 0 {
		m.streams[n-1].missing.end(nowNs)
	}
}

// held notes why the client of the stream that is being sent gets no more of it.
func (m *Module) held(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.active != nil {
		m.active.missing.held(what)
	}
}

// losses returns what was lost of the stream so far, in time. The caller holds mu.
func (s *stream) losses() []Loss {
	all := slices.Clone(s.truth.Losses)
	if s.missing.what == "" {
		return all
	}
	first := s.truth.Sent
	if s.missing.made {
		first = s.truth.Stripes
	}
	untilNs := cmp.Or(s.missing.unwanted, s.m.opts.Now())
	end := max(s.truth.Stripes, uint64(s.clock.ended(untilNs)))
	if end > first || s.missing.made {
		all = append(all, Loss{first, end - first, s.missing.what})
	}
	slices.SortStableFunc(all, func(a, b Loss) int { return cmp.Compare(a.Index, b.Index) })
	return all
}
