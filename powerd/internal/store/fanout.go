package store

import (
	"context"
	"errors"

	"powerd/analysis"
)

// All returns a store that hands everything to each of stores, in order. One
// that fails does not keep the others from theirs; the errors are joined. Close
// closes in reverse order, so that a store may stand before those that need it.
func All(stores ...Store) Store { return fanout(stores) }

type fanout []Store

func (f fanout) each(do func(Store) error) error {
	errs := make([]error, len(f))
	for i, s := range f {
		errs[i] = do(s)
	}
	return errors.Join(errs...)
}

func (f fanout) Begin(ctx context.Context, run Run) error {
	return f.each(func(s Store) error { return s.Begin(ctx, run) })
}

func (f fanout) Step(ctx context.Context, step StepRow) error {
	return f.each(func(s Store) error { return s.Step(ctx, step) })
}

func (f fanout) Live(ctx context.Context, rails []Rail100ms, engines []Engine100ms) error {
	return f.each(func(s Store) error { return s.Live(ctx, rails, engines) })
}

func (f fanout) Results(ctx context.Context, resultsJSON []byte, tables []*analysis.Table) error {
	return f.each(func(s Store) error { return s.Results(ctx, resultsJSON, tables) })
}

func (f fanout) End(ctx context.Context, outcome string, endNs int64) error {
	return f.each(func(s Store) error { return s.End(ctx, outcome, endNs) })
}

// TrimLive implements Trimmer by those that are one.
func (f fanout) TrimLive(ctx context.Context, suite string, beforeUTCNs int64) error {
	return f.each(func(s Store) error {
		if t, ok := s.(Trimmer); ok {
			return t.TrimLive(ctx, suite, beforeUTCNs)
		}
		return nil
	})
}

// Waiting implements Waiter by those that are one.
func (f fanout) Waiting(ctx context.Context) (points int64, err error) {
	err = f.each(func(s Store) error {
		w, ok := s.(Waiter)
		if !ok {
			return nil
		}
		n, err := w.Waiting(ctx)
		points += n
		return err
	})
	return points, err
}

func (f fanout) Close(ctx context.Context) (Report, error) {
	reports := make([]Report, len(f))
	errs := make([]error, len(f))
	for i := len(f) - 1; i >= 0; i-- {
		reports[i], errs[i] = f[i].Close(ctx)
	}
	var sum Report
	for _, r := range reports {
		sum.add(r)
	}
	return sum, errors.Join(errs...)
}
