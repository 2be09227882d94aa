package steady

// Tracker is told one round after the other and says since when all variables are steady.
type Tracker struct {
	rule   Rule
	rounds [][]float64 // figures of each round, in the variables' order
	last   int         // round at whose end all were; 0 = none
	breaks []int       // rounds after which the drive was left to itself
}

// NewTracker returns a tracker that knows of no round.
func NewTracker(rule Rule) *Tracker { return &Tracker{rule: rule} }

// Add takes what a round did: one figure a variable, NaN where it left none.
func (t *Tracker) Add(figures ...float64) {
	t.rounds = append(t.rounds, figures)
	if t.last > 0 || len(figures) == 0 || len(t.rounds)-t.since(len(t.rounds)) < t.rule.Rounds {
		return
	}
	for _, s := range t.series(len(t.rounds)) {
		if !s.Steady {
			return
		}
	}
	t.last = len(t.rounds)
}

// Break says that the rounds were broken off here: what the drive does in those that come
// does not follow from what it did in those before, so no window holds both.
func (t *Tracker) Break() {
	if n := len(t.rounds); n > 0 && t.since(n+1) < n {
		t.breaks = append(t.breaks, n)
	}
}

// since returns the number of rounds before the break that a round comes after, the
// latest one; 0 = there was none.
func (t *Tracker) since(round int) int {
	at := 0
	for _, b := range t.breaks {
		if b < round {
			at = b
		}
	}
	return at
}

// first returns the first round of the window that ends with a round.
func (t *Tracker) first(last int) int { return max(1+t.since(last), last-t.rule.Rounds+1) }

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
	return t.first(len(t.rounds)), len(t.rounds)
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
	first := t.first(last)
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
