package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"powerd/analysis/pairing"
	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/pair"
	"powerd/powerd/internal/suite"
)

// identity is what a drive is known by: its serial number, else its path. What the
// settings say of it counts while it is away only: of one that is there and tells no
// serial number it would be a mere claim.
func (b *bench) identity() string {
	switch {
	case b.target.Serial != "":
		return b.target.Serial
	case b.cfg.TargetSerial != "" && !b.isThere():
		return b.cfg.TargetSerial
	}
	return b.cfg.Target
}

// isThere reports whether something is at the target's path.
func (b *bench) isThere() bool { return b.target.Interface != "" || b.target.Block != "" }

// pairing sees to it that the target's power is the module's, as far as the plan
// rests on it: whoever loads a drive or cuts its power shows it by reads before. A
// drive without power cannot be read, so that what was shown before counts. A run that
// does neither takes what is known, which may be nothing. On a twin without faults both
// are one by construction.
func (b *bench) pairing(ctx context.Context, q *Request) (*pairing.Evidence, error) {
	if b.twin != nil && !b.twin.Faulty {
		return nil, nil
	}
	known, err := b.known()
	if err != nil {
		return nil, refusal(err)
	}
	switch {
	case !q.Plan.Loads() && len(needs(q.Plan)) == 0:
		return known, nil
	case b.cfg.Target == "":
		return nil, refuse("bench %s has no target: nothing shows which drive hangs on module %s, so its power is not switched; give it one", b.name, b.info.Serial)
	case b.isOn():
		return b.prove(ctx, q, known)
	case known != nil:
		return known, nil
	}
	return b.typed(ctx, q, b.offWhy(), isItThere)
}

// isOn reports whether the drive has power; a module that does not say is believed to
// give it.
func (b *bench) isOn() bool { return b.info.Powered == nil || *b.info.Powered }

func (b *bench) offWhy() string {
	return "the drive is off, so reads cannot show that it hangs on module " + b.info.Serial
}

// known returns what was shown before of this very module and drive.
func (b *bench) known() (*pairing.Evidence, error) {
	if b.name == "" {
		return nil, nil
	}
	entry, err := b.book.Read(b.name)
	if err != nil {
		return nil, err
	}
	if e := entry.Pairing; e != nil && e.Confirmed && e.Module == b.info.Serial && (e.Drive == b.identity() || b.away()) {
		return e, nil
	}
	return nil, nil
}

// away reports whether nothing but what was shown before says which drive it is: it is
// not there, and the settings do not name it. Without power it may well be away.
func (b *bench) away() bool {
	return b.cfg.TargetSerial == "" && !b.isThere()
}

// prove reads from the target and looks for it in the module's power.
func (b *bench) prove(ctx context.Context, q *Request, known *pairing.Evidence) (*pairing.Evidence, error) {
	e, err := pair.Prove(ctx, pair.Parts{Module: b.module, Now: b.clock.Mono, Clock: b.clock.Read}, pair.Spec{
		Target: b.target.Path, ModuleSerial: b.info.Serial, DriveSerial: b.identity(), PeriodNs: pairingPeriod(q.Plan),
	})
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w before anything was measured: %w", ErrInterrupted, context.Cause(ctx))
	case err != nil:
		return nil, refusal(err)
	}
	return b.conclude(ctx, q, known, e)
}

// conclude says what a proof means for what was known before. Where nothing shows, a
// person's word of before stands, or is asked for; what reads once showed does not hold any
// more, since cables are changed, unless the proof was no good.
func (b *bench) conclude(ctx context.Context, q *Request, known *pairing.Evidence, e pairing.Evidence) (*pairing.Evidence, error) {
	switch {
	case e.Confirmed:
		return &e, refusal(b.remember(&e))
	case known != nil && known.Method == pairing.MethodTyped:
		e := *known
		e.Why = "reads did not show; a person's word stands"
		return &e, nil
	case known != nil && !e.Unanswered:
		if err := b.remember(nil); err != nil {
			return nil, refusal(err)
		}
	}
	if e.Unanswered {
		return b.typed(ctx, q, e.Why, "that says nothing of the drive: is the link steady, and this machine not too busy?")
	}
	return b.typed(ctx, q, e.Why, isItThere)
}

const isItThere = "is the drive on this module?"

// typed asks a person for the drive's serial number. doubt is what to look at first, for
// where nobody can be asked.
func (b *bench) typed(ctx context.Context, q *Request, why, doubt string) (*pairing.Evidence, error) {
	want := b.identity()
	if b.name == "" || q.Ask == nil {
		if q.pairing && b.name != "" {
			return nil, refuse("%s; %s Try again; or if you know that the drive is on this module, say so with `powerd pair %s --typed %s`", why, doubt, b.name, want)
		}
		return nil, refuse("%s; %s If you know that it is on this module, say so once with `powerd pair %s`, where you type its serial number", why, doubt, orHint(b.name, "BENCH"))
	}
	switch ok, err := q.Ask(ctx, why, want); {
	case err != nil:
		return nil, err
	case !ok:
		return nil, refuse("%s; what was typed is not the drive's serial number", why)
	}
	e := &pairing.Evidence{
		Method: pairing.MethodTyped, Confirmed: true, DateUTC: clock.UTC(clock.Read()).Format(time.RFC3339),
		Module: b.info.Serial, Drive: want, Why: why,
	}
	return e, refusal(b.remember(e))
}

func (b *bench) remember(e *pairing.Evidence) error {
	if b.name == "" {
		return nil
	}
	return b.book.Update(b.name, func(entry *benchbook.Entry) { entry.Pairing = e })
}

// named says of which bench err speaks, unless it does so itself or is the user's own doing.
func (b *bench) named(err error) error {
	if err == nil || b.name == "" || errors.Is(err, ErrInterrupted) || strings.Contains(err.Error(), "bench "+b.name) {
		return err
	}
	return fmt.Errorf("bench %s: %w", b.name, err)
}

// pairingPeriod is the sampling of the plan's loads, which the proof then rests on.
func pairingPeriod(plan suite.Plan) int64 {
	for _, s := range plan {
		if s.Kind == suite.Load {
			return s.Sampling.Nanoseconds()
		}
	}
	return 0
}

// Pair shows, or lets a person confirm, that a bench's target hangs on its module,
// and remembers it.
func Pair(ctx context.Context, c *config.Config, name string, q Request) (*pairing.Evidence, error) {
	q.Config, q.Bench, q.pairing = c, name, true
	b, err := open(ctx, &q)
	if err != nil {
		return nil, err
	}
	e, err := b.pairingNow(ctx, &q)
	return e, errors.Join(b.named(err), b.Close())
}

func (b *bench) pairingNow(ctx context.Context, q *Request) (*pairing.Evidence, error) {
	if b.cfg.Target == "" {
		return nil, refuse("bench %s has no target; give it one", b.name)
	}
	if !b.isOn() {
		return b.typed(ctx, q, b.offWhy(), isItThere)
	}
	known, err := b.known()
	if err != nil {
		return nil, refusal(err)
	}
	if known != nil && known.Method == pairing.MethodTyped { // to be shown, or typed again
		known = nil
	}
	return b.prove(ctx, q, known)
}
