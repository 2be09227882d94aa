package steady

// Tracker is told one round after the other and says since when all variables are steady.
type Tracker struct {
	rule   Rule
	rounds [][]float64 // figures of each round, in the variables' order
	last   int         // round at whose end all were; 0 = none
}

// NewTracker returns a tracker that knows of no round.
func NewTracker(rule Rule) *Tracker { return &Tracker{rule: rule} }

// Add takes what a round did: one figure a variable, NaN where it left none.
func (t *Tracker) Add(figures ...float64) {
	t.rounds = append(t.rounds, figures)
	if t.last > 0 || len(figures) == 0 || len(t.rounds) < t.rule.Rounds {
		return
	}
	for _, s := range t.series(len(t.rounds)) {
		if !s.Steady {
			return
		}
	}
	t.last = len(t.rounds)
}

// Steady returns the first and the last round of the first window in which all variables
// are steady; ok is false while there is none.
func (t *Tracker) Steady() (first, last int, ok bool) {
	return t.last - t.rule.Rounds + 1, t.last, t.last > 0
}

// Window returns the steady window, or else the latest rounds as far as there are any.
func (t *Tracker) Window() (first, last int) {
	if first, last, ok := t.Steady(); ok {
		return first, last
	}
	return max(1, len(t.rounds)-t.rule.Rounds+1), len(t.rounds)
}

// Judge returns what the rule says of each variable over Window.
func (t *Tracker) Judge() []Series {
	_, last := t.Window()
	return t.series(last)
}

// series judges the window that ends with a round.
func (t *Tracker) series(last int) []Series {
	if last == 0 {
		return nil
	}
	first := max(1, last-t.rule.Rounds+1)
	out := make([]Series, len(t.rounds[last-1]))
	for v := range out {
		var y []float64
		for _, figures := range t.rounds[first-1 : last] {
			y = append(y, figures[v])
		}
		out[v] = t.rule.Judge(first, y)
	}
	return out
}
