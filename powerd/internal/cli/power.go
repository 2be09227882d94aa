package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/pair"
	"powerd/quarch"
)

// powerFlags are the flags of power that are no settings.
type powerFlags struct{ yes, noDrive, asJSON bool }

func (a *app) powerCmd() *cobra.Command {
	var set *settings
	var f powerFlags
	c := &cobra.Command{
		Use:   "power BENCH status|up|down|mode MODE",
		Short: "Look at a bench's supply, or switch it by hand",
		Long: `power asks a bench's module for power, output mode and the volts of its rails, or
switches them. Switching needs the bench's consent (power) and its pairing shown once,
and asks before it does; down is refused while anything on the drive is in use.`,
		Example: `  powerd power left status
  powerd power left down
  powerd power left up --yes
  powerd power left mode 5V
  powerd power left up --no-drive   for powerd zero`,
		Args: args(2, 3, "a bench and one of status, up, down, mode 5V, mode 3V3"),
		RunE: func(c *cobra.Command, given []string) error {
			mode, err := powerDeed(given)
			if err != nil {
				return err
			}
			cfg, err := set.read()
			if err != nil {
				return err
			}
			if err := notServed(cfg, given[0]); err != nil {
				return err
			}
			s, err := bench.OpenSupply(c.Context(), cfg, given[0], bench.Request{Log: a.logger(false)})
			if err != nil {
				return coded(err)
			}
			return errors.Join(a.power(c.Context(), s, given[0], given[1], mode, f), s.Close())
		},
	}
	set = addSettings(c, nil)
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	c.Flags().BoolVar(&f.noDrive, "no-drive", false, "the drive is removed, as for a zero: wait for none, and ask nobody who uses it")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print status as JSON")
	return c
}

// powerDeed checks what is to be done, and returns the mode if that is it.
func powerDeed(given []string) (mode string, err error) {
	const want = "want status, up, down, mode 5V or mode 3V3"
	switch deed := given[1]; {
	case deed == "mode" && len(given) < 3:
		return "", usage("powerd power %s mode: which one? %s", given[0], want)
	case deed == "mode":
		mode = strings.ToUpper(given[2])
		if mode != "5V" && mode != "3V3" {
			return "", usage("powerd power %s mode %s: %s", given[0], given[2], want)
		}
		return mode, nil
	case !slices.Contains([]string{"status", "up", "down"}, deed):
		return "", usage("powerd power %s %s: %s", given[0], deed, want)
	case len(given) > 2:
		return "", usage("powerd power %s %s: %q is too much", given[0], deed, given[2])
	}
	return "", nil
}

func (a *app) power(ctx context.Context, s *bench.Supply, name, deed, mode string, f powerFlags) error {
	if deed == "status" {
		return coded(a.powerStatus(ctx, s, name, f.asJSON))
	}
	if err := s.Allowed(); err != nil {
		return coded(err)
	}
	if f.noDrive {
		if err := s.NoDrive(); err != nil {
			return coded(err)
		}
	}
	do, what := s.Up, "give the drive of bench "+name+" power"
	switch deed {
	case "down":
		do, what = s.Down, "cut the power of the drive of bench "+name
	case "mode":
		if err := s.Suits(mode); err != nil {
			return coded(err)
		}
		do = func(ctx context.Context) error { return s.Mode(ctx, mode) }
		what = "set the output mode of bench " + name + " to " + mode
	}
	if err := a.agree(ctx, what, f.yes); err != nil {
		return err
	}
	if err := do(ctx); err != nil {
		return coded(err)
	}
	_, err := fmt.Fprintf(a.out, "bench %s: %s: done\n", name, strings.TrimSpace(deed+" "+mode))
	return err
}

// agree asks a person, unless they have said yes already.
func (a *app) agree(ctx context.Context, what string, yes bool) error {
	if yes {
		return nil
	}
	if !isTerminal(a.in) {
		return usage("this will %s; nobody is there to ask, so say --yes", what)
	}
	return a.yes(ctx, "This will "+what+". Go on?")
}

// yes asks at the terminal, and is nil if the answer is yes.
func (a *app) yes(ctx context.Context, question string) error {
	fmt.Fprint(a.err, question+" [y/N] ")
	answer, err := pair.Answer(ctx, a.in)
	if err != nil {
		return coded(errors.Join(bench.ErrInterrupted, fmt.Errorf("nothing was done: %w", err)))
	}
	if answer = strings.ToLower(answer); answer == "y" || answer == "yes" {
		return nil
	}
	return usage("nothing was done")
}

// powerState is what `powerd power BENCH status --json` prints.
type powerState struct {
	Bench      string              `json:"bench"`
	Module     string              `json:"module"`
	On         *bool               `json:"on,omitempty"` // absent = the module does not say
	OutputMode string              `json:"output_mode,omitempty"`
	RailsMV    map[quarch.Rail]int `json:"rails_mv,omitempty"`
	Left       string              `json:"left,omitempty"` // by a run that was killed
}

func (a *app) powerStatus(ctx context.Context, s *bench.Supply, name string, asJSON bool) error {
	info := s.Info()
	rails, err := s.RailsMV(ctx)
	if err != nil {
		return err
	}
	left, err := s.Left(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return a.json(powerState{name, info.Serial, info.Powered, info.OutputMode, rails, left})
	}
	power := "not said by the module"
	if info.Powered != nil {
		power = map[bool]string{true: "ON", false: "OFF"}[*info.Powered]
	}
	fmt.Fprintf(a.out, "bench %s, module %s: power %s", name, info.Serial, power)
	if info.OutputMode != "" {
		fmt.Fprintf(a.out, ", output mode %s", info.OutputMode)
	}
	for r := range quarch.ByRail(rails) {
		fmt.Fprintf(a.out, ", %s set to %d mV", r, rails[r])
	}
	fmt.Fprintln(a.out)
	for _, more := range []string{s.Lacking(), left} {
		if more != "" {
			fmt.Fprintln(a.out, more)
		}
	}
	return nil
}
