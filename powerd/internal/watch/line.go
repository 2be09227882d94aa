package watch

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/runs"
	"powerd/quarch"
)

// Head says in a few words where a run stands.
func Head(s measure.Status) string {
	return fmt.Sprintf("step %d/%d %s · %s", s.StepNumber, s.Steps, Clean(s.Step), Left(s))
}

// Line says in one line where a run stands and what it sees.
func Line(s measure.Status) string {
	parts := []string{Head(s)}
	if len(s.Rails) > 0 {
		var w []string
		for _, r := range railsOf(s) {
			w = append(w, fmt.Sprintf("%s %.3f W", Clean(string(r)), s.Rails[r].Watts))
		}
		parts = append(parts, strings.Join(w, " "))
	}
	if s.IOPS != nil {
		parts = append(parts, fmt.Sprintf("%.0f IOPS", *s.IOPS))
	}
	if s.MBPerS != nil {
		parts = append(parts, fmt.Sprintf("%.1f MB/s", *s.MBPerS))
	}
	if text := placed(s); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(append(parts, lost(s)), " · ")
}

// placed says how well the samples are placed in time; "" while there are none.
func placed(s measure.Status) string {
	if s.Alignment == nil {
		return ""
	}
	return Clean(s.Alignment.Brief())
}

func lost(s measure.Status) string { return "lost " + strconv.FormatUint(s.LostStripes, 10) }

func railsOf(s measure.Status) []quarch.Rail {
	return slices.SortedFunc(maps.Keys(s.Rails), quarch.CompareRails)
}

// Silence says that there has been no word for a while.
func Silence(v View) string {
	return fmt.Sprintf("no word for %s: the run's powerd is there, but busy or stopped", About(v.Silent))
}

// Outcome says how a run ended.
func Outcome(v View) string {
	switch o := v.Status.Outcome; o {
	case results.Completed:
		return "the run is completed"
	case results.Failed:
		return "the run failed; its report says why"
	case results.Interrupted:
		return "the run was interrupted; what was measured is there"
	case runs.CutOff:
		return fmt.Sprintf("the run was cut off: its powerd is gone, its last word was %s ago; `powerd analyze` reads what was measured", About(v.Silent))
	default:
		return "the run ended: " + Clean(o)
	}
}

// Left says how long a run still takes: at most, where parts of it may take less.
func Left(s measure.Status) string {
	if most, ok := s.AtMost(); ok && most > 0 {
		return "at most " + left(most)
	}
	return left(s.Left())
}

func left(d time.Duration) string {
	if d <= 0 {
		return "ending"
	}
	return About(d) + " left"
}

// About is a duration as a person wants to know it.
func About(d time.Duration) string { return d.Round(time.Second).String() }

// Clean takes control characters out of a text that others wrote: on a terminal they
// are commands.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}
