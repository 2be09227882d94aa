package measure_test

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Somebody sets the host's wall clock back by an hour while a drive idles, and an hour
// later than it was two seconds after that. The stripes stay where they are, which the
// module knows; the watts are the drive's, and both steps are told.
func TestWallClockIsSetInMidRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		began := b.now()
		b.wallSet = func(monoNs int64) time.Duration {
			switch s := float64(monoNs-began) * 1e-9; {
			case s < 3:
				return 0
			case s < 5:
				return -time.Hour
			}
			return time.Hour
		}
		d, err := b.run(t.Context(), idleStep("idle", 8*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		steps := d.Alignment.WallSteps
		if len(steps) != 2 || math.Abs(steps[0].StepS+3600) > 0.01 || math.Abs(steps[1].StepS-7200) > 0.01 {
			t.Errorf("steps %+v, want -3600 s and +7200 s", steps)
		}
		told := 0
		for _, w := range d.Warnings {
			if w.Code == "wall_clock_step" && strings.Contains(w.Text, "no figure of this run uses it") {
				told++
			}
		}
		if told != 2 {
			t.Errorf("%d warnings of the wall clock, want 2: %v", told, d.Warnings)
		}
		a, s := d.Alignment, b.sim.Streams()[0]
		truth := float64(s.StartNs-d.Run.StartedMonoNs) * 1e-9
		if a.Status != "ok" || math.Abs(*a.OffsetS-truth) > *a.OffsetU95S || math.Abs(*a.DriftPPM) > *a.DriftU95PPM {
			t.Errorf("%s; stripe 0 is at %.4f s", a.Text(), truth)
		}
		about(t, "idle total", d.Idle.Total.MeanW, 2.7, 1e-9)
	})
}
