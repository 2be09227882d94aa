package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// status is a run in its second of three steps.
func status() measure.Status {
	s := measure.Status{
		RunID: "r1", Suite: "demo", Bench: "left", Drive: "X1", Module: "QTL1999-02-001", Outcome: results.Running,
		Step: "read", Kind: "load", StepNumber: 2, Steps: 3, ElapsedS: 70, LeftS: 90,
		Plan: []measure.PlanStep{
			{Number: 1, Step: "idle", State: results.Completed, TookS: 60, LengthS: 60},
			{Number: 2, Step: "read", State: results.Running, TookS: 10, LeftS: 50, LengthS: 60},
			{Number: 3, Step: "write", State: measure.StepWaiting, LeftS: 40, LengthS: 40},
		},
		Rails:  map[quarch.Rail]measure.VA{"12v": {Volts: 12, Amps: 0.05, Watts: 0.6}, "5v": {Volts: 5, Amps: 0.42, Watts: 2.1}},
		TotalW: new(2.7), IOPS: new(41_000.0), LostStripes: 3,
		Seconds:  &measure.Seconds{TotalW: []*float64{new(2.0), new(3.0), nil, new(4.0)}},
		Warnings: []results.Warning{{Code: "collapse", Text: "step read: IOPS fell"}},
		Alignment: &results.StreamAlignment{
			Status: "degraded", Why: "stripes are placed within ± 6.1 ms only",
			OffsetS: new(0.012431), OffsetU95S: new(0.0061), DriftPPM: new(52.3), DriftU95PPM: new(0.4),
		},
	}
	return s
}

// All that a person needs is on a screen of usual size: names, time left, rails in
// their order, the graph with its ends in W, steps with their state, warnings.
func TestScreenShowsTheRun(t *testing.T) {
	text := strings.Join(Screen(View{Status: status()}, 80, 24), "\n")
	at := 0
	for _, part := range []string{
		"demo · drive X1 · bench left · module QTL1999-02-001",
		"step 2/3 read · 1m30s left · running for 1m10s",
		"5v    5.000 V   0.4200 A     2.100 W", "12v   12.000 V   0.0500 A     0.600 W",
		"total 2.700 W · 41000 IOPS · lost 3",
		"alignment degraded: offset 12.431 ms ± 6.10 ms, rate +52.3 ± 0.4 ppm: stripes a…",
		"4.00 W", "2.00 W", "of the last 4s",
		"+   1 idle", "took 1m0s", ">   2 read", "50s left", "3 write", "40s",
		"! step read: IOPS fell",
	} {
		i := strings.Index(text[at:], part)
		if i < 0 {
			t.Fatalf("%q is missing, or not in its place, in:\n%s", part, text)
		}
		at += i + len(part)
	}
}

// A total that will never be says why.
func TestScreenSaysWhyThereIsNoTotal(t *testing.T) {
	s := status()
	s.TotalW, s.TotalWhy = nil, "3V3 not measured"
	if text := strings.Join(Screen(View{Status: s}, 80, 24), "\n"); !strings.Contains(text, "total withheld (3V3 not measured)") {
		t.Errorf("it reads\n%s", text)
	}
}

// Nothing is known at first: no figure is shown in place of it.
func TestScreenOfAnEmptyStatus(t *testing.T) {
	text := strings.Join(Screen(View{Status: measure.Status{Outcome: results.Running}}, 80, 24), "\n")
	if !strings.Contains(text, "total –") || strings.Contains(text, " W") || strings.Contains(text, "IOPS") {
		t.Errorf("screen:\n%s", text)
	}
}

func TestScreenSaysThatThereIsNoWord(t *testing.T) {
	text := strings.Join(Screen(View{Status: status(), Silent: 4 * time.Second}, 80, 24), "\n")
	if !strings.Contains(text, "no word for 4s") {
		t.Errorf("screen:\n%s", text)
	}
}

// Whatever stands in the status, the screen fits, and a name cannot command the
// terminal.
func TestScreenFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Just("\x1b[2J\r\n"))
		s := status()
		s.Suite, s.Step = text.Draw(t, "suite"), text.Draw(t, "step")
		s.Plan, s.Warnings, s.Seconds.TotalW = nil, nil, nil
		for i := range rapid.IntRange(0, 40).Draw(t, "steps") {
			s.Plan = append(s.Plan, measure.PlanStep{Number: i + 1, Step: text.Draw(t, "name"), State: text.Draw(t, "state")})
		}
		s.StepNumber = rapid.IntRange(0, 41).Draw(t, "at")
		for range rapid.IntRange(0, 20).Draw(t, "warnings") {
			s.Warnings = append(s.Warnings, results.Warning{Text: text.Draw(t, "warning")})
		}
		value := rapid.Ptr(rapid.Float64(), true)
		s.Seconds.TotalW = rapid.SliceOfN(value, 0, 600).Draw(t, "watts")
		width, height := rapid.IntRange(0, 120).Draw(t, "width"), rapid.IntRange(0, 50).Draw(t, "height")
		lines := Screen(View{Status: s}, width, height)
		if len(lines) > height {
			t.Fatalf("%d lines on %d", len(lines), height)
		}
		for _, l := range lines {
			if utf8.RuneCountInString(l) > width {
				t.Fatalf("%d characters on %d: %q", utf8.RuneCountInString(l), width, l)
			}
			if strings.ContainsAny(l, "\x1b\r\n\t") {
				t.Fatalf("control characters in %q", l)
			}
		}
	})
}

// On a small terminal the step under way is among the steps shown, however long the
// plan, and a warning has its line.
func TestSmallScreenShowsTheStepUnderWay(t *testing.T) {
	s := status()
	s.Plan = nil
	for i := 1; i <= 500; i++ {
		s.Plan = append(s.Plan, measure.PlanStep{Number: i, Step: fmt.Sprintf("cell-%d", i), State: measure.StepWaiting})
	}
	for _, at := range []int{1, 2, 250, 499, 500} {
		s.StepNumber = at
		s.Plan[at-1].State = results.Running
		text := strings.Join(Screen(View{Status: s}, 80, 12), "\n")
		s.Plan[at-1].State = measure.StepWaiting
		if !strings.Contains(text, fmt.Sprintf("> %3d cell-%d ", at, at)) || !strings.Contains(text, "IOPS fell") {
			t.Errorf("step %d:\n%s", at, text)
		}
	}
}

// The graph's dots: four seconds at 0, 1, 2 and 3 W in one row of two characters are
// columns of one dot each, from the bottom up. Braille numbers its dots 1 2 3 7 down
// the left column and 4 5 6 8 down the right one.
func TestGraphPlacesDots(t *testing.T) {
	field := plot([]*float64{new(0.0), new(1.0), new(2.0), new(3.0)}, 2, 1, 0, 3)
	want := []rune{0x2800 | 0x40 | 0x20, 0x2800 | 0x02 | 0x08} // 7 and 6; 2 and 4
	if string(field[0]) != string(want) {
		t.Errorf("%U, want %U", field[0], want)
	}
}

// An unknown second leaves its column empty; fewer seconds than columns stand at the
// right end; more of them show their range, so that a peak of one second is seen.
func TestGraphShowsGapsAndPeaks(t *testing.T) {
	field := plot([]*float64{new(3.0), nil}, 2, 1, 0, 3)
	if field[0][0] != braille || field[0][1] != braille|0x01 {
		t.Errorf("a gap: %U", field[0])
	}
	values := make([]*float64, 600)
	for i := range values {
		values[i] = new(0.0)
	}
	values[300] = new(3.0)
	field = plot(values, 50, 1, 0, 3) // 6 seconds a column
	if got := field[0][25]; got != braille|0x01|0x02|0x04|0x40|0x80 {
		t.Errorf("a peak of a second: %U, want a whole column", got)
	}
}

// The axis is never finer than what matters: 1 mW of noise on 2 W is a flat line.
func TestGraphAxis(t *testing.T) {
	lo, hi, ok := span([]*float64{new(2.0), nil, new(2.001)})
	if !ok || hi-lo < 0.0399 || lo > 2 || hi < 2.001 {
		t.Errorf("axis %v to %v, want 2 %% wide at least", lo, hi)
	}
	if _, _, ok := span([]*float64{nil}); ok {
		t.Error("an axis of nothing")
	}
}
