package check

import (
	"fmt"
	"strings"
	"time"

	"powerd/analysis/pairing"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/zero"
	"powerd/quarch"
)

const year = 365 * 24 * time.Hour

// memoryLines judge what is known of the bench from before.
func memoryLines(f *Facts) []Line {
	var lines []Line
	if f.StateErr != nil {
		lines = []Line{{Fail, "memory", reason(f.StateErr), "name a folder with room that can be written to with state: in the settings"}}
	}
	if f.MemoryErr != nil {
		return append(lines, calibrationLine(f), Line{Fail, "memory", reason(f.MemoryErr), ""}, consentLine(f))
	}
	lines = append(lines, zeroLine(f), calibrationLine(f), pairingLine(f))
	if s := f.Memory.Supply; s != nil {
		lines = append(lines, Line{
			Warn, "supply", fmt.Sprintf("%s (pid %d, since %s) has touched it and not put it back", s.Run, s.Pid, s.SinceUTC),
			fmt.Sprintf("if it does not run any more: `powerd power %s status` says how the supply is, and how it was found", f.Bench.Name),
		})
	}
	return append(lines, consentLine(f))
}

// age returns how long ago a UTC text was; ok is false if it cannot be read.
func age(now time.Time, layout, text string) (d time.Duration, ok bool) {
	t, err := time.Parse(layout, text)
	return now.Sub(t), err == nil
}

func zeroLine(f *Facts) Line {
	const what = "zero"
	z := f.Memory.Zero
	cure := fmt.Sprintf("with the drive removed: powerd zero %s", f.Bench.Name)
	if z == nil {
		return Line{Warn, what, "never measured: what module and fixture draw themselves is not known", cure}
	}
	old, ok := age(f.Now, time.RFC3339, z.DateUTC)
	switch {
	case f.Info != nil && z.Module != f.Info.Serial:
		return Line{Warn, what, fmt.Sprintf("measured on module %s, not this one", z.Module), cure}
	case z.Fixture != f.Bench.Fixture:
		return Line{Warn, what, fmt.Sprintf("measured with fixture %q, not %q", z.Fixture, f.Bench.Fixture), cure}
	case !ok:
		return Line{Warn, what, fmt.Sprintf("its date %q cannot be read", z.DateUTC), cure}
	case old > year:
		return Line{Warn, what, fmt.Sprintf("%d days old", days(old)), cure}
	}
	found := fmt.Sprintf("%s, measured %d days ago", zeroText(z), days(old))
	if drive := zero.LooksLikeDrive(z); drive != "" {
		return Line{Warn, what, found + ": that looks like a drive, and net figures lack it", "unless module and fixture do draw that, " + cure}
	}
	return Line{OK, what, found, ""}
}

// zeroText is what a zero takes away from each rail.
func zeroText(z *results.Zero) string {
	var rails []string
	for r := range quarch.ByRail(z.Rails) {
		rails = append(rails, fmt.Sprintf("%s %.3g mA", r, z.Rails[r].MeanA*1e3))
	}
	return strings.Join(rails, ", ")
}

func calibrationLine(f *Facts) Line {
	const what = "calibration"
	key := "benches." + f.Bench.Name + ".accuracy.cal_date"
	date := f.Bench.Accuracy.CalDate
	old, ok := age(f.Now, time.DateOnly, date)
	switch {
	case date == "":
		return Line{Warn, what, "its date is not known; the accuracy of the module's family is assumed", "set " + key + " from the module's certificate"}
	case !ok:
		return Line{Warn, what, fmt.Sprintf("its date %q cannot be read", date), "write " + key + " as 2026-03-31"}
	case old > year:
		return Line{Warn, what, fmt.Sprintf("of %s, %d days ago", date, days(old)), "have the module calibrated"}
	case old < -24*time.Hour:
		return Line{Warn, what, "of " + date + ", which is to come", "mend " + key + ", or the host's clock"}
	}
	return Line{OK, what, fmt.Sprintf("of %s, %d days ago", date, days(old)), ""}
}

func days(d time.Duration) int { return int(d / (24 * time.Hour)) }

// pairingLine is about whether the drive is known to hang on this module.
func pairingLine(f *Facts) Line {
	const what = "pairing"
	cure := "powerd pair " + f.Bench.Name
	e := f.Memory.Pairing
	drive := f.Bench.Target
	switch {
	case f.Target != nil && f.Target.Serial != "":
		drive = f.Target.Serial
	case f.Target == nil && f.Bench.TargetSerial != "": // it is away, and known by what the settings say
		drive = f.Bench.TargetSerial
	}
	switch {
	case f.Bench.Target == "":
		return Line{Warn, what, "the bench has no target: which drive hangs on the module is not known", "set benches." + f.Bench.Name + ".target"}
	case e == nil || !e.Confirmed:
		return Line{Warn, what, "never proved: power commands and writes are refused", cure}
	case f.Info != nil && e.Module != f.Info.Serial:
		return Line{Warn, what, fmt.Sprintf("proved for module %s, not this one", e.Module), cure}
	case e.Drive != drive:
		return Line{Warn, what, fmt.Sprintf("proved for drive %s, not %s", e.Drive, drive), cure}
	}
	how := "shown by reads"
	if e.Method == pairing.MethodTyped {
		how = "confirmed by a person"
	}
	return Line{OK, what, fmt.Sprintf("drive %s, %s on %s", e.Drive, how, e.DateUTC), ""}
}

func consentLine(f *Facts) Line {
	if len(f.Bench.Consent) == 0 {
		return Line{OK, "consent", "to nothing: runs may only read", ""}
	}
	text := "to " + strings.Join(f.Bench.Consent, ", ")
	if f.Bench.TargetSerial == "" {
		return Line{Warn, "consent", text + ", for whatever drive is at the target", "set benches." + f.Bench.Name + ".target_serial"}
	}
	return Line{OK, "consent", text + ", for drive " + f.Bench.TargetSerial, ""}
}
