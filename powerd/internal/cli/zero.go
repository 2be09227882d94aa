package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"powerd/analysis"
	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/zero"
	"powerd/quarch"
)

// zeroFlags are those of powerd zero.
type zeroFlags struct {
	length     time.Duration
	yes, force bool
	asJSON     bool
}

func (a *app) zeroCmd() *cobra.Command {
	var set *settings
	var f zeroFlags
	c := &cobra.Command{
		Use:   "zero BENCH",
		Short: "Measure what module and fixture draw without a drive",
		Long: `zero reads a bench's module for a minute, with the outputs on and the drive removed,
and remembers what it reads: the module's own offset and what the fixture draws. Idle
figures then show gross, zero and net; nothing is subtracted anywhere else.

Nothing is switched. Where the bench's target is there, nothing is read. A reading that
looks like a drive (50 mA and more, regular pulses) is not kept, unless --force says that
there is none.`,
		Example: `  powerd zero left
  powerd zero left --for 2m --yes`,
		Args: args(1, 1, "the name of a bench"),
		RunE: func(c *cobra.Command, names []string) error {
			cfg, err := set.read()
			if err != nil {
				return err
			}
			return a.zero(c.Context(), cfg, names[0], f)
		},
	}
	set = addSettings(c, nil)
	c.Flags().DurationVar(&f.length, "for", time.Minute, "how long to read")
	c.Flags().BoolVar(&f.yes, "yes", false, "the drive is removed; do not ask")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print what was read as JSON")
	c.Flags().BoolVar(&f.force, "force", false, "keep the reading although it looks like a drive")
	return c
}

func (a *app) zero(ctx context.Context, cfg *config.Config, name string, f zeroFlags) (err error) {
	b, err := bench.Named(cfg, name)
	if err != nil {
		return asUsage(err)
	}
	if err := zero.CheckLength(f.length); err != nil {
		return usage("--for: %w", err)
	}
	if err := notServed(cfg, name); err != nil {
		return err
	}
	_, err = os.Stat(b.Target)
	if b.Target != "" && err == nil {
		return usage("bench %s: the drive is still there: %s exists; remove it from its fixture first (if that is another drive, mend benches.%s.target)", name, b.Target, name)
	}
	m, info, err := bench.OpenModule(ctx, b, a.logger(false))
	if err != nil {
		return asUsage(err)
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if info.Powered != nil && !*info.Powered || strings.EqualFold(info.OutputMode, "DISABLED") {
		return usage("bench %s: the outputs of module %s are off, and a zero is read with them on; with the drive removed, switch them on (powerd power %s up --no-drive) and measure again",
			name, info.Serial, name)
	}
	if err := a.driveIsRemoved(ctx, name, f); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "powerd: reading module %s for %v\n", info.Serial, f.length)
	z, err := zero.Measure(ctx, m, f.length, cfg.Sampling.Default.Nanoseconds())
	if errors.Is(err, zero.ErrDrive) && !f.force {
		return errors.Join(usage("bench %s: %w; remove it and measure again, or say --force if there is none", name, err), a.showZero(name, z))
	}
	if err != nil && !errors.Is(err, zero.ErrDrive) {
		return fmt.Errorf("bench %s: %w", name, err)
	}
	z.DateUTC, z.Fixture = clock.UTC(clock.Read()).Format(time.RFC3339), b.Fixture
	if err := benchbook.Open(cfg.State).Update(name, func(e *benchbook.Entry) { e.Zero = z }); err != nil {
		return err
	}
	if f.asJSON {
		return a.json(z)
	}
	if err := a.showZero(name, z); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "kept: idle figures of bench %s show gross, zero and net from now on\n", name)
	return err
}

// driveIsRemoved asks for what powerd cannot see.
func (a *app) driveIsRemoved(ctx context.Context, name string, f zeroFlags) error {
	if f.yes {
		return nil
	}
	if !isTerminal(a.in) {
		return usage("bench %s: is the drive removed, and are the outputs on? Say so with --yes", name)
	}
	return a.yes(ctx, fmt.Sprintf("A zero is what module and fixture of bench %s read without a drive. Is the drive removed?", name))
}

// showZero prints what was read.
func (a *app) showZero(name string, z *results.Zero) error {
	fixture := ""
	if z.Fixture != "" {
		fixture = ", fixture " + z.Fixture
	}
	fmt.Fprintf(a.out, "bench %s: zero of module %s%s, %g s\n", name, z.Module, fixture, z.Seconds)
	for r := range quarch.ByRail(z.Rails) {
		f := z.Rails[r]
		if _, err := fmt.Fprintf(a.out, "  %-4s %.3f V  %s mA  %s mW\n", r, f.MeanV,
			analysis.FormatValue(f.MeanA*1e3, f.U95A*1e3, 3), analysis.FormatValue(f.MeanW*1e3, f.U95W*1e3, 3)); err != nil {
			return err
		}
	}
	return nil
}
