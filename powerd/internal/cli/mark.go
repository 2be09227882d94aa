package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/runs"
)

// markFlags say which run is marked.
type markFlags struct {
	settings *settings
	out, run string
	server   string
}

func (f *markFlags) add(c *cobra.Command) {
	f.settings = addSettings(c, nil)
	c.Flags().StringVar(&f.run, "run", "", "folder of the run that is marked (default the one under way)")
	c.Flags().StringVar(&f.out, "out", "", "folder of runs in which it is looked for (default that of the settings)")
	c.Flags().StringVar(&f.server, "server", "", "URL of the powerd that measures, where that is another host; its token is serve.token (POWERD_SERVE_TOKEN)")
	c.MarkFlagsMutuallyExclusive("server", "out")
}

// folder returns the folder of the run that is meant, which must be under way.
func (f *markFlags) folder() (string, error) {
	if f.run == "" {
		root, err := runsFolder(f.settings, f.out)
		if err != nil {
			return "", err
		}
		r, err := runs.Current(root)
		if err != nil {
			return "", usage("%w\nname the run with --run FOLDER", err)
		}
		return r.Dir, nil
	}
	r, err := runs.Open(f.run)
	if err != nil {
		return "", asUsage(err)
	}
	if !r.Live() {
		return "", usage("the run in %s is not under way (%s); only one that is can be marked", f.run, r.Outcome)
	}
	return r.Dir, nil
}

func (a *app) markCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "mark",
		Short: "Mark where something begins and ends in a run",
		Long: `mark notes in the run under way that something begins or ends: a benchmark of a
database, a phase of a test. The report then has the watts and joules of that window,
and with a count what was done for a joule. The time is taken when the command starts.

Where the engine runs on another host than the module, give that host's marks with
--server: the two hosts' clocks are compared by round trips, and how well they are known
goes into the ± of the window. The host that measures runs "powerd serve" with an address
that others can reach (serve.listen) and a token (serve.token).

A NAME such as state:ps4 says that the drive was asked for a power state: the report
then compares the power before and after, and calls the state reached or not.`,
		Example: `  powerd mark start tpcc
  powerd mark end tpcc --count 12000 --unit transactions
  powerd mark start state:ps4      after asking the drive for it
  powerd mark start tpcc --server http://192.168.1.7:7780`,
	}
	group(c)
	c.AddCommand(a.markStartCmd(), a.markEndCmd())
	return c
}

func (a *app) markStartCmd() *cobra.Command {
	var f markFlags
	c := &cobra.Command{
		Use: "start NAME", Short: "Mark a beginning",
		Example: "  powerd mark start tpcc",
		Args:    args(1, 1, "a name for what begins"),
		RunE: func(c *cobra.Command, names []string) error {
			return a.mark(c.Context(), &f, results.UserMark{Mark: results.MarkStart, Name: names[0], MonoNs: clock.Mono()})
		},
	}
	f.add(c)
	return c
}

func (a *app) markEndCmd() *cobra.Command {
	var f markFlags
	var count, unit string
	c := &cobra.Command{
		Use: "end NAME", Short: "Mark an end, and say what was done",
		Example: `  powerd mark end tpcc
  powerd mark end tpcc --count 12000 --unit transactions`,
		Args: args(1, 1, "the name of what was started"),
		RunE: func(c *cobra.Command, names []string) error {
			m := results.UserMark{Mark: results.MarkEnd, Name: names[0], MonoNs: clock.Mono()}
			if !c.Flags().Changed("count") && !c.Flags().Changed("unit") {
				return a.mark(c.Context(), &f, m)
			}
			return a.markCounted(c.Context(), &f, m, count, unit)
		},
	}
	f.add(c)
	c.Flags().StringVar(&count, "count", "", "how much was done between start and end: a whole number")
	c.Flags().StringVar(&unit, "unit", "", "of the count: transactions, queries (default "+countUnit+")")
	return c
}

// countUnit is that of a count of which nobody says what was counted.
const countUnit = "counts"

// markCounted marks an end with what was done. The moment does not come again, and the
// count can be told later: an end is marked whatever is wrong with that, which is then said.
func (a *app) markCounted(ctx context.Context, f *markFlags, m results.UserMark, count, unit string) error {
	var wrong error
	n, err := strconv.ParseUint(count, 10, 64)
	switch {
	case count == "":
		wrong = fmt.Errorf("how many %s? --unit needs a --count; the end is marked without them", unit)
	case err != nil:
		wrong = fmt.Errorf("--count %s is no whole number from 0 up; the end is marked without it", count)
	default:
		counted := m
		counted.Count, counted.Unit = &n, cmp.Or(unit, countUnit)
		if unit == "" {
			wrong = fmt.Errorf("%d of what? It is noted as %s; next time name it with --unit", n, countUnit)
		}
		if err := a.mark(ctx, f, counted); !errors.Is(err, results.ErrMark) {
			return errors.Join(err, asUsage(wrong))
		} else if unit != "" {
			wrong = fmt.Errorf("%w; the end is marked without its count", err)
		}
	}
	if err := a.mark(ctx, f, m); err != nil {
		return err
	}
	return asUsage(wrong)
}

// mark adds a mark to the run and says what it closed.
func (a *app) mark(ctx context.Context, f *markFlags, m results.UserMark) error {
	if f.server != "" {
		return a.markFar(ctx, f, m)
	}
	dir, err := f.folder()
	if err != nil {
		return err
	}
	lasted, err := addMark(dir, m)
	switch {
	case errors.Is(err, results.ErrMark):
		return asUsage(err)
	case err != nil:
		return err
	}
	if m.Mark == results.MarkStart {
		_, err = fmt.Fprintf(a.out, "%s: started in %s\n", m.Name, dir)
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s: ended after %v in %s; its watts and joules stand in the report\n", m.Name, lasted, dir)
	return err
}

// addMark adds a mark of this boot's clock to a run, and returns how long what it ends has
// lasted.
func addMark(dir string, m results.UserMark) (lasted time.Duration, err error) {
	if s, err := measure.ReadStatus(dir); err == nil {
		m.MonoNs += s.ShiftNs // the run may have begun before the machine was started last
	}
	started, err := results.AddMark(dir, m)
	return time.Duration(m.MonoNs - started.MonoNs).Round(time.Millisecond), err
}
