package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/publish"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// runFlags are the flags of run that are no settings.
type runFlags struct {
	out     string
	twin    string
	allow   []string
	verbose bool
	seed    uint64
}

func (a *app) runCmd() *cobra.Command {
	var f runFlags
	var s *settings
	c := &cobra.Command{
		Use:   "run SUITE",
		Short: "Run a suite and report what the drive drew",
		Long: `run reads the power module, loads the drive as the suite says, and leaves a folder
with samples, results.json, tables, pictures and a report. SUITE is a file, or one
of: ` + strings.Join(suite.Names(), ", ") + `.

Nothing is written to a drive and no power is switched unless --allow says so; on
a twin both are always allowed.`,
		Example: `  powerd run demo --twin seagate-1200-400
  powerd run idle --module /dev/ttyUSB0
  powerd run read-4k --module tcp:192.168.1.5 --target /dev/disk/by-id/ata-X
  powerd run start-and-idle --module /dev/ttyUSB0 --allow power`,
		Args: args(1, 1, "the name of a suite"),
		RunE: func(c *cobra.Command, names []string) error {
			return a.run(c.Context(), names[0], f, s)
		},
	}
	s = addSettings(c, map[string]string{
		"module": "module.port", "link": "module.link", "baud": "module.baud",
		"target": "target", "fio": "fio.path", "db": "store.path", "influx": "influx.url",
	})
	c.Flags().StringVar(&f.out, "out", "", "folder of this run (default runs/<UTC>-<suite>-<drive>-<serial>)")
	c.Flags().StringVar(&f.twin, "twin", "", "run on an emulated drive and module: "+strings.Join(catalog.TwinNames(), ", "))
	c.Flags().StringSliceVar(&f.allow, "allow", nil, "what the run may do to the drive: write, power")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "log what happens beside the measurement")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of a twin's noise")
	return c
}

func (a *app) run(ctx context.Context, name string, f runFlags, set *settings) (err error) {
	cfg, err := set.read()
	if err != nil {
		return err
	}
	s, err := suite.Find(name)
	if err != nil {
		return asUsage(err)
	}
	if f.twin != "" && !slices.Contains(catalog.TwinNames(), f.twin) {
		return usage("--twin: no twin is called %q; there is: %s", f.twin, strings.Join(catalog.TwinNames(), ", "))
	}
	plan := s.Plan(planDefaults(cfg))
	if err := permitted(plan, f); err != nil {
		return err
	}
	b, err := a.openBench(ctx, cfg, plan, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	spec, hold, err := prepare(cfg, s, plan, b, f)
	if err != nil {
		return err
	}
	defer hold.Close()
	fmt.Fprintf(a.err, "powerd: %s on module %s, %s, about %s; results in %s\n",
		s.Name, b.info.Serial, steps(plan), about(plan.Duration()), spec.Dir)
	err = a.measure(ctx, cfg, b, spec, f)
	if exitCode(err) == exitUsage {
		discard(spec.Dir)
	}
	return err
}

// permitted refuses what nobody has allowed.
func permitted(plan suite.Plan, f runFlags) error {
	known := []string{"write", "power"}
	for _, what := range f.allow {
		if !slices.Contains(known, what) {
			return usage("--allow %s: it is one of %s", what, strings.Join(known, ", "))
		}
	}
	if f.twin != "" {
		return nil
	}
	var need []string
	if plan.Writes() && !slices.Contains(f.allow, "write") {
		need = append(need, "write")
	}
	if plan.PowerCycles() && !slices.Contains(f.allow, "power") {
		need = append(need, "power")
	}
	if len(need) > 0 {
		return usage("this suite will %s; if that is what you want, run it again with --allow %s",
			strings.Join(deeds(need), " and "), strings.Join(need, ","))
	}
	return nil
}

func deeds(what []string) []string {
	out := make([]string, len(what))
	for i, w := range what {
		out[i] = map[string]string{"write": "overwrite data on the target", "power": "switch the drive's power off and on"}[w]
	}
	return out
}

// prepare makes the run's folder, and holds it for this process alone.
func prepare(cfg *config.Config, s *suite.Suite, plan suite.Plan, b *bench, f runFlags) (spec measure.Spec, hold io.Closer, err error) {
	meta := b.meta(s)
	dir := f.out
	if dir == "" {
		dir = filepath.Join(cfg.Out, meta.Run.ID)
	}
	if hold, err = claim(dir); err != nil {
		return spec, nil, err
	}
	if err := fill(dir, map[string]string{"suite.yaml": string(s.Source), "config.yaml": cfg.Show()}); err != nil {
		return spec, nil, errors.Join(asUsage(err), hold.Close())
	}
	return measure.Spec{Dir: dir, Meta: meta, Plan: plan, Target: b.target.Path}, hold, nil
}

// claim makes dir, or takes an empty one. What stands in a folder already is
// somebody's, and a run would write over it.
func claim(dir string) (io.Closer, error) {
	if _, err := os.Stat(filepath.Join(dir, "capture")); err == nil {
		return nil, usage("%s holds a run already; name another folder with --out, or remove it", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, asUsage(fmt.Errorf("make the run's folder: %w", err))
	}
	hold, err := results.Hold(dir)
	if err != nil {
		return nil, asUsage(err)
	}
	switch entries, err := os.ReadDir(dir); {
	case err != nil:
		return nil, errors.Join(asUsage(fmt.Errorf("look into the run's folder: %w", err)), hold.Close())
	case len(entries) > 0:
		return nil, errors.Join(usage("%s is not empty (%s is in it); name a new folder with --out", dir, entries[0].Name()), hold.Close())
	}
	return hold, nil
}

// fill writes what is known before the first sample.
func fill(dir string, files map[string]string) error {
	if err := os.Mkdir(filepath.Join(dir, "engine"), 0o755); err != nil {
		return fmt.Errorf("make the run's folder: %w", err)
	}
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
			return fmt.Errorf("write to the run's folder: %w", err)
		}
	}
	return nil
}

// discard takes back what fill wrote if nothing was measured, so that the same
// command can be given again once its mistake is mended.
func discard(dir string) {
	if _, err := os.Stat(filepath.Join(dir, "capture")); err == nil {
		return
	}
	for _, name := range []string{"engine", "suite.yaml", "config.yaml", ""} {
		_ = os.Remove(filepath.Join(dir, name)) // a folder that is not empty stays
	}
}

// measure runs the plan, and publishes what came of it however it ended.
func (a *app) measure(ctx context.Context, cfg *config.Config, b *bench, spec measure.Spec, f runFlags) error {
	o := storeOptions(cfg)
	o.Log = a.logger(f.verbose)
	stores, err := catalog.OpenStores(ctx, o)
	if err != nil {
		return asUsage(err)
	}
	p := newProgress(a.err)
	doc, err := measure.Run(ctx, measure.Parts{
		Module: b.module, Engine: b.engine, Store: stores, Now: clock.Mono, Clock: clock.Read, Log: o.Log, Show: p.show,
	}, spec)
	p.end()
	after := context.WithoutCancel(ctx)
	errs := []error{err}
	if doc != nil {
		errs = append(errs, b.truth(after, spec.Dir, spec.Plan, doc), a.publish(spec.Dir, doc, b.twin != nil))
	}
	if err == nil && doc != nil {
		errs = append(errs, incomplete(doc))
	}
	rep, err := stores.Close(after)
	errs = append(errs, err, rep.Err())
	if err := errors.Join(errs...); err != nil {
		if ctx.Err() != nil {
			errs[0] = fmt.Errorf("interrupted; what was measured is in %s", spec.Dir)
			return &codeError{exitInterrupted, errors.Join(errs...)}
		}
		if errors.Is(err, syscall.ENOSPC) {
			err = errors.Join(err, fmt.Errorf("make room, or name a folder on another disk with --out; `powerd analyze %s` reads what was written", spec.Dir))
		}
		return &codeError{exitFailed, err}
	}
	return nil
}

// incomplete is the error of a run with steps that came to nothing.
func incomplete(d *results.Document) error {
	steps := d.Nothing()
	if len(steps) == 0 {
		return nil
	}
	return fmt.Errorf("nothing could be measured in %s; the report says why", strings.Join(steps, ", "))
}

// publish draws, writes and prints.
func (a *app) publish(dir string, d *results.Document, twin bool) error {
	doc, err := publish.Write(dir, d)
	if doc != nil {
		shown := report.Terminal(a.out, publish.Brief(doc), terminalWidth(a.out))
		if shown != nil && !errors.Is(shown, syscall.EPIPE) && !errors.Is(shown, syscall.EIO) { // those: nobody looks any more
			return errors.Join(err, shown)
		}
		fmt.Fprintf(a.out, "\nReport: %s\n", filepath.Join(dir, "report.html"))
		if twin {
			fmt.Fprint(a.out, nextSteps)
		}
	}
	return err
}

const nextSteps = `
What really happened stands in truth.json beside it.

Your own module and drive:
  powerd devices                                        which modules answer
  powerd run idle --module /dev/ttyUSB0                 touches nothing
  powerd run read-4k --module /dev/ttyUSB0 --target /dev/disk/by-id/…
  powerd run start-and-idle --module /dev/ttyUSB0 --allow power
Into InfluxDB as well:
  POWERD_INFLUX_TOKEN=… POWERD_INFLUX_BUCKET=powerd powerd run … --influx http://127.0.0.1:8086
`
