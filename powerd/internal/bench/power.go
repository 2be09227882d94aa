package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"powerd/engine"
	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/suite"
	"powerd/powerd/internal/supply"
	"powerd/quarch"
)

// supply returns what switches the drive's power in a run; nil where the plan does not
// switch it.
func (b *bench) supply(ctx context.Context, plan suite.Plan, runID string) (*supply.Session, error) {
	if !plan.PowerCycles() {
		return nil, nil
	}
	s, err := b.session(ctx, runID)
	if err == nil && b.twin == nil { // a cycle is refused where nothing can be written down: better before the run
		err = b.book.Update(b.name, func(*benchbook.Entry) {})
	}
	if err != nil {
		return nil, refusal(err)
	}
	return s, nil
}

// mayLosePower refuses a plan that cuts the power of a drive which somebody needs: hours
// may lie between the first step and the one that would find it out.
func (b *bench) mayLosePower(ctx context.Context, plan suite.Plan) error {
	if b.twin != nil || !plan.PowerCycles() || !b.isOn() {
		return nil
	}
	s, err := b.session(ctx, "look")
	if err != nil {
		return err
	}
	return s.MayCut(ctx)
}

func (b *bench) session(ctx context.Context, who string) (*supply.Session, error) {
	o := supply.Options{
		Bench: b.name, Run: who, Module: b.module, Book: b.book, Target: b.cfg.Target, Serial: cmp.Or(b.cfg.TargetSerial, b.target.Serial),
		Off: b.offTime(), Detach: b.cfg.Detach, Rescan: b.cfg.Rescan, Kernel: supply.Host{Emulated: b.info.Alias == catalog.SimAlias},
		Now: b.clock.Mono, UTC: func() time.Time { return clock.UTC(clock.Read()) }, Say: func(text string) { b.log.Warn(text) },
	}
	if b.twin != nil { // nobody else needs its drive, and both are gone after the run
		o.Bench, o.Book, o.Target, o.Off = b.twin.Name, nil, "", supply.AtOnce
	}
	return supply.Begin(ctx, o)
}

// settled refuses a bench whose supply a session that was killed has left otherwise than
// it was found. Where it is as it was found by now, its word is crossed out.
func (b *bench) settled(ctx context.Context) error {
	left, err := b.left(ctx)
	if err != nil || left == "" {
		return err
	}
	return fmt.Errorf("%s; nothing was touched. %s", left, b.putRight())
}

// left says what a session that was killed has left; "" = nothing that is to be put right.
func (b *bench) left(ctx context.Context) (string, error) {
	if b.name == "" || b.twin != nil {
		return "", nil
	}
	left, err := supply.Left(ctx, b.book, b.name, b.module)
	if err != nil || !left.AsFound {
		return left.Text, err
	}
	return "", b.book.Update(b.name, func(e *benchbook.Entry) { e.Supply = nil })
}

// putRight is the cure of a supply that was left. A module that is lent is a powerd's that
// serves, beside which nobody else opens it.
func (b *bench) putRight() string {
	cure := fmt.Sprintf("`powerd power %s up` (or down) puts it right", b.name)
	if b.lent {
		return "Stop the powerd that serves, which holds the module; then " + cure
	}
	return cure
}

// Left says what a run that was killed has left of the supply of a bench whose module a
// powerd that serves has open, and what puts it right; "" = nothing. It sends queries only.
func Left(ctx context.Context, c *config.Config, name string, m quarch.Module) (string, error) {
	b := &bench{name: name, book: benchbook.Open(c.State), module: m, lent: true}
	left, err := b.left(ctx)
	if left != "" {
		left += ". " + b.putRight()
	}
	return left, err
}

// Supply is a bench's supply in somebody's hands.
type Supply struct{ b *bench }

// OpenSupply opens a bench to look at its supply, or to switch it by hand. It sends
// queries only.
func OpenSupply(ctx context.Context, c *config.Config, name string, q Request) (*Supply, error) {
	q.Config, q.Bench = c, name
	b := &bench{book: benchbook.Open(c.State), name: name, log: q.Log}
	err := b.openSupply(ctx, &q)
	if err != nil {
		return nil, errors.Join(refusal(err), b.Close())
	}
	return &Supply{b: b}, nil
}

func (b *bench) openSupply(ctx context.Context, q *Request) (err error) {
	if b.cfg, err = Named(q.Config, b.name); err != nil {
		return err
	}
	if b.drive, err = b.sheet(q); err != nil {
		return err
	}
	if err := b.openModule(ctx, q); err != nil {
		return err
	}
	if b.cfg.Target != "" {
		_ = b.lookAtTarget() // a drive without power has no path
	}
	return nil
}

// Info is what the module says of itself and its setting.
func (s *Supply) Info() quarch.Info { return s.b.info }

// RailsMV asks for the volts that the rails are set to, in mV.
func (s *Supply) RailsMV(ctx context.Context) (map[quarch.Rail]int, error) {
	begun, err := s.b.session(ctx, "status")
	if err != nil {
		return nil, err
	}
	return begun.Found().RailsMV, nil
}

// Left says what a killed session has left; "" if nothing.
func (s *Supply) Left(ctx context.Context) (string, error) {
	l, err := supply.Left(ctx, s.b.book, s.b.name, s.b.module)
	return l.Text, err
}

// Allowed refuses to switch unless the bench consents and its drive is known to hang on
// its module.
func (s *Supply) Allowed() error {
	if err := Consented(s.b.cfg, Power); err != nil {
		return err
	}
	if err := s.b.otherDrive(); err != nil {
		return refusal(err)
	}
	known, err := s.b.known()
	if err != nil {
		return refusal(err)
	}
	if known == nil {
		return refuse("bench %s: nothing shows yet that its drive hangs on module %s, so its power is not switched; `powerd pair %s` shows it", s.b.name, s.b.info.Serial, s.b.name)
	}
	return nil
}

// NoDrive lets the outputs be switched with the drive removed, as for a zero: nobody is
// asked whether it is in use, nor waited for. It refuses while there is something at its
// path.
func (s *Supply) NoDrive() error {
	if _, err := os.Stat(s.b.cfg.Target); s.b.cfg.Target != "" && !errors.Is(err, fs.ErrNotExist) {
		return refuse("bench %s: there is a drive at %s; take it out first, or leave out --no-drive", s.b.name, s.b.cfg.Target)
	}
	s.b.cfg.Target = ""
	return nil
}

// Up gives the drive power, and waits until it is back under its path.
func (s *Supply) Up(ctx context.Context) error {
	return s.do(ctx, "up", func(p *supply.Session) error {
		if _, _, err := p.On(ctx); err != nil {
			return err
		}
		return errors.Join(p.Keep(), p.Ready(ctx))
	})
}

// Down cuts the drive's power, unless somebody needs it.
func (s *Supply) Down(ctx context.Context) error {
	return s.do(ctx, "down", func(p *supply.Session) error {
		if _, _, err := p.Off(ctx); err != nil {
			return err
		}
		return p.Keep()
	})
}

// Lacking says which rails of the bench the module does not measure now; "" = none.
func (s *Supply) Lacking() string { return s.b.lacking() }

// Suits refuses an output mode, 5V or 3V3, that does not suit the rails that the drive uses.
func (s *Supply) Suits(mode string) error { return s.b.suits(mode) }

// Mode chooses the output mode, 5V or 3V3.
func (s *Supply) Mode(ctx context.Context, mode string) error {
	return s.do(ctx, "mode", func(p *supply.Session) error {
		if err := p.Mode(ctx, mode); err != nil {
			return err
		}
		return p.KeepMode()
	})
}

func (s *Supply) do(ctx context.Context, what string, deed func(*supply.Session) error) error {
	p, err := s.b.session(ctx, "powerd power "+s.b.name+" "+what)
	if err != nil {
		return err
	}
	if err = deed(p); errors.Is(err, engine.ErrTarget) {
		return refusal(err) // somebody needs the drive
	}
	return err
}

// Close gives the module back, and leaves the drive as it is.
func (s *Supply) Close() error { return s.b.Close() }

// Unsettled says what a run has left of a bench's supply so far, as far as the folder state
// of the settings tells; "" = nothing.
func Unsettled(state, name string) (string, error) {
	return supply.Unsettled(benchbook.Open(state), name)
}
