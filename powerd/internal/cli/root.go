package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// app is what every command has.
type app struct {
	in       io.Reader
	out, err io.Writer
}

// Main runs powerd with args (without the program's name) and returns its exit
// code.
func Main(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(errOut, "powerd: this is a fault of powerd's own: %v; what was measured is on disk, and `powerd analyze` reads it\n%s", p, debug.Stack())
			code = exitFailed
		}
	}()
	a := &app{in: in, out: out, err: errOut}
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !nobodyLooks(err) {
		for _, line := range lines(err) {
			if !strings.HasPrefix(line, "  ") { // else it is to be copied as it is
				line = "powerd: " + line
			}
			fmt.Fprintln(errOut, line)
		}
		if hint := roomHint(err); hint != "" {
			fmt.Fprintln(errOut, "powerd: "+hint)
		}
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return exitCode(err)
}

// lines returns what an error says, each thing once: one cause may come up several
// times, as what ended a step, the stream, and the run.
func lines(err error) []string {
	var out []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !slices.ContainsFunc(out, func(said string) bool { return strings.HasSuffix(said, line) }) {
			out = append(out, line)
		}
	}
	return out
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "powerd",
		Short: "Measure what a drive draws while an IO engine loads it",
		Long: `powerd reads a power module over a serial port, runs an IO engine, puts both on
one time axis with a stated error, and computes start-up current, idle watts, and
IOPS and MB/s per milliwatt.`,
		Example: `  powerd run demo --twin seagate-1200-400        the whole job on an emulated bench
  powerd run idle --module /dev/ttyUSB0          what does my drive draw when idle?
  powerd devices                                 which modules answer`,
		Version:      version(),
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%w; `%s --help` says what there is", flagError(err), c.CommandPath())
	})
	group(root)
	root.AddCommand(a.initCmd(), a.runCmd(), a.recordCmd(), a.markCmd(), a.pairCmd(), a.powerCmd(), a.zeroCmd(), a.analyzeCmd(), a.compareCmd(), a.watchCmd(), a.runsCmd(), a.serveCmd(), a.checkCmd(), a.suiteCmd(), a.configCmd(), a.devicesCmd(), a.simCmd(), a.versionCmd())
	return root
}

// group makes c a command that only holds others: alone it shows its help, and a
// word that is none of them is a mistake.
func group(c *cobra.Command) {
	c.SuggestionsMinimumDistance = 2
	c.Args = func(c *cobra.Command, given []string) error {
		if len(given) == 0 {
			return nil
		}
		hint := ""
		if near := c.SuggestionsFor(given[0]); len(near) > 0 {
			hint = " (did you mean " + strings.Join(near, " or ") + "?)"
		}
		return usage("unknown command %q for %q%s; `%s --help` says what there is", given[0], c.CommandPath(), hint, c.CommandPath())
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// args checks how many arguments a command was given.
func args(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		switch {
		case len(given) < least:
			return usage("%s needs %s; `%s --help` shows an example", c.CommandPath(), what, c.CommandPath())
		case len(given) > most:
			return usage("%s takes %s; %q is too much", c.CommandPath(), what, given[most])
		}
		return nil
	}
}

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: args(0, 0, "no argument"),
		Example: "  powerd version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.out, "powerd", version())
			return err
		},
	}
}

// version is the module's version as built, or the revision it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "devel"
}

// logger writes what goes wrong beside the measurement, one line each.
func (a *app) logger(verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(&sayer{w: a.err, level: level, tty: isTerminal(a.err)})
}

// quiet turns the end that a Ctrl-C asked for into no error.
func quiet(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
