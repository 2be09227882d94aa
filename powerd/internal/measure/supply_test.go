package measure_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/supply"
)

// ready is a machine whose drive is needed by nobody and always there.
type ready struct{}

func (ready) InUse(string) error            { return nil }
func (ready) OnlyRead(error) bool           { return false }
func (ready) Flush(string) error            { return nil }
func (ready) Detach(string) error           { return nil }
func (ready) Rescan() error                 { return nil }
func (ready) Serial(string) (string, error) { return "S1", nil }

// held gives a bench's supply into a session, as a run on a real bench has it.
func (b *bench) held(off time.Duration) *benchbook.Book {
	b.t.Helper()
	book := benchbook.Open(b.t.TempDir())
	s, err := supply.Begin(b.t.Context(), supply.Options{
		Bench: "left", Run: "r1", Module: b.module, Book: book, Target: b.target, Serial: "S1",
		Off: off, Kernel: ready{}, Now: b.now, UTC: time.Now,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.supply = s
	return book
}

// touched reports what a bench's book says of its supply.
func (b *bench) touched(book *benchbook.Book) bool {
	b.t.Helper()
	e, err := book.Read("left")
	if err != nil {
		b.t.Fatal(err)
	}
	return e.Supply != nil
}

// A run that is stopped at any moment, before, within or after a power cycle, leaves the
// supply as it was found; if that took something, it is told, and the drive was off for
// its off time all the same.
func TestStoppedAtTwentyMoments(t *testing.T) {
	stop := errors.New("stopped by a signal")
	const off = 3 * time.Second
	moments := rand.New(rand.NewPCG(20, 1))
	for range 20 {
		moment := time.Duration(moments.Int64N(int64(9 * time.Second)))
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			book := b.held(off)
			ctx, cancel := context.WithCancelCause(t.Context())
			var stoppedNs int64
			defer time.AfterFunc(moment, func() { stoppedNs = b.now(); cancel(stop) }).Stop()
			d, err := b.run(ctx, idleStep("before", 2*time.Second), cycleStep("cycle", off, 3*time.Second), idleStep("after", 2*time.Second))
			if err == nil || !errors.Is(err, stop) || d.Run.Outcome != results.Interrupted {
				t.Errorf("at %v: %v, want the interruption alone", moment, err)
			}
			on, err := b.module.Powered(context.WithoutCancel(ctx))
			if err != nil || !on || b.touched(book) {
				t.Errorf("at %v: power %v (%v), written down as touched: %v", moment, on, err, b.touched(book))
			}
			told := false
			for _, w := range d.Warnings {
				told = told || w.Code == "supply_restored" && strings.Contains(w.Text, "put back as found: power ON")
			}
			switch events := b.sim.PowerEvents()[1:]; {
			case len(events) == 0: // it was not reached
			case len(events) != 2 || events[0].On || !events[1].On:
				t.Errorf("at %v: power went %q", moment, b.power())
			case events[1].AtNs-events[0].AtNs < off.Nanoseconds():
				t.Errorf("at %v: it was off for %d ms", moment, (events[1].AtNs-events[0].AtNs)/1e6)
			case told != (events[1].AtNs >= stoppedNs):
				t.Errorf("at %v: told %v, warnings %+v", moment, told, d.Warnings)
			}
		})
	}
}
