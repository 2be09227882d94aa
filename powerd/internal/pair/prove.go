package pair

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"powerd/analysis/pairing"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/quarch"
)

const (
	// finestNs is the sampling of a proof whose run samples finer: a second of it is
	// 16,000 stripes, more than enough.
	finestNs = 64_000

	// wake is how long the drive is read from before anything is measured.
	wake = 50 * time.Millisecond

	// wakesWithin is how long a drive whose reads fail is tried: its power may have come
	// back only just now.
	wakesWithin = 20 * time.Second
	wakePoll    = 250 * time.Millisecond
)

// Parts are what a proof is made with.
type Parts struct {
	Module quarch.Module       // no stream runs on it
	Now    func() int64        // CLOCK_MONOTONIC
	Clock  func() quarch.Clock // for the date
	// Burst reads from the target; nil = catalog.ReadBurst.
	Burst func(context.Context, catalog.BurstOptions) (catalog.Burst, error)
}

// Spec says what is to be shown.
type Spec struct {
	Target       string // block device or file to read from
	ModuleSerial string
	DriveSerial  string // of one without, what else it is known by
	PeriodNs     int64  // sampling of the run that follows; 0 = 64 µs
}

// Prove reads from the target in three bursts and looks for them in the module's power.
// It takes up to 9 s, twice that where reads seem to show and something else disturbs
// them or where the samples were no good, and longer if the drive has to spin up first.
func Prove(ctx context.Context, p Parts, s Spec) (pairing.Evidence, error) {
	if p.Burst == nil {
		p.Burst = catalog.ReadBurst
	}
	e, err := p.prove(ctx, s)
	if err == nil && (e.Unclear || e.Unanswered) {
		e, err = p.prove(ctx, s)
	}
	if err != nil {
		return e, fmt.Errorf("look for IO on %s in the power of module %s: %w", s.Target, s.ModuleSerial, err)
	}
	e.DateUTC = clock.UTC(p.Clock()).Format(time.RFC3339)
	return e, nil
}

func (p *Parts) prove(ctx context.Context, s Spec) (none pairing.Evidence, err error) {
	seed := rand.Uint64()
	if err := p.wake(ctx, s.Target, seed); err != nil {
		return none, err
	}
	w, err := p.begin(ctx, s)
	if err != nil {
		return none, err
	}
	reads, err := p.play(ctx, w, s.Target, seed)
	if err := w.after(err); err != nil {
		return none, err
	}
	m, err := w.place()
	if err != nil {
		return none, err
	}
	return pairing.Judge(pairing.Question{Target: s.Target, Module: s.ModuleSerial, Drive: s.DriveSerial, Reads: reads}, m, w.all())
}

// wake reads for a moment, and waits for a drive that is not ready yet.
func (p *Parts) wake(ctx context.Context, target string, seed uint64) error {
	over := time.NewTimer(wakesWithin)
	defer over.Stop()
	again := time.NewTicker(wakePoll)
	defer again.Stop()
	for {
		_, err := p.burst(ctx, target, wake, seed)
		if !errors.Is(err, syscall.EIO) {
			return err
		}
		select {
		case <-again.C:
		case <-over.C:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// play reads and pauses as the pattern of seed has it.
func (p *Parts) play(ctx context.Context, w *watch, target string, seed uint64) (reads []pairing.Reads, err error) {
	pattern := pairing.Draw(seed)
	if err := w.wait(ctx, pattern.Lead); err != nil {
		return nil, err
	}
	for i, length := range pattern.Bursts {
		b, err := p.burst(ctx, target, length, seed+uint64(i)+1)
		if err != nil {
			return nil, err
		}
		reads = append(reads, pairing.Reads{StartNs: b.StartNs, EndNs: b.EndNs, Count: int(b.Reads), Intervals: b.Intervals})
		if err := w.wait(ctx, pattern.Pauses[i]); err != nil {
			return nil, err
		}
	}
	return reads, nil
}

func (p *Parts) burst(ctx context.Context, target string, length time.Duration, seed uint64) (catalog.Burst, error) {
	return p.Burst(ctx, catalog.BurstOptions{Path: target, Duration: length, Seed: seed, Now: p.Now})
}
