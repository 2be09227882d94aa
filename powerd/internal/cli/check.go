package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/check"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/quarch"
)

func (a *app) checkCmd() *cobra.Command {
	var set *settings
	var asJSON bool
	c := &cobra.Command{
		Use:   "check BENCH",
		Short: "Say whether a bench is fit to measure on, and how to mend it",
		Long: `check looks at a bench of the settings: its module and the rate of its samples, what
the module gives the drive, what is known of the bench from before, the drive and
who uses it, and this machine. Each finding is a line: ok, warn or fail, and its cure.

It asks the module and lets it stream for a second; it sends nothing to the drive and
switches nothing. It exits with 2 if something fails.`,
		Example: `  powerd check left
  powerd check left --json`,
		Args: args(1, 1, "the name of a bench"),
		RunE: func(c *cobra.Command, names []string) error {
			cfg, err := set.read()
			if err != nil {
				return err
			}
			b, err := cfg.Bench(names[0])
			if err != nil {
				return asUsage(err)
			}
			return a.check(c.Context(), cfg, b, asJSON)
		},
	}
	set = addSettings(c, nil)
	c.Flags().BoolVar(&asJSON, "json", false, "print the lines as JSON")
	return c
}

func (a *app) check(ctx context.Context, cfg *config.Config, b config.Bench, asJSON bool) error {
	module := bench.ModuleOptions(b.Module, a.logger(false))
	served, err := servedBy(cfg, b.Name)
	if err != nil {
		return err
	}
	lines := check.Judge(check.Look(ctx, check.Options{
		Config: cfg, Bench: b, Served: served,
		Open:   func(ctx context.Context) (quarch.Module, error) { return catalog.OpenModule(ctx, module) },
		Engine: catalog.Fio(catalog.FioOptions{Path: cfg.Fio.Path, Now: clock.Mono}),
		Fuse:   catalog.TwinsServed, Clock: clock.Read,
	}))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := a.checkLines(b.Name, lines, asJSON); err != nil {
		return err
	}
	if n := check.Fails(lines); n > 0 {
		return usage("bench %s: %d of %d checks fail; nothing was switched, nothing was written", b.Name, n, len(lines))
	}
	return nil
}

func (a *app) checkLines(bench string, lines []check.Line, asJSON bool) error {
	if asJSON {
		return a.json(struct {
			Bench string       `json:"bench"`
			Fails int          `json:"fails"`
			Lines []check.Line `json:"lines"`
		}{bench, check.Fails(lines), lines})
	}
	for _, l := range lines {
		if _, err := fmt.Fprintf(a.out, "%-4s  %s\n", l.Level, l); err != nil {
			return err
		}
	}
	return nil
}
