package live_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"powerd/powerd/internal/live"
)

// A stream is started again until it is well placed, three times at most; whatever fails
// ends that.
func TestAStreamIsStartedUntilItIsPlaced(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		placedAt int    // try, from 1; 0 = never
		fails    string // what does
		want     []string
	}{
		"at once":            {1, "", []string{"start", "settle"}},
		"the second time":    {2, "", []string{"start", "settle", "stop", "start", "settle"}},
		"never":              {0, "", []string{"start", "settle", "stop", "start", "settle", "stop", "start", "settle"}},
		"it does not start":  {0, "start", []string{"start"}},
		"it does not settle": {0, "settle", []string{"start", "settle"}},
		"it does not stop":   {0, "stop", []string{"start", "settle", "stop"}},
	} {
		var done []string
		starts := 0
		step := func(what string) func() error {
			return func() error {
				done = append(done, what)
				if what == "start" {
					starts++
				}
				if what == c.fails {
					return broken
				}
				return nil
			}
		}
		s := live.Starter{Start: step("start"), Settle: step("settle"), Stop: step("stop"), Placed: func() bool { return starts == c.placedAt }}
		if err := s.Begin(3); (err != nil) != (c.fails != "") || err != nil && !errors.Is(err, broken) {
			t.Errorf("%s: error %v", name, err)
		}
		if !slices.Equal(done, c.want) {
			t.Errorf("%s: %q, want %q", name, done, c.want)
		}
	}
}

// The wait for a first block ends with it, with the stream, with ctx, or after 10 s.
func TestTheWaitForAFirstBlockEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed, never := make(chan struct{}), make(chan struct{})
		close(closed)
		if err := live.AwaitFirst(t.Context(), closed, never); err != nil {
			t.Error(err)
		}
		if err := live.AwaitFirst(t.Context(), never, closed); !errors.Is(err, live.ErrEnded) {
			t.Error(err)
		}
		if err := live.AwaitFirst(t.Context(), never, never); err == nil || !strings.Contains(err.Error(), "no sample within 10s") {
			t.Error(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		cancel(stop)
		if err := live.AwaitFirst(ctx, never, never); !errors.Is(err, stop) {
			t.Error(err)
		}
	})
}
