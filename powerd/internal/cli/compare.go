package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"powerd/analysis/compare"
	"powerd/powerd/internal/comparison"
	"powerd/powerd/internal/report"
)

// compareFlags are those of compare.
type compareFlags struct {
	out, runs            string
	json                 bool
	simulated, oneModule bool
	duty, price          string
	pue, efficiency      float64
}

func (a *app) compareCmd() *cobra.Command {
	var f compareFlags
	var set *settings
	c := &cobra.Command{
		Use:   "compare RUN RUN…",
		Short: "Lay runs side by side: what differs, and whether it is more than the uncertainty",
		Long: `compare holds runs against the first of them: first what differs beside the drive, then
every workload that two of them have, idle, start-up and write saturation, each with its
ratio ± and a verdict, and what only some have. A run is a results.json of any powerd, the
folder that holds one, or a name out of ` + "`powerd runs`" + `. Nothing is written but into --out.

Verdicts: higher, lower, "no difference" where the difference is not above the combined ±,
and "not judged" where a ± is not known. The ± of two figures adds up as root of squares. It
holds the module's accuracy in both: right for two modules, and wider than need be for one.
--one-module says that one module read all runs and did not drift between them; what its
readings have in common then drops out.

kWh and cost a year are given for your own duty, PUE, supply and price only. A duty is
"idle", and cells by the names that compare prints, with their shares of the time in
per cent.`,
		Example: `  powerd compare runs/20261130T201500.000Z-review-a runs/20261201T090000.000Z-review-b --out a-and-b
  powerd compare old.json new.json --one-module                          two firmwares on one module
  powerd compare a.json b.json --json
  powerd compare a.json b.json --duty idle=60,randread-4k-qd32=40 --pue 1.3 --supply-efficiency 92 --price "0.30 EUR"`,
		Args: args(2, comparison.Most, fmt.Sprintf("two to %d runs", comparison.Most)),
		RunE: func(c *cobra.Command, names []string) error {
			root, err := runsFolder(set, f.runs)
			if err != nil {
				return err
			}
			o, err := f.options(c)
			if err != nil {
				return err
			}
			return a.compare(names, root, f, o)
		},
	}
	set = addSettings(c, nil)
	c.Flags().StringVar(&f.out, "out", "", "folder for report.html, report.md, tables and pictures")
	c.Flags().StringVar(&f.runs, "runs", "", "folder in which runs are looked for by name (default that of the settings)")
	c.Flags().BoolVar(&f.json, "json", false, "print the comparison as JSON")
	c.Flags().BoolVar(&f.simulated, "simulated", false, "hold emulated drives against real ones")
	c.Flags().BoolVar(&f.oneModule, "one-module", false, "one module read all runs and did not drift: what its readings have in common drops out of the ±")
	c.Flags().StringVar(&f.duty, "duty", "", "shares of a drive's time: idle=60,CELL=40")
	c.Flags().Float64Var(&f.pue, "pue", 0, "power usage effectiveness of the building")
	c.Flags().Float64Var(&f.efficiency, "supply-efficiency", 0, "efficiency of the host's power supply in per cent")
	c.Flags().StringVar(&f.price, "price", "", "price of a kWh, with its currency")
	limit(c, map[string]func(string) string{
		"pue":               between(1, compare.MostPUE, "1 is a building that needs nothing for itself"),
		"supply-efficiency": between(compare.LeastEffi, 100, "in per cent"),
	})
	return c
}

// between is the fault of a number outside a range.
func between(least, most float64, what string) func(string) string {
	return func(text string) string {
		if x, err := strconv.ParseFloat(text, 64); err != nil || !(x >= least && x <= most) {
			return fmt.Sprintf("must be a number from %g to %g; %s", least, most, what)
		}
		return ""
	}
}

// options reads what a buyer gave.
func (f *compareFlags) options(c *cobra.Command) (comparison.Options, error) {
	o := comparison.Options{Simulated: f.simulated, OneModule: f.oneModule}
	if c.Flags().Changed("duty") {
		duty, err := compare.ParseDuty(f.duty)
		if err != nil {
			return o, usage("--duty: %w", err)
		}
		o.Duty = duty
	}
	if c.Flags().Changed("pue") {
		o.PUE = &f.pue
	}
	if c.Flags().Changed("supply-efficiency") {
		o.SupplyEfficiencyPct = &f.efficiency
	}
	if c.Flags().Changed("price") {
		amount, currency, _ := strings.Cut(strings.TrimSpace(f.price), " ")
		price, err := strconv.ParseFloat(amount, 64)
		if err != nil || !(price >= 0 && price <= compare.MostPrice) {
			return o, usage("--price %q: must be a number from 0 to %g and a currency, as in \"0.30 EUR\"", f.price, float64(compare.MostPrice))
		}
		o.PricePerKWh, o.Currency = &price, strings.TrimSpace(currency)
	}
	return o, nil
}

func (a *app) compare(names []string, root string, f compareFlags, o comparison.Options) error {
	if f.out != "" && isRun(f.out) {
		return usage("--out %s is the folder of a run, whose report would be overwritten; name another", f.out)
	}
	subjects, err := comparison.Open(names, root)
	if err != nil {
		return asUsage(err)
	}
	c, err := comparison.Make(subjects, o)
	if err != nil {
		return asUsage(err)
	}
	if f.out != "" {
		if err := os.MkdirAll(f.out, 0o755); err != nil {
			return fmt.Errorf("write comparison: %w", err)
		}
		if _, err := c.Write(f.out); err != nil {
			return err
		}
	}
	if f.json {
		return a.json(c)
	}
	if err := report.Terminal(a.out, c.Brief(), terminalWidth(a.out)); err != nil {
		return err
	}
	if f.out != "" {
		fmt.Fprintf(a.out, "\nReport: %s\n", filepath.Join(f.out, "report.html"))
	}
	return nil
}
