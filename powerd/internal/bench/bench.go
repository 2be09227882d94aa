package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"powerd/engine"
	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/emu"
	"powerd/powerd/internal/host"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// RefusalError is what the user has to mend before anything runs.
type RefusalError struct{ err error }

func (r *RefusalError) Error() string { return r.err.Error() }
func (r *RefusalError) Unwrap() error { return r.err }

func refuse(format string, args ...any) error { return &RefusalError{fmt.Errorf(format, args...)} }

// refusal marks an error of what only looked.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	return &RefusalError{err}
}

// Twin is an emulated bench in place of a real one.
type Twin struct {
	Name  string
	Rails []quarch.Rail // that it has
	Scale int
	Seed  uint64
	// Faulty: its module has faults, so that it is not believed to measure its drive.
	Faulty bool
	Start  func(context.Context) (*emu.Twin, error)
}

// bench is what a run is made on, opened.
type bench struct {
	cfg        config.Bench
	name       string // "" = none was named
	twin       *Twin  // nil on real hardware
	emulation  *emu.Twin
	book       *benchbook.Book
	log        *slog.Logger
	module     quarch.Module
	lent       bool
	info       quarch.Info
	openedNs   int64 // host time at which info was so
	engine     engine.Engine
	fioVersion string
	clock      clock.Continued // of the run
	target     host.Target
	scale      int              // of a drive twin that somebody serves as the target; 0 = it is none
	drive      *datasheet.Sheet // nil = none is known
}

// open starts the twin if one is asked for, opens the module and looks at engine
// and target. What is wrong is the user's to mend, and nothing has been touched.
func open(ctx context.Context, q *Request) (*bench, error) {
	b := &bench{twin: q.Twin, book: benchbook.Open(q.Config.State), log: q.Log, clock: q.goesOn.clock()}
	if err := b.open(ctx, q); err != nil {
		if err := errors.Join(b.named(err), b.Close()); ctx.Err() == nil {
			return nil, refusal(err)
		}
		// What a signal cut short is no fault of the bench.
		return nil, fmt.Errorf("%w before anything was measured: %w", ErrInterrupted, context.Cause(ctx))
	}
	return b, nil
}

func (b *bench) open(ctx context.Context, q *Request) (err error) {
	if b.cfg, err = Named(q.Config, q.Bench); err != nil {
		return err
	}
	b.name = q.Bench
	if err := b.allows(q.Plan); err != nil {
		return err
	}
	if b.drive, err = b.sheet(q); err != nil {
		return err
	}
	b.engine = catalog.Fio(catalog.FioOptions{Path: q.Config.Fio.Path, Now: clock.Mono, Log: q.Log})
	if q.Plan.Loads() {
		if b.fioVersion, err = b.engine.Probe(ctx); err != nil {
			return err
		}
	}
	if err := b.startTwin(ctx); err != nil {
		return err
	}
	if err := b.openModule(ctx, q); err != nil {
		return err
	}
	if !q.pairing { // which rests on the drive alone, and may be what putting it right needs
		if err := errors.Join(b.settled(ctx), b.measuresAll()); err != nil {
			return err
		}
	}
	if err := hasPower(orHint(b.name, "BENCH"), b.info, q.ahead()); err != nil {
		return err
	}
	if test := b.info.SelfTest; test != "" && !strings.EqualFold(test, "OK") {
		q.Log.Warn("the module's self test fails; its figures may be wrong", "module", b.info.Serial, "answer", test)
	}
	if err := b.look(ctx, q.ahead()); err != nil {
		return err
	}
	if b.twin == nil {
		q.Plan = longEnoughOff(q.Plan, b.offTime())
	}
	return nil
}

// offTime is how long the drive is to be without power at least.
func (b *bench) offTime() time.Duration {
	d := b.cfg.OffTime
	if b.target.Spins || b.drive != nil && b.drive.SpinUp {
		d = max(d, betweenSpinUps)
	}
	return d
}

// betweenSpinUps is what makers of disks ask for between two.
const betweenSpinUps = 12 * time.Second

// longEnoughOff returns the plan with no power cycle shorter off than least.
func longEnoughOff(plan suite.Plan, least time.Duration) suite.Plan {
	plan = slices.Clone(plan)
	for i := range plan {
		if plan[i].Kind == suite.PowerCycle {
			plan[i].OffTime = max(plan[i].OffTime, least)
		}
	}
	return plan
}

// Named returns a bench of the settings; "" stands for the module and target that
// the settings name by themselves, to which nobody has consented to anything.
func Named(c *config.Config, name string) (config.Bench, error) {
	if name != "" {
		return c.Bench(name)
	}
	m := c.Module
	if named, ok := c.Modules[m.Port]; ok { // --module may be a name of the configuration
		m = named
	}
	return config.Bench{Module: m, Target: c.Target}, nil
}

// sheet reads the drive file that the request or the bench names, of a twin that of the
// drive that it stands for.
func (b *bench) sheet(q *Request) (*datasheet.Sheet, error) {
	name := cmp.Or(q.Drive, b.cfg.Drive)
	if name == "" && b.twin != nil && slices.Contains(datasheet.Names(), b.twin.Name) {
		name = b.twin.Name
	}
	if name == "" {
		return nil, nil
	}
	return datasheet.Find(name)
}

func (b *bench) startTwin(ctx context.Context) (err error) {
	if b.twin == nil {
		return nil
	}
	if b.emulation, err = b.twin.Start(ctx); err != nil {
		return err
	}
	link := quarch.LinkFramed
	if b.cfg.Module.Link == quarch.LinkTerminal {
		link = quarch.LinkTerminal
	}
	b.cfg.Module = config.Module{Port: b.emulation.Port, Link: link, Baud: b.cfg.Module.Baud, Timeout: b.cfg.Module.Timeout}
	b.cfg.Target = b.emulation.Target
	return nil
}

func (b *bench) openModule(ctx context.Context, q *Request) (err error) {
	defer func() { b.openedNs = b.clock.Mono() }()
	if q.Module != nil {
		b.module, b.lent = q.Module, true
		b.info, err = b.module.Info(ctx)
		return err
	}
	b.module, b.info, err = openModule(ctx, b.cfg, q.Log, b.clock.Mono)
	return err
}

// ModuleOptions says how a module of the settings is opened.
func ModuleOptions(m config.Module, log *slog.Logger) catalog.ModuleOptions {
	o := catalog.ModuleOptions{Port: m.Port, Link: m.Link, Baud: m.Baud, Timeout: m.Timeout, Now: clock.Mono, Log: log}
	if o.Link == "auto" {
		o.Link = ""
	}
	o.DTR, o.RTS = m.Lines()
	return o
}

// OpenModule opens a bench's module and makes sure that it is the one it should be.
// It sends queries only.
func OpenModule(ctx context.Context, c config.Bench, log *slog.Logger) (quarch.Module, quarch.Info, error) {
	return openModule(ctx, c, log, clock.Mono)
}

func openModule(ctx context.Context, c config.Bench, log *slog.Logger, now func() int64) (quarch.Module, quarch.Info, error) {
	where := ""
	if c.Name != "" {
		where = "bench " + c.Name + ": "
	}
	if c.Module.Port == "" {
		return nil, quarch.Info{}, fmt.Errorf("%swhich module? name its port with --module /dev/ttyUSB0 (or module.port in the configuration), or use --twin; `powerd devices` lists what answers", where)
	}
	o := ModuleOptions(c.Module, log)
	o.Now = now
	m, err := catalog.OpenModule(ctx, o)
	if errors.Is(err, quarch.ErrTimeout) || errors.Is(err, quarch.ErrNotAModule) {
		return nil, quarch.Info{}, fmt.Errorf("%s%w; is this the module's port, and is it powered? `powerd devices` lists what answers", where, err)
	}
	if err != nil {
		return nil, quarch.Info{}, fmt.Errorf("%s%w", where, err)
	}
	info, err := m.Info(ctx)
	if want := c.Module.Serial; err == nil && want != "" && info.Serial != want {
		err = fmt.Errorf("the module on %s is %s, not %s as the settings say; nothing was done to it", c.Module.Port, info.Serial, want)
	}
	if err != nil {
		return nil, info, errors.Join(fmt.Errorf("%s%w", where, err), m.Close())
	}
	return m, info, nil
}

// hasPower refuses to measure a drive that gets no power: 0 W would be true, and
// say nothing of the drive. A plan that begins with a power cycle switches it on.
func hasPower(bench string, info quarch.Info, plan suite.Plan) error {
	if strings.EqualFold(info.OutputMode, "DISABLED") {
		return fmt.Errorf("module %s gives the drive no power: its output mode is %s; choose the drive's (powerd power %s mode 5V, or 3V3)", info.Serial, info.OutputMode, bench)
	}
	if info.Powered == nil || *info.Powered || len(plan) == 0 || plan[0].Kind == suite.PowerCycle {
		return nil
	}
	return fmt.Errorf("the drive is off (module %s says OFF) and step %s needs it on; switch it on (powerd power %s up), or begin with a %s step",
		info.Serial, plan[0].Name, bench, suite.PowerCycle)
}

// look refuses a target that is not what it seems, before anything is loaded.
func (b *bench) look(ctx context.Context, plan suite.Plan) error {
	target := b.cfg.Target
	if target == "" {
		if err := b.mayCommand(plan); err != nil {
			return err
		}
		if plan.Loads() {
			return fmt.Errorf("which drive? this suite loads one: name it with %s/dev/disk/by-id/…", b.targetKey())
		}
		return nil
	}
	err := b.lookAtTarget()
	if noPath := !plan.Loads() && b.mayBeAway(plan); err != nil && !noPath {
		return err
	}
	if err := b.sameDrive(plan); err != nil {
		return err
	}
	if err := b.mayLosePower(ctx, plan); err != nil {
		return err
	}
	if err := b.mayCommand(plan); err != nil {
		return err
	}
	for _, s := range plan {
		if s.Kind != suite.Load {
			continue
		}
		job, err := s.Job.On(b.target.SizeBytes)
		if err != nil {
			return fmt.Errorf("step %s: %w", s.Name, err)
		}
		job.Step, job.Target, job.Dir = s.Name, b.target.Path, os.TempDir() // the run's own folder is made later
		if err := b.engine.Check(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

// targetKey is what a target is named with.
func (b *bench) targetKey() string {
	if b.name == "" {
		return "--target "
	}
	return "benches." + b.name + ".target: "
}

// lookAtTarget finds out what is at the bench's target.
func (b *bench) lookAtTarget() (err error) {
	if b.target, err = host.Look(b.cfg.Target); err != nil {
		return err
	}
	b.scale, err = catalog.TwinScale(b.target.Path)
	return err
}

// sameDrive refuses another drive than the one that the bench speaks of: its consent is
// for that one. A drive without a serial number may be read from.
func (b *bench) sameDrive(plan suite.Plan) error {
	if b.target.Serial == "" && len(needs(plan)) == 0 {
		return nil
	}
	return b.otherDrive()
}

// otherDrive refuses a drive that is there and is not the one that the bench speaks of.
func (b *bench) otherDrive() error {
	want, is := b.cfg.TargetSerial, b.target.Serial
	if want == "" || is == want || b.target.Path == "" {
		return nil
	}
	is = "is " + is
	if b.target.Serial == "" {
		is = "has no serial number"
	}
	return fmt.Errorf("bench %s: the drive at %s %s, and target_serial says %s: its consent does not hold for this drive", b.name, b.cfg.Target, is, want)
}

// mayBeAway reports whether the drive may have no path yet: it is off, and the plan
// begins by switching it on.
func (b *bench) mayBeAway(plan suite.Plan) bool {
	return b.info.Powered != nil && !*b.info.Powered && len(plan) > 0 && plan[0].Kind == suite.PowerCycle
}

// Close gives everything back. It is safe on a half opened bench.
func (b *bench) Close() error {
	var errs []error
	if b.module != nil && !b.lent {
		errs = append(errs, b.module.Close())
	}
	if b.emulation != nil {
		errs = append(errs, b.emulation.Close())
	}
	return errors.Join(errs...)
}
