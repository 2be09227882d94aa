package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"powerd/analysis/pairing"
	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/suite"
)

func (a *app) pairCmd() *cobra.Command {
	var set *settings
	var typed string
	var asJSON bool
	c := &cobra.Command{
		Use:   "pair BENCH",
		Short: "Show that a bench's drive hangs on its module",
		Long: `pair reads from the bench's drive in three short bursts and looks for them in the
module's power: seven seconds, nothing is written. What it finds is remembered for this
module and this drive, and every run that loads the drive does the same again.

Where reads cannot show (the drive is off, or its power does not change with reads), the
drive's serial number has to be typed: at the terminal, or with --typed.`,
		Example: `  powerd pair left
  powerd pair left --json
  powerd pair left --typed S3Z8NB0K123456`,
		Args: args(1, 1, "the name of a bench"),
		RunE: func(c *cobra.Command, names []string) error {
			q := bench.Request{Suite: &suite.Suite{}, Log: a.logger(false), Ask: a.asker()}
			if c.Flags().Changed("typed") {
				q.Ask = func(_ context.Context, _, want string) (bool, error) { return typed == want, nil }
			}
			cfg, err := set.read()
			if err != nil {
				return err
			}
			if err := notServed(cfg, names[0]); err != nil {
				return err
			}
			e, err := bench.Pair(c.Context(), cfg, names[0], q)
			if err != nil {
				return coded(err)
			}
			err = a.paired(names[0], e, asJSON)
			if c.Flags().Changed("typed") && typed != e.Drive {
				err = errors.Join(err, usage("--typed %s is not that drive's serial number (%s); it was not needed, as reads show the drive", typed, e.Drive))
			}
			return err
		},
	}
	set = addSettings(c, nil)
	c.Flags().StringVar(&typed, "typed", "", "the drive's serial number, instead of typing it at the terminal")
	c.Flags().BoolVar(&asJSON, "json", false, "print the evidence as JSON")
	return c
}

func (a *app) paired(name string, e *pairing.Evidence, asJSON bool) error {
	if asJSON {
		return a.json(e)
	}
	text := fmt.Sprintf("confirmed by its serial number, as typed (%s)", e.Why)
	if e.Method == pairing.MethodBursts {
		text = "shown by reads"
		for _, b := range e.Bursts {
			if b.DeltaW != nil && b.SigmaW != nil {
				text += fmt.Sprintf(", %+.3g W (%.0f σ)", *b.DeltaW, *b.DeltaW / *b.SigmaW)
			}
		}
	}
	_, err := fmt.Fprintf(a.out, "bench %s: drive %s hangs on module %s: %s\n", name, e.Drive, e.Module, text)
	return err
}
