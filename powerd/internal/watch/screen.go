package watch

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
)

const (
	graphHigh  = 6 // lines of the graph at most
	graphLow   = 2 // below this there is none
	mostWarned = 4 // warnings shown where steps need room
)

// Screen writes a run in at most width × height characters, its lines without their
// ends.
func Screen(v View, width, height int) []string {
	s := v.Status
	top := []string{title(s), Head(s) + " · running for " + About(seconds(s.ElapsedS))}
	if v.Silent > 0 && !v.Ended() {
		top = append(top, "! "+Silence(v))
	}
	top = append(top, now(s)...)

	warned := warnings(s)
	room := height - len(top)
	fewest := min(len(warned), 1)
	drawn := picture(s, width, min(graphHigh, room-1-fewest-3)) // its time axis, one warning, three steps
	room -= len(drawn)
	shown := min(len(warned), max(fewest, min(mostWarned, room-3)))
	steps := plan(s, room-shown)
	if rest := room - len(steps); rest > shown {
		shown = min(len(warned), rest)
	}
	lines := append(append(top, drawn...), steps...)
	lines = append(lines, warned[len(warned)-max(0, min(shown, len(warned))):]...)
	lines = lines[:max(0, min(len(lines), height))]
	for i := range lines {
		lines[i] = cut(lines[i], width)
	}
	return lines
}

func title(s measure.Status) string {
	parts := []string{Clean(s.Suite)}
	if s.Drive != "" {
		parts = append(parts, "drive "+Clean(s.Drive))
	}
	if s.Bench != "" {
		parts = append(parts, "bench "+Clean(s.Bench))
	}
	if s.Module != "" {
		parts = append(parts, "module "+Clean(s.Module))
	}
	return strings.Join(parts, " · ")
}

// now is what was seen in the last second.
func now(s measure.Status) []string {
	var lines []string
	for _, r := range railsOf(s) {
		c := s.Rails[r]
		lines = append(lines, fmt.Sprintf("%4s %8.3f V %8.4f A %9.3f W", Clean(string(r)), c.Volts, c.Amps, c.Watts))
	}
	total := "–"
	if s.TotalW != nil {
		total = fmt.Sprintf("%.3f W", *s.TotalW)
	} else if s.TotalWhy != "" {
		total = "withheld (" + Clean(s.TotalWhy) + ")"
	}
	parts := []string{"total " + total}
	if s.IOPS != nil {
		parts = append(parts, fmt.Sprintf("%.0f IOPS", *s.IOPS))
	}
	if s.MBPerS != nil {
		parts = append(parts, fmt.Sprintf("%.1f MB/s", *s.MBPerS))
	}
	lines = append(lines, strings.Join(append(parts, lost(s)), " · "))
	if text := placed(s); text != "" {
		lines = append(lines, text)
	}
	return lines
}

// picture is the graph of watts over its time axis.
func picture(s measure.Status, width, height int) []string {
	if s.Seconds == nil || height < graphLow {
		return nil
	}
	lines := graph(s.Seconds.TotalW, width, height)
	if lines == nil {
		return nil
	}
	axis := "total W of the last " + About(time.Duration(len(s.Seconds.TotalW))*time.Second)
	return append(lines, fmt.Sprintf("%*s", width, axis))
}

// plan lists the steps in height lines, the one under way among them.
func plan(s measure.Status, height int) []string {
	height = min(height, len(s.Plan))
	if height <= 0 {
		return nil
	}
	at := 0
	for i, p := range s.Plan {
		if p.Number == s.StepNumber {
			at = i
		}
	}
	from := max(0, min(at-height/3, len(s.Plan)-height))
	var lines []string
	for _, p := range s.Plan[from : from+height] {
		lines = append(lines, planLine(p))
	}
	return lines
}

func planLine(p measure.PlanStep) string {
	mark, when := " ", About(seconds(p.LengthS))
	switch p.State {
	case results.Running:
		mark, when = ">", left(seconds(p.LeftS))
	case results.Completed:
		mark, when = "+", "took "+About(seconds(p.TookS))
	case measure.StepWaiting:
	default:
		mark, when = "!", Clean(p.State)+" after "+About(seconds(p.TookS))
	}
	return fmt.Sprintf("%s %3d %-28s %s", mark, p.Number, Clean(p.Step), when)
}

func warnings(s measure.Status) []string {
	out := make([]string, len(s.Warnings))
	for i, w := range s.Warnings {
		out[i] = "! " + Clean(w.Text)
	}
	return out
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// cut shortens a line to width characters.
func cut(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	r := []rune(line)
	if width < 2 {
		return string(r[:max(0, width)])
	}
	return string(r[:width-1]) + "…"
}
