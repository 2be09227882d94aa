package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"powerd/quarch"
)

const tolerance = 0.05 // of a rail's nominal volts

// supplyLines judge what the module gives the drive. They only look.
func supplyLines(f *Facts) []Line {
	if f.Info == nil {
		return nil
	}
	lines := []Line{modeLine(f), outputsLine(f)}
	if f.Stream != nil && (f.Info.Powered == nil || *f.Info.Powered) {
		lines = append(lines, railsLine(f))
	}
	return lines
}

func modeLine(f *Facts) Line {
	switch mode := f.Info.OutputMode; {
	case mode == "":
		return Line{OK, "output mode", "the module has none", ""}
	case strings.EqualFold(mode, "DISABLED"):
		return Line{Fail, "output mode", "DISABLED: the drive gets no power", fmt.Sprintf("powerd power %s mode 5V (or 3V3, as the drive needs)", f.Bench.Name)}
	default:
		return Line{OK, "output mode", mode, ""}
	}
}

func outputsLine(f *Facts) Line {
	switch on := f.Info.Powered; {
	case on == nil:
		return Line{Warn, "outputs", "the module does not say whether they are on", ""}
	case !*on:
		return Line{Warn, "outputs", "off: the drive has no power", fmt.Sprintf("powerd power %s up", f.Bench.Name)}
	}
	return Line{OK, "outputs", "on", ""}
}

// railsLine compares the volts of the rails in use with their nominal ones.
func railsLine(f *Facts) Line {
	var found, bad []string
	for r := range quarch.ByRail(f.Stream.Volts) {
		if nominal := r.NominalVolts(); used(f, r) && nominal > 0 {
			v := f.Stream.Volts[r]
			off := math.Round((v/nominal-1)*1000) / 10
			text := fmt.Sprintf("%s %.3f V (%+.1f %%)", r, v, off+0) // + 0: no -0.0
			found = append(found, text)
			if math.Abs(v/nominal-1) > tolerance {
				bad = append(bad, text)
			}
		}
	}
	missing := slices.DeleteFunc(slices.Clone(f.Bench.Rails), func(r string) bool { return slices.Contains(f.Info.Rails, quarch.Rail(r)) })
	switch {
	case len(missing) > 0:
		return Line{
			Fail, "rails", "the module does not measure " + strings.Join(missing, ", ") + ", which the bench says that the drive uses",
			"mend benches." + f.Bench.Name + ".rails",
		}
	case len(found) == 0:
		return Line{Warn, "rails", "no volts were read", ""}
	case len(bad) > 0:
		return Line{
			Fail, "rails", fmt.Sprintf("out of ±%.0f %%: %s", tolerance*100, strings.Join(bad, ", ")),
			"look at the module's supply, the cable and the set voltage; a rail that the drive does not use is left out of benches." + f.Bench.Name + ".rails",
		}
	}
	return Line{OK, "rails", strings.Join(found, ", "), ""}
}

// used reports whether the drive uses a rail, as far as the bench says.
func used(f *Facts, r quarch.Rail) bool {
	return len(f.Bench.Rails) == 0 || slices.Contains(f.Bench.Rails, string(r))
}
