package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"powerd/powerd/internal/runs"
	"powerd/powerd/internal/watch"
)

func (a *app) runsCmd() *cobra.Command {
	var set *settings
	var out string
	var asJSON bool
	c := &cobra.Command{
		Use:   "runs [WORD…]",
		Short: "List and find runs",
		Long: `runs lists the runs in the folder of runs, newest first, with what they found. With
words, only those in which every word occurs: in the suite, drive, serial numbers,
bench, outcome, date or folder, in whatever case.`,
		Example: `  powerd runs
  powerd runs first-look left
  powerd runs 2026-11 failed
  powerd runs --out /data/runs --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, words []string) error {
			root, err := runsFolder(set, out)
			if err != nil {
				return err
			}
			list, err := runs.List(root)
			if err != nil {
				return asUsage(err)
			}
			found := []runs.Run{}
			for _, r := range list {
				if r.Matches(words) {
					found = append(found, r)
				}
			}
			if asJSON {
				return a.json(found)
			}
			return a.runs(root, words, len(list), found)
		},
	}
	set = addSettings(c, nil)
	c.Flags().StringVar(&out, "out", "", "folder of runs (default that of the settings)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return c
}

func (a *app) runs(root string, words []string, all int, found []runs.Run) error {
	switch {
	case all == 0:
		_, err := fmt.Fprintf(a.out, "no runs in %s; `powerd run first-look --bench NAME` makes one, --out names another folder\n", root)
		return err
	case len(found) == 0:
		_, err := fmt.Fprintf(a.out, "none of the %d runs in %s has all of: %s\n", all, root, strings.Join(words, " "))
		return err
	}
	w := a.columns()
	fmt.Fprintln(w, "UTC\tSUITE\tDRIVE\tBENCH\tOUTCOME\tIDLE W\tIOPS/mW\tFOLDER")
	for _, r := range found {
		started := "–"
		if !r.Started.IsZero() {
			started = r.Started.Format(time.DateTime)
		}
		outcome := r.Outcome
		if r.Outcome == runs.Unreadable {
			outcome += ": " + r.Why
		}
		if r.Simulated {
			outcome += ", simulated"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", started, orDash(r.Suite), orDash(strings.TrimSpace(r.Drive+" "+r.DriveSerial)),
			orDash(r.Bench), oneLine(outcome), figure(r.IdleW, 3), figure(r.BestIOPSPerMW, 2), r.Dir)
	}
	return w.Flush()
}

// oneLine keeps a row a row, and what a drive calls itself from steering the terminal.
func oneLine(text string) string { return watch.Clean(strings.Join(strings.Fields(text), " ")) }

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return oneLine(text)
}

// figure writes a number, or a dash where there is none.
func figure(x *float64, decimals int) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.*f", decimals, *x)
}
