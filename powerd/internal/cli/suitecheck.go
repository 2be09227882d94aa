package cli

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"powerd/analysis/limits"
	"powerd/engine"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/suite"
)

// suiteChecked is what `powerd suite check --json` prints.
type suiteChecked struct {
	Name      string         `json:"name"`
	Title     string         `json:"title,omitempty"`
	SHA256    string         `json:"sha256"`
	Scale     float64        `json:"scale"` // of time; 1 = as written
	DurationS float64        `json:"duration_s"`
	DiskBytes int64          `json:"disk_bytes"` // that the run's folder takes, about
	Writes    bool           `json:"writes"`
	CutsPower int            `json:"cuts_power"` // times
	Drive     *suiteOnDrive  `json:"drive,omitempty"`
	Steps     []suiteStepRow `json:"steps"` // each round's as in the first

	WritesCapacities float64 `json:"writes_capacities,omitempty"`
	WritesForS       float64 `json:"writes_for_s,omitempty"` // where nothing but the drive bounds them
}

// suiteOnDrive is what a suite costs a drive of a drive file.
type suiteOnDrive struct {
	File           string   `json:"file"`
	WritesTB       float64  `json:"writes_tb"`
	DurationS      float64  `json:"duration_s"`
	Rates          string   `json:"rates"`                     // where the rates of it are from
	EnduranceTB    *float64 `json:"endurance_tb,omitempty"`    // rated
	EnduranceShare *float64 `json:"endurance_share,omitempty"` // of it that the suite uses
}

type suiteStepRow struct {
	Name      string  `json:"name"`
	Kind      string  `json:"kind"`
	DurationS float64 `json:"duration_s"`
	Rounds    int     `json:"rounds,omitempty"`
	What      string  `json:"what,omitempty"`
}

// checkFlags are those of `powerd suite check`.
type checkFlags struct {
	json  bool
	drive string
	scale string
}

func (a *app) suiteCheckCmd() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use: "check SUITE", Short: "Print what a suite will do",
		Long: "check prints what a suite will do, how long it takes, what it leaves on disk and what it writes to the\ndrive. It touches nothing. The keys of a suite file:\n\n" + suite.Keys,
		Args: args(1, 1, "a suite"), Example: "  powerd suite check my.yaml\n  powerd suite check pts-iops --drive seagate-1200-400",
		RunE: func(_ *cobra.Command, names []string) error { return a.suiteCheck(names[0], f) },
	}
	c.Flags().BoolVar(&f.json, "json", false, "print it as JSON")
	c.Flags().StringVar(&f.drive, "drive", "", "drive file, by name or path: what is written in TB, and of its rated endurance")
	addScale(c, &f.scale)
	return c
}

// addScale gives a command --scale.
func addScale(c *cobra.Command, into *string) {
	c.Flags().StringVar(into, "scale", "", "shorten all times for a trial: 1m=2s lets a minute take two seconds; all results are marked so")
}

// readScale reads --scale.
func readScale(text string) (suite.Scale, error) {
	if text == "" {
		return 1, nil
	}
	s, err := suite.ParseScale(text)
	if err != nil {
		return 0, usage("--scale: %v", err)
	}
	return s, nil
}

func (a *app) suiteCheck(name string, f checkFlags) error {
	s, err := suite.Find(name)
	if err != nil {
		return asUsage(err)
	}
	scale, err := readScale(f.scale)
	if err != nil {
		return err
	}
	cfg, err := config.Read(config.Sources{}) // the defaults
	if err != nil {
		return err
	}
	d := planDefaults(cfg, catalog.TwinFacts{})
	d.Scale = scale
	plan := s.Plan(d)
	var on *suiteOnDrive
	if f.drive != "" {
		sheet, err := datasheet.Find(f.drive)
		if err != nil {
			return asUsage(err)
		}
		if on, err = onDrive(plan, sheet); err != nil {
			return err
		}
	}
	if f.json {
		return a.json(checked(s, plan, scale, on))
	}
	d.Twin = true
	return a.printCheck(s, plan, s.Plan(d), scale, on)
}

// checked is what a suite does, for machines.
func checked(s *suite.Suite, plan suite.Plan, scale suite.Scale, on *suiteOnDrive) suiteChecked {
	e := plan.Extent()
	out := suiteChecked{
		Name: s.Name, Title: s.Title, SHA256: s.SHA256, Scale: scale.Factor(), DurationS: plan.Duration().Seconds(), DiskBytes: plan.DiskBytes(),
		Writes: plan.Writes(), CutsPower: e.Cycles, Drive: on, WritesCapacities: e.UntilWritten, WritesForS: e.FreeWriting.Seconds(),
	}
	for _, st := range plan {
		if st.Round <= 1 {
			out.Steps = append(out.Steps, suiteStepRow{cmp.Or(st.Cell, st.Name), st.Kind, st.Duration.Seconds(), st.Rounds, stepText(st)})
		}
	}
	return out
}

func (a *app) printCheck(s *suite.Suite, plan, trial suite.Plan, scale suite.Scale, on *suiteOnDrive) error {
	marked := ""
	if scale.Factor() > 1 {
		marked = fmt.Sprintf(" (SCALED time 1:%.4g)", scale.Factor())
	}
	fmt.Fprintf(a.out, "%s: %s; %s, about %s%s\n", s.Name, does(plan), steps(plan), about(plan.Duration()), marked)
	for _, line := range extent(plan.Extent()) {
		fmt.Fprintln(a.out, "  "+line)
	}
	if on != nil {
		fmt.Fprintln(a.out, "  "+on.text())
	}
	fmt.Fprintf(a.out, "  its folder takes about %s on disk\n", volume(float64(plan.DiskBytes())))
	for _, st := range plan {
		if st.Steady != nil && st.Round == 1 && st.Cell == st.Steady.Cells[0] {
			fmt.Fprintf(a.out, "  %s ends once it is steady by %s, after %d rounds at most; times and writes are those of all rounds\n", st.Group, st.Steady, st.Rounds)
		}
	}
	if trial.Duration() != plan.Duration() || len(trial) != len(plan) {
		fmt.Fprintf(a.out, "  on an emulated drive: %s, about %s\n", steps(trial), about(trial.Duration()))
	}
	w := a.columns()
	for i, st := range plan {
		if st.Round > 1 {
			continue // as in the first
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%v\t%s\n", i+1, st.Name, st.Kind, st.Duration, stepText(st))
	}
	return w.Flush()
}

// stepText says what a step does, in one line.
func stepText(st suite.Step) string {
	what := ""
	if st.Kind == suite.Load {
		what = jobText(st.Job)
	}
	if st.Kind == suite.Load && st.Round == 0 && st.UntilWritten > 0 {
		what += fmt.Sprintf(", until %g × that is written", st.UntilWritten)
	}
	if deed := st.Deed(); deed != "" {
		what = deed
	}
	if st.OffTime > 0 {
		what = fmt.Sprintf("off for %v first", st.OffTime)
	}
	if st.Settle != nil {
		what = fmt.Sprintf("waits for it to settle first: %s, up to %v", st.Settle, st.Settle.AtMost)
	}
	if st.Round == 1 && st.Rounds > 1 {
		what += fmt.Sprintf(", up to %d ×", st.Rounds)
	}
	return what
}

// unknownRate is what a drive is taken to write in a second where nothing is published.
const unknownRate = 100e6

// onDrive says what a plan costs a drive.
func onDrive(plan suite.Plan, sheet *datasheet.Sheet) (*suiteOnDrive, error) {
	if sheet.CapacityBytes == 0 && plan.Extent().UntilWritten > 0 {
		return nil, usage("--drive: %s says no capacity, and the suite writes so many times over; add `capacity: 400 GB` to it", sheet.Name)
	}
	claimed, guessed := 0, 0
	rate := func(j engine.Job) float64 {
		if rate := claimedRate(sheet, j); rate > 0 {
			claimed++
			return rate
		}
		guessed++
		return unknownRate
	}
	out := &suiteOnDrive{
		File: sheet.Name, WritesTB: plan.Volume(sheet.CapacityBytes, rate) * 1e-12, DurationS: plan.DurationOn(sheet.CapacityBytes, rate).Seconds(),
		Rates: "by its capacity alone",
	}
	switch {
	case claimed > 0 && guessed > 0:
		out.Rates = "at the rates that its maker claims, 100 MB/s where none is claimed"
	case claimed > 0:
		out.Rates = "at the rates that its maker claims"
	case guessed > 0:
		out.Rates = "at 100 MB/s, since its drive file claims no rate of such writes"
	}
	for _, c := range sheet.Claims {
		if c.Quantity == limits.Endurance {
			share := out.WritesTB / c.Limit
			out.EnduranceTB, out.EnduranceShare = &c.Limit, &share
		}
	}
	return out, nil
}

// claimedRate returns what the drive file claims of a job's writes, in bytes a second: the
// throughput of sequential ones, and for random ones the highest IOPS × block size. 0 = none.
func claimedRate(sheet *datasheet.Sheet, j engine.Job) float64 {
	quantity, rw := limits.Throughput, "write"
	if j.RW == "randwrite" || j.RW == "randrw" {
		quantity, rw = limits.IOPS, "randwrite"
	}
	best := 0.0
	for _, c := range sheet.Claims {
		if c.Quantity != quantity || c.Workload == nil || c.Workload.RW != rw {
			continue
		}
		rate := c.Limit * 1e6
		if quantity == limits.IOPS {
			rate = c.Limit * float64(c.Workload.BlockBytes)
		}
		best = max(best, rate)
	}
	return best
}

func (d *suiteOnDrive) text() string {
	text := fmt.Sprintf("on %s: about %s", d.File, about(time.Duration(d.DurationS*float64(time.Second))))
	if d.WritesTB == 0 {
		return text
	}
	text += fmt.Sprintf(", writes up to %s, %s", volume(d.WritesTB*1e12), d.Rates)
	if d.EnduranceShare == nil {
		return text + "; its drive file states no rated endurance"
	}
	return text + fmt.Sprintf("; %.2g %% of its rated endurance of %g TB", 100**d.EnduranceShare, *d.EnduranceTB)
}
