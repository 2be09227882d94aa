package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/emu"
	"powerd/powerd/internal/pair"
	"powerd/powerd/internal/publish"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/suite"
)

// runFlags are the flags of run that are no settings.
type runFlags struct {
	settings    *settings
	bench       string
	out         string
	resume      string
	twin        string
	drive       string
	scale       string
	failOnLimit bool
	verbose     bool
	seed        uint64
	faults      faultFlags
}

func (a *app) runCmd() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run SUITE",
		Short: "Run a suite and report what the drive drew",
		Long: `run reads the power module, loads the drive as the suite says, and leaves a folder
with samples, results.json, tables, pictures and a report. SUITE is a file, or one
of: ` + strings.Join(suite.Names(), ", ") + `.

Before a drive is loaded, or the power of one that is on is cut, three bursts of reads
must show in the module's power, so that the drive is known to hang on this module. Nothing is written to a drive and no
power is switched unless the bench consents; on a twin both are always allowed.`,
		Example: `  powerd run first-look --bench left
  powerd run demo --twin seagate-1200-400
  powerd run idle --module /dev/ttyUSB0
  powerd run read-4k --module tcp:192.168.1.5 --target /dev/disk/by-id/ata-X
  powerd run --resume runs/20261130T201500.000Z-pts-iops-left   after a crash or Ctrl-C`,
		Args: func(c *cobra.Command, names []string) error {
			if f.resume != "" {
				return args(0, 0, "no suite beside --resume: the run's folder has it")(c, names)
			}
			return args(1, 1, "the name of a suite")(c, names)
		},
		RunE: func(c *cobra.Command, names []string) error {
			if f.resume != "" {
				return a.goOn(c.Context(), f)
			}
			s, err := suite.Find(names[0])
			if err != nil {
				return asUsage(err)
			}
			return a.run(c.Context(), s, f)
		},
	}
	f.add(c)
	return c
}

func (f *runFlags) add(c *cobra.Command) {
	f.settings = addSettings(c, map[string]string{
		"module": "module.port", "link": "module.link", "baud": "module.baud",
		"target": "target", "fio": "fio.path", "db": "store.path", "influx": "influx.url",
	})
	c.Flags().StringVar(&f.bench, "bench", "", "bench of the settings: a module, its drive, and what may be done to it")
	c.Flags().StringVar(&f.out, "out", "", "folder of this run (default runs/<UTC>-<suite>-<drive>-<serial>)")
	c.Flags().StringVar(&f.resume, "resume", "", "folder of a run that was broken off: go on with it on the same bench, suite and drive")
	c.Flags().StringVar(&f.twin, "twin", "", "run on an emulated drive and module, or on that of a twin file: "+strings.Join(catalog.TwinNames(), ", "))
	c.Flags().StringVar(&f.drive, "drive", "", "drive file whose claims the drive is held against, by name or path (default the bench's)")
	addScale(c, &f.scale)
	c.Flags().BoolVar(&f.failOnLimit, "fail-on-limit", false, "exit with 3 if a limit of the drive file is surely broken")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "log what happens beside the measurement")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of a twin's noise")
	f.faults.add(c)
}

// request turns flags and settings into what the bench is asked for.
func (a *app) request(s *suite.Suite, f *runFlags) (bench.Request, error) {
	cfg, err := f.settings.read()
	if err != nil {
		return bench.Request{}, err
	}
	twin, err := knownTwin(f.twin)
	if err != nil {
		return bench.Request{}, err
	}
	if f.twin != "" && f.bench != "" {
		return bench.Request{}, usage("--twin and --bench: a twin is a bench of its own; name one of them")
	}
	if err := f.faults.read(); err != nil {
		return bench.Request{}, err
	}
	if len(f.faults.list) > 0 && f.twin == "" {
		return bench.Request{}, usage("--fault: only an emulated module has faults to order; add --twin NAME")
	}
	if given := f.settings.given("module", "target"); f.bench != "" && given != "" {
		return bench.Request{}, usage("--bench and %s: the bench says which module and target; leave one out", given)
	}
	scale, err := readScale(f.scale)
	if err != nil {
		return bench.Request{}, err
	}
	d := planDefaults(cfg, twin)
	d.Scale = scale
	q := bench.Request{
		Config: cfg, Bench: f.bench, Suite: s, Scale: scale, Plan: s.Plan(d), Out: f.out, Drive: f.drive,
		Version: version(), Log: a.logger(f.verbose), Ask: a.asker(),
	}
	if f.twin != "" {
		q.Twin = &bench.Twin{
			Name: twin.Name, Rails: twin.Rails, Scale: cfg.Twin.Scale, Seed: f.seed, Faulty: len(f.faults.list) > 0,
			Start: func(ctx context.Context) (*emu.Twin, error) { return startTwin(ctx, cfg, f) },
		}
	}
	return q, nil
}

// asker asks on the terminal; nil where there is none.
func (a *app) asker() func(context.Context, string, string) (bool, error) {
	if !isTerminal(a.in) {
		return nil
	}
	return func(ctx context.Context, why, want string) (bool, error) {
		return pair.Confirm(ctx, a.in, a.err, why, want)
	}
}

func startTwin(ctx context.Context, cfg *config.Config, f *runFlags) (*emu.Twin, error) {
	t := twinFlags{
		dir:  catalog.TwinDir(os.TempDir(), os.Getpid()),
		size: cfg.Twin.Size, scale: cfg.Twin.Scale, seed: f.seed, ppm: cfg.Twin.PPM,
		offset: cfg.Twin.Offset, jitter: cfg.Twin.Jitter, fifo: 1 << 20, serial: "QTL1999-02-001",
		faults: f.faults,
	}
	catalog.SweepTwins(os.TempDir())
	return emu.Start(ctx, t.dir, t.args(f.twin)...)
}

func (a *app) run(ctx context.Context, s *suite.Suite, f runFlags) error {
	q, err := a.request(s, &f)
	if err != nil {
		return err
	}
	serving, err := owner(q.Config, q.Bench)
	if err != nil {
		return err
	}
	if serving != nil {
		return a.runServed(ctx, serving, &q, &f)
	}
	return a.runHere(ctx, &q, &f)
}

// runHere makes a run, or goes on with one, in this process.
func (a *app) runHere(ctx context.Context, q *bench.Request, f *runFlags) error {
	p := newProgress(a.err)
	q.Show = p.show
	q.Begin = func(b bench.Begun) { a.announce(q.Suite, b) }
	out, err := bench.Run(ctx, *q)
	p.end()
	if out.Report != nil {
		err = errors.Join(err, a.brief(out.Dir, out.Report))
		if q.Twin != nil {
			fmt.Fprint(a.out, nextSteps)
		}
	}
	if err == nil && f.failOnLimit {
		return brokenLimits(out.Document)
	}
	return coded(err)
}

// announce says that a run begins.
func (a *app) announce(s *suite.Suite, b bench.Begun) {
	fmt.Fprintf(a.err, "powerd: %s on module %s, %s, about %s; results in %s\n",
		s.Name, b.Module, steps(b.Plan), about(b.Plan.Duration()), b.Dir)
	for _, r := range b.Again {
		if r.Unjudged {
			fmt.Fprintf(a.err, "powerd: %s is done again without a figure: %s\n", r.What, r.Why)
			continue
		}
		fmt.Fprintf(a.err, "powerd: %s is done again: %s\n", r.What, r.Why)
	}
}

// coded gives an error of the bench its exit code.
func coded(err error) error {
	var refused *bench.RefusalError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bench.ErrInterrupted):
		return &codeError{exitInterrupted, err}
	case errors.As(err, &refused):
		return asUsage(err)
	}
	return &codeError{exitFailed, err}
}

// brief prints what a person compares.
func (a *app) brief(dir string, doc *report.Doc) error {
	shown := report.Terminal(a.out, publish.Brief(doc), terminalWidth(a.out))
	if shown != nil && !errors.Is(shown, syscall.EPIPE) && !errors.Is(shown, syscall.EIO) { // those: nobody looks any more
		return shown
	}
	path := filepath.Join(dir, "report.html")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) { // else why there is none is told
		fmt.Fprintf(a.out, "\nReport: %s\n", path)
	}
	return nil
}

const nextSteps = `
What really happened stands in truth.json beside it.

Your own module and drive:
  powerd init                          which drive is on which module; touches nothing
  powerd check NAME                    is everything as it should be?
  powerd run first-look --bench NAME   three minutes, reads only
Into InfluxDB as well:
  POWERD_INFLUX_TOKEN=… POWERD_INFLUX_BUCKET=powerd powerd run … --influx http://127.0.0.1:8086
`
