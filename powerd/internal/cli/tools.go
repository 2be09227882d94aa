package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"powerd/engine"
	"powerd/powerd/internal/suite"
)

func (a *app) suiteCmd() *cobra.Command {
	c := &cobra.Command{Use: "suite", Short: "List and check suites", Example: "  powerd suite list\n  powerd suite check my.yaml"}
	group(c)
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List the built-in suites", Args: args(0, 0, "no argument"), Example: "  powerd suite list\n  powerd suite list --json",
		RunE: func(*cobra.Command, []string) error { return a.suiteList(asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	c.AddCommand(list, a.suiteCheckCmd())
	return c
}

// suiteRow is what `powerd suite list --json` prints of a suite.
type suiteRow struct {
	Name      string  `json:"name"`
	Title     string  `json:"title"`
	Steps     int     `json:"steps"`
	DurationS float64 `json:"duration_s"`
	Writes    bool    `json:"writes"`
	CutsPower bool    `json:"cuts_power"`

	WritesCapacities float64 `json:"writes_capacities,omitempty"` // of the drive, after which loads end
	WritesFor        float64 `json:"writes_for_s,omitempty"`      // time of writes that nothing else bounds
}

func (a *app) suiteList(asJSON bool) error {
	var rows []suiteRow
	w := a.columns()
	for _, name := range suite.Names() {
		s, err := suite.Find(name)
		if err != nil {
			return err
		}
		plan := s.Plan(suite.Defaults{})
		e := plan.Extent()
		rows = append(rows, suiteRow{name, s.Title, len(plan), plan.Duration().Seconds(), plan.Writes(), plan.PowerCycles(), e.UntilWritten, e.FreeWriting.Seconds()})
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", name, about(plan.Duration()), written(plan, e), s.Title)
	}
	if asJSON {
		return a.json(rows)
	}
	return w.Flush()
}

func steps(p suite.Plan) string {
	if len(p) == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", len(p))
}

// written is does, with how much: "writes 2 × capacity and for 11h40m0s".
func written(p suite.Plan, e suite.Extent) string {
	var parts []string
	if e.UntilWritten > 0 {
		parts = append(parts, fmt.Sprintf("%.3g × capacity", e.UntilWritten))
	}
	if e.FreeWriting > 0 {
		parts = append(parts, "for "+about(e.FreeWriting))
	}
	if len(parts) == 0 {
		return does(p)
	}
	return strings.Replace(does(p), "writes", "writes "+strings.Join(parts, " and "), 1)
}

func does(p suite.Plan) string {
	if deeds := p.Deeds(); len(deeds) > 0 {
		return strings.Join(deeds, ", ")
	}
	if p.Loads() {
		return "reads only"
	}
	return "touches nothing"
}

// extent says how often and how much a plan does what wears a drive.
func extent(e suite.Extent) []string {
	var out []string
	if e.Cycles > 0 {
		out = append(out, fmt.Sprintf("cuts power and restores it %d ×", e.Cycles))
	}
	if e.Rounds > 0 {
		out = append(out, fmt.Sprintf("up to %d rounds", e.Rounds))
	}
	if e.Writing == 0 {
		return out
	}
	text := fmt.Sprintf("writes for up to %s", about(e.Writing))
	until := fmt.Sprintf(", until %g × the drive's capacity has been written", e.UntilWritten)
	free := fmt.Sprintf("as much as the drive takes: at 100 MB/s of writes %s", volume(100e6*e.FreeWriting.Seconds()))
	switch {
	case e.UntilWritten > 0 && e.FreeWriting > 0:
		text += until + ", and " + free
	case e.UntilWritten > 0:
		text += until
	case e.WritesAtMost >= 0:
		text += fmt.Sprintf(", at most %.3g GB", float64(e.WritesAtMost)*1e-9)
	default:
		text += ", " + free
	}
	return append(out, text)
}

// volume writes bytes as people do.
func volume(bytes float64) string {
	if bytes >= 1e12 {
		return fmt.Sprintf("%.3g TB", bytes*1e-12)
	}
	if bytes < 1e9 {
		return fmt.Sprintf("%.3g MB", bytes*1e-6)
	}
	return fmt.Sprintf("%.3g GB", bytes*1e-9)
}

// jobText says what a job does, in one line.
func jobText(j engine.Job) string {
	if j.JobFile != "" {
		return "job file " + j.JobFile
	}
	text := j.RW
	if engine.Mixed(j.RW) {
		text += fmt.Sprintf(" %d %% reads", j.ReadPct)
	}
	text += fmt.Sprintf(" %s qd %d × %d", suite.Bytes(j.BlockBytes), j.QueueDepth, j.Jobs)
	if !j.Share.Whole() {
		text += fmt.Sprintf(", %s of the drive", j.Share)
	}
	if j.CompressPct > 0 {
		text += fmt.Sprintf(", entropy %d %%", 100-j.CompressPct)
	}
	if j.RateIOPS > 0 {
		text += fmt.Sprintf(", at %d IOPS", j.RateIOPS)
	}
	if j.Ramp > 0 {
		text += fmt.Sprintf(", after a ramp of %v", j.Ramp)
	}
	return text
}

func (a *app) configCmd() *cobra.Command {
	var s *settings
	c := &cobra.Command{Use: "config", Short: "Show the settings", Example: "  powerd config show"}
	group(c)
	show := &cobra.Command{
		Use: "show", Short: "Print every setting and where it came from", Args: args(0, 0, "no argument"), Example: "  powerd config show --config bench.yaml",
		RunE: func(*cobra.Command, []string) error {
			cfg, err := s.read()
			if err != nil {
				return err
			}
			_, err = io.WriteString(a.out, cfg.Show())
			return err
		},
	}
	s = addSettings(show, nil)
	c.AddCommand(show)
	return c
}
