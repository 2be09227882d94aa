package publish

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/plots"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// Write draws the pictures of a run and writes its report into its folder. It
// returns the report, for a terminal.
func Write(dir string, d *results.Document) (*report.Doc, error) {
	doc := Describe(d)
	a := &artist{dir: dir, d: d, footer: footer(d)}
	a.powerUps()
	a.idles()
	a.rounds()
	a.convergences()
	a.demands()
	a.recoveries()
	a.latencies()
	a.load()
	a.seconds()
	a.matrices()
	a.alignment()
	doc.Plots = a.plots
	doc.Warnings = append(doc.Warnings, a.warnings...)
	if err := doc.Write(dir); err != nil {
		return doc, err
	}
	return doc, nil
}

func footer(d *results.Document) plots.Footer {
	return plots.Footer{
		Drive: DriveName(d), Firmware: d.Drive.Firmware, Module: d.Module.Serial, Suite: d.Suite.Name,
		Sampling: Sampling(d), UTCDate: date(d), RunID: d.Run.ID, Simulated: d.Suite.Simulated, Scale: Scale(d),
	}
}

// Describe makes the report without its pictures.
func Describe(d *results.Document) *report.Doc {
	tables, lead := d.Tables(), "limits"
	if len(d.Limits) > 0 && !anyMeasured(d) { // claims without a figure are no lead
		tables, lead = append(slices.Clone(tables[1:]), tables[0]), ""
	}
	doc := &report.Doc{
		Title: title(d), Subtitle: d.Suite.Title, Simulated: d.Suite.Simulated, Scale: Scale(d),
		Headlines: headlines(d), Summary: summary(d), Lead: lead, Conditions: conditions(d), Alignment: d.Alignment.Text(),
		Tables: tables, Columns: steadyColumns(idleColumns(pageColumns(), tables), tables), Words: words(), Withheld: d.Withheld, Warnings: d.Warnings,
		Footer: []string{"powerd " + d.Run.PowerdVersion, "run " + d.Run.ID, d.Run.StartedUTC},
	}
	if d.Run.Outcome != results.Completed {
		doc.Title += " (" + d.Run.Outcome + ")"
		text := "this run is " + d.Run.Outcome
		if d.Run.Why != "" {
			text += ": " + d.Run.Why
		}
		doc.Warnings = append([]results.Warning{{Code: d.Run.Outcome, Text: text}}, doc.Warnings...)
	}
	return doc
}

func title(d *results.Document) string {
	return DriveName(d) + ": " + d.Suite.Name
}

// DriveName is what is known of the drive's name: its own, the file that stands for
// it, or the module that it hangs on.
func DriveName(d *results.Document) string {
	known := strings.Fields(d.Drive.Vendor + " " + d.Drive.Model)
	switch {
	case len(known) > 0:
		return strings.Join(known, " ")
	case d.Drive.Target != "":
		return filepath.Base(d.Drive.Target)
	}
	return "drive on " + d.Module.Serial
}

func date(d *results.Document) string {
	day, _, _ := strings.Cut(d.Run.StartedUTC, "T")
	return day
}

// Scale says by what rates, times or steps are less than those of a real drive; empty if they
// are not.
func Scale(d *results.Document) string {
	var parts []string
	if d.Drive.TwinScale > 1 {
		parts = append(parts, fmt.Sprintf("IOPS 1:%g", d.Drive.TwinScale))
	}
	if d.Suite.Scale > 1 {
		parts = append(parts, fmt.Sprintf("time 1:%.4g", d.Suite.Scale))
	}
	if d.Suite.Trial {
		parts = append(parts, "short form of the suite")
	}
	return strings.Join(parts, ", ")
}

// Sampling says what the main stream was sampled with.
func Sampling(d *results.Document) string {
	switch m := d.Module; {
	case m.PollsPerS > 0:
		return fmt.Sprintf("polled at %.1f readings/s", m.PollsPerS)
	case m.PeriodUs > 0:
		return fmt.Sprintf("%g µs", m.PeriodUs)
	}
	return "no samples"
}

// conditions are what a reader needs to repeat the run.
func conditions(d *results.Document) []report.KV {
	var out []report.KV
	add := func(key, format string, args ...any) {
		if v := fmt.Sprintf(format, args...); strings.TrimSpace(v) != "" {
			out = append(out, report.KV{Key: key, Value: v})
		}
	}
	add("Drive", "%s", DriveName(d))
	add("Serial number", "%s", d.Drive.Serial)
	add("Firmware", "%s", d.Drive.Firmware)
	if d.Drive.CapacityBytes > 0 {
		add("Capacity", "%.1f GB (%d bytes)", float64(d.Drive.CapacityBytes)/1e9, d.Drive.CapacityBytes)
	}
	add("Target", "%s", d.Drive.Target)
	add("Power saving of its link", "%s", d.Drive.LinkPower)
	add("Temperature", "%s", beforeAfter(celsius(d.Drive.TempBeforeC), celsius(d.Drive.TempAfterC)))
	add("Power state", "%s", beforeAfter(d.Drive.PowerStateBefore, d.Drive.PowerStateAfter))
	add("Bench", "%s", d.Bench.Name)
	add("Fixture", "%s", d.Bench.Fixture)
	add("Pairing", "%s", pairingText(d.Bench.Pairing))
	add("Drive file", "%s", d.Drive.File)
	switch scale := d.Drive.TwinScale; {
	case scale > 1:
		add("Simulation", "drive twin, IOPS divided and energies multiplied by %g", scale)
	case scale == 1:
		add("Simulation", "drive twin, at the rate of the real drive")
	}
	add("Power module", "%s, serial number %s, firmware %s", d.Module.Model, d.Module.Serial, d.Module.Firmware)
	if c := d.Module.Calibration; c != nil {
		add("Module accuracy", "%s", AccuracyText(c))
	}
	add("Link", "%s on %s", d.Module.Link, d.Module.Port)
	add("Sampling", "%s", periods(d))
	add("Rails", "%s", railsText(d))
	if d.Run.FioVersion != "" {
		add("IO engine", "fio %s", strings.TrimPrefix(d.Run.FioVersion, "fio-"))
	}
	add("Host", "%s; %s", d.Host.CPU, d.Host.Kernel)
	add("Suite", "%s (SHA-256 %.12s…)", d.Suite.Name, d.Suite.SHA256)
	add("Started", "%s", d.Run.StartedUTC)
	add("Ended", "%s", d.Run.EndedUTC)
	add("Outcome", "%s", d.Run.Outcome)
	return out
}

// railsText says which rails the drive uses, and how they stand to those of the module.
func railsText(d *results.Document) string {
	used := d.Bench.RailsUsed
	if used == nil {
		used = d.Module.Rails
	}
	text := names(used)
	if lacks := d.NotMeasured(); len(lacks) > 0 {
		text += ", of which " + names(lacks) + " was not measured"
	}
	if others := analysis.Lacking(d.Module.Rails, used, nil); len(others) > 0 {
		text += "; the module measures " + names(others) + " too, which the drive does not use"
	}
	return text
}

func names(rails []quarch.Rail) string {
	out := make([]string, len(rails))
	for i, r := range rails {
		out[i] = string(r)
	}
	return strings.Join(out, ", ")
}

// AccuracyText says how far off a module may be, and who says so.
func AccuracyText(c *results.Calibration) string {
	text := fmt.Sprintf("± (%g %% + %g mA), ± (%g %% + %g mV)", c.GainPct, c.OffsetMA, c.GainPct, c.OffsetMV)
	if c.Assumed {
		text += ", assumed by its family"
	}
	if c.CalDate != "" {
		text += ", calibrated on " + c.CalDate
	}
	return text
}

// periods lists the sampling of every stream.
func periods(d *results.Document) string {
	if d.Module.PollsPerS > 0 {
		return Sampling(d)
	}
	parts := make([]string, len(d.Alignment.Streams))
	for i, s := range d.Alignment.Streams {
		parts[i] = fmt.Sprintf("stream %d: %g µs, %d stripes", s.Stream, s.PeriodUs, s.Stripes)
	}
	return strings.Join(parts, "; ")
}
