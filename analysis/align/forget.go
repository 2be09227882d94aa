package align

// recent is how many of the newest knots, points and steps are kept: of knots those of
// ten minutes.
const recent = 60

// forget lets go of what is between the stream's begin and its last minutes.
func (e *Estimator) forget() {
	if !e.o.Forget {
		return
	}
	n := len(e.fixed)
	e.fixed = without(e.fixed, 1)
	e.gone += n - len(e.fixed)
	e.given = without(e.given, 1)
	e.clock.points = without(e.clock.points, 2) // the second tells the rate at the begin
	f := &e.steps
	f.found = without(f.found, 0)
	f.warp = without(f.warp, 1)
}

// without returns xs with the first ones and the recent ones, in the same memory.
func without[T any](xs []T, first int) []T {
	if len(xs) <= first+recent {
		return xs
	}
	return xs[:first+copy(xs[first:], xs[len(xs)-recent:])]
}
