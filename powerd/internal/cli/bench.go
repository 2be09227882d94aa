package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"powerd/engine"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/emu"
	"powerd/powerd/internal/host"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// bench is what a run is made on, opened.
type bench struct {
	twin       *emu.Twin // nil on real hardware
	twinName   string
	twinScale  int
	twinSeed   uint64
	module     quarch.Module
	info       quarch.Info
	engine     engine.Engine
	fioVersion string
	target     host.Target
}

// openBench starts the twin if one is asked for, opens the module and looks at
// engine and target. What is wrong is the user's to mend, and nothing has been
// touched.
func (a *app) openBench(ctx context.Context, cfg *config.Config, plan suite.Plan, f runFlags) (*bench, error) {
	b := &bench{}
	if err := b.open(ctx, a, cfg, plan, f); err != nil {
		err = errors.Join(err, b.Close())
		if ctx.Err() != nil { // what a signal cut short is no fault of the bench
			return nil, &codeError{exitInterrupted, fmt.Errorf("interrupted before anything was measured: %w", context.Cause(ctx))}
		}
		return nil, asUsage(err)
	}
	return b, nil
}

func (b *bench) open(ctx context.Context, a *app, cfg *config.Config, plan suite.Plan, f runFlags) error {
	if named, ok := cfg.Modules[cfg.Module.Port]; ok { // --module may be a name of the configuration
		cfg.Module = named
	}
	mod := moduleOptions(cfg.Module)
	mod.Log = a.logger(f.verbose)
	target := cfg.Target
	b.engine = catalog.Fio(catalog.FioOptions{Path: cfg.Fio.Path, Now: clock.Mono, Log: mod.Log})
	if plan.Loads() {
		v, err := b.engine.Probe(ctx)
		if err != nil {
			return err
		}
		b.fioVersion = v
	}
	if f.twin != "" {
		if err := b.startTwin(ctx, cfg, f); err != nil {
			return err
		}
		mod.Port, mod.Link, target = b.twin.Port, quarch.LinkFramed, b.twin.Target
		if cfg.Module.Link == quarch.LinkTerminal {
			mod.Link = quarch.LinkTerminal
		}
	}
	if err := b.openModule(ctx, cfg, mod); err != nil {
		return err
	}
	if err := hasPower(b.info, plan); err != nil {
		return err
	}
	if test := b.info.SelfTest; test != "" && !strings.EqualFold(test, "OK") {
		mod.Log.Warn("the module's self test fails; its figures may be wrong", "module", b.info.Serial, "answer", test)
	}
	return b.look(ctx, plan, target)
}

func (b *bench) startTwin(ctx context.Context, cfg *config.Config, f runFlags) error {
	t := twinFlags{
		dir:  filepath.Join(os.TempDir(), "powerd-twin-"+strconv.Itoa(os.Getpid())),
		size: int64(cfg.Twin.Size), scale: cfg.Twin.Scale, seed: f.seed, ppm: cfg.Twin.PPM,
		offset: cfg.Twin.Offset, jitter: cfg.Twin.Jitter, fifo: 1 << 20, serial: "QTL1999-02-001",
	}
	catalog.SweepTwins(filepath.Join(os.TempDir(), "powerd-twin-*"))
	twin, err := emu.Start(ctx, t.dir, t.args(f.twin)...)
	if err != nil {
		return err
	}
	b.twin, b.twinName, b.twinScale, b.twinSeed = twin, f.twin, t.scale, t.seed
	return nil
}

func (b *bench) openModule(ctx context.Context, cfg *config.Config, o catalog.ModuleOptions) (err error) {
	if o.Port == "" {
		return errors.New("which module? name its port with --module /dev/ttyUSB0 (or module.port in the configuration), or use --twin; `powerd devices` lists what answers")
	}
	b.module, err = catalog.OpenModule(ctx, o)
	if errors.Is(err, quarch.ErrTimeout) || errors.Is(err, quarch.ErrNotAModule) {
		return fmt.Errorf("%w; is this the module's port, and is it powered? `powerd devices` lists what answers", err)
	}
	if err != nil {
		return err
	}
	if b.info, err = b.module.Info(ctx); err != nil {
		return err
	}
	if want := cfg.Module.Serial; want != "" && b.twin == nil && b.info.Serial != want {
		return fmt.Errorf("the module on %s is %s, not %s as module.serial says; nothing was done to it", o.Port, b.info.Serial, want)
	}
	return nil
}

// hasPower refuses to measure a drive that gets no power: 0 W would be true, and
// say nothing of the drive. A plan that begins with a power cycle switches it on.
func hasPower(info quarch.Info, plan suite.Plan) error {
	if strings.EqualFold(info.OutputMode, "DISABLED") {
		return fmt.Errorf("module %s gives the drive no power: its output mode is %s; choose the drive's (conf:out:mode 5V or 3V3)", info.Serial, info.OutputMode)
	}
	if info.Powered == nil || *info.Powered || len(plan) == 0 || plan[0].Kind == suite.PowerCycle {
		return nil
	}
	return fmt.Errorf("the drive is off (module %s says OFF) and step %s needs it on; switch it on, or begin with a %s step and --allow power",
		info.Serial, plan[0].Name, suite.PowerCycle)
}

// look refuses a target that is not what it seems, before anything is loaded.
func (b *bench) look(ctx context.Context, plan suite.Plan, target string) (err error) {
	if !plan.Loads() {
		if target != "" {
			b.target, err = host.Look(target)
		}
		return err
	}
	if target == "" {
		return errors.New("which drive? this suite loads one: name it with --target /dev/disk/by-id/…")
	}
	if b.target, err = host.Look(target); err != nil {
		return err
	}
	for _, s := range plan {
		if s.Kind != suite.Load {
			continue
		}
		job := s.Job
		job.Step, job.Target, job.Dir = s.Name, b.target.Path, os.TempDir() // the run's own folder is made later
		if err := b.engine.Check(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

// Close gives everything back. It is safe on a half opened bench.
func (b *bench) Close() error {
	var errs []error
	if b.module != nil {
		errs = append(errs, b.module.Close())
	}
	if b.twin != nil {
		errs = append(errs, b.twin.Close())
	}
	return errors.Join(errs...)
}

// meta is what is known before the first sample.
func (b *bench) meta(s *suite.Suite) results.Meta {
	now := clock.Read()
	at := clock.UTC(now)
	m := results.Meta{
		Start: now,
		Run: results.Run{
			StartedUTC: at.Format(time.RFC3339Nano), StartedMonoNs: now.MonoNs, PowerdVersion: version(), FioVersion: b.fioVersion,
		},
		Suite: results.Suite{Name: s.Name, Title: s.Title, SHA256: s.SHA256, Scale: 1, Simulated: b.info.Alias == catalog.SimAlias},
		Bench: results.Bench{RailsUsed: b.info.Rails},
		Drive: b.drive(),
		Module: results.Module{
			Driver: b.info.Driver, Model: b.info.Model, Serial: b.info.Serial, Firmware: b.info.Firmware,
			Link: b.info.Link, Port: b.info.Port, Rails: b.info.Rails, LatencyTimerMs: b.info.LatencyMs,
		},
	}
	machine := host.Describe()
	m.Host = results.Host{CPU: machine.CPU, Kernel: machine.Kernel}
	m.Run.ID = runID(at, s.Name, m.Drive)
	return m
}

func (b *bench) drive() results.Drive {
	if b.twin != nil {
		return results.Drive{
			Vendor: "twin", Model: b.twinName, Serial: fmt.Sprintf("seed-%d", b.twinSeed), CapacityBytes: b.target.SizeBytes,
			Interface: "twin", Target: b.target.Path, TwinScale: float64(b.twinScale),
		}
	}
	t := b.target
	return results.Drive{
		Vendor: t.Vendor, Model: t.Model, Serial: t.Serial, Firmware: t.Firmware, CapacityBytes: t.SizeBytes,
		Interface: t.Interface, ByID: t.ByID, Target: t.Path,
	}
}

// runID names a run: <UTC>-<suite>-<drive>-<serial>, in characters that any file
// system takes.
func runID(at time.Time, suiteName string, d results.Drive) string {
	parts := []string{at.Format("20060102T150405.000Z"), suiteName}
	for _, p := range []string{d.Model, d.Serial} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			return r
		}
		return '_'
	}, strings.Join(parts, "-"))
}

// truth writes what really happened, on a twin.
func (b *bench) truth(ctx context.Context, dir string, plan suite.Plan, d *results.Document) error {
	if b.twin == nil {
		return nil
	}
	q := emu.Request{StartedMonoNs: d.Run.StartedMonoNs, Stream: d.Alignment.Stream}
	if d.Idle != nil {
		q.Idle = &emu.Window{Step: d.Idle.Step, StartMonoNs: d.Idle.StartMonoNs, EndMonoNs: d.Idle.EndMonoNs}
	}
	ramped := map[string]bool{}
	for _, s := range plan {
		ramped[s.Name] = s.Job.Ramp > 0
	}
	for _, e := range d.Efficiency {
		q.Steps = append(q.Steps, emu.Window{
			Step: e.Step, StartMonoNs: e.StartMonoNs, EndMonoNs: e.EndMonoNs, Ramped: ramped[e.Step],
		})
	}
	t, err := b.twin.Truth(ctx, q)
	if err != nil {
		return err
	}
	out, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("encode truth: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "truth.json"), append(out, '\n'), 0o644)
}
