package sim

import (
	"math/rand/v2"
	"sync"
)

// faultState is what has come of a module's faults so far. The zero value has none.
type faultState struct {
	bornNs int64 // host time from which faults of the module count

	mu     sync.Mutex
	live   []*liveFault
	stream int // the last one begun, from 1
}

type liveFault struct {
	Fault
	rand *rand.Rand
	hits int  // in this stream
	done bool // a restart that has been; guarded by Module.mu
}

func (s *faultState) begin(o Options, bornNs int64) {
	s.bornNs = bornNs
	for i, f := range o.Faults {
		s.live = append(s.live, &liveFault{Fault: f, rand: rand.New(rand.NewPCG(o.Seed, 1_000+uint64(i)))})
	}
}

// nextStream begins the next stream: what strikes a stream may strike again.
func (s *faultState) nextStream() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream++
	for _, f := range s.live {
		f.hits = 0
	}
}

// strikes reports which fault of this name strikes now, and notes that it did. sinceNs
// is the time from the start of what its `at` counts from.
func (s *faultState) strikes(name string, sinceNs int64) (Fault, bool) {
	f := s.struck(name, sinceNs)
	if f == nil {
		return Fault{}, false
	}
	return f.Fault, true
}

func (s *faultState) struck(name string, sinceNs int64) *liveFault {
	if len(s.live) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.live {
		if f.Name != name || !f.holds(sinceNs) || f.Stream > 0 && f.Stream != s.stream || f.Count > 0 && f.hits >= f.Count {
			continue
		}
		if f.P > 0 && f.rand.Float64() >= f.P {
			continue
		}
		f.hits++
		return f
	}
	return nil
}

// concerning returns the faults of this name that the present stream may have.
func (s *faultState) concerning(name string) (all []Fault) {
	if len(s.live) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.live {
		if f.Name == name && (f.Stream == 0 || f.Stream == s.stream) {
			all = append(all, f.Fault)
		}
	}
	return all
}

// holding returns a fault of this name that lasts now, without noting it.
func (s *faultState) holding(name string, sinceNs int64) (Fault, bool) {
	for _, f := range s.concerning(name) {
		if f.holds(sinceNs) {
			return f, true
		}
	}
	return Fault{}, false
}

// holds reports whether the fault's time has come and is not over.
func (f *Fault) holds(sinceNs int64) bool {
	since := sinceNs - f.At.Nanoseconds()
	return since >= 0 && (f.For == 0 || since < f.For.Nanoseconds())
}

// draw returns a number in [0, n) of a fault's own sequence.
func (s *faultState) draw(f *liveFault, n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f.rand.IntN(n)
}

// named returns the first fault of a name, whatever its time.
func (s *faultState) named(name string) (Fault, bool) {
	for _, f := range s.live {
		if f.Name == name {
			return f.Fault, true
		}
	}
	return Fault{}, false
}

// silent reports whether the module neither hears nor says anything.
func (m *Module) silent() bool {
	if len(m.faults.live) == 0 {
		return false
	}
	_, ok := m.faults.holding(faultSilent, m.opts.Now()-m.faults.bornNs)
	return ok
}
