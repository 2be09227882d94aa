package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/powerd/internal/suite"
)

const (
	suiteTwin   = "seagate-1200-400"
	suiteAtMost = 8 * time.Minute
	suiteScale  = "1m=6s" // of suites that have no short form for twins
)

// TestSuites runs the built-in suites to their end on a twin, in their short form there or
// scaled, and holds every cell of efficiency to what the twin did: IOs within 0.5 %, mean
// watts and IOPS/W within 1 %. After a ramp fio leaves out what it had begun in it, up to
// queue depth × jobs IOs, which count in windows of two seconds. A cell that is not there for a step that the twin knows, or
// that has no watts, is a failure too. `make suites` runs it; what of the keys of a suite is
// run every time are the scripts that load a drive.
func TestSuites(t *testing.T) {
	if ok, err := condition("twin"); err != nil || !ok {
		t.Skip("needs fio and /dev/fuse")
	}
	if os.Getenv("POWERD_TEST_LONG") != "1" {
		t.Skip("takes half an hour; POWERD_TEST_LONG=1 or make suites runs it")
	}
	for _, name := range suite.Names() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			began := time.Now()
			s, err := suite.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			plan := s.Plan(suite.Defaults{Twin: true})
			runSuite(t, name, plan, filepath.Join(dir, "run"), filepath.Join(dir, "own"))
			n := holdToTruth(t, filepath.Join(dir, "run"), plan)
			t.Logf("%d cells agree, after %v", n, time.Since(began).Round(time.Second))
		})
	}
}

// runSuite is what a user types; what powerd keeps beside the run goes into own.
func runSuite(t *testing.T, name string, plan suite.Plan, out, own string) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), suiteAtMost, errors.New("the suite takes too long on a twin"))
	defer cancel()
	args := []string{"run", name, "--twin", suiteTwin, "--out", out}
	if !slices.ContainsFunc(plan, func(s suite.Step) bool { return s.Trial && s.Kind != suite.PowerCycle }) {
		args = append(args, "--scale", suiteScale)
	}
	cmd := exec.CommandContext(ctx, "powerd", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGINT) } // so that the twin goes with it
	cmd.Env = append(os.Environ(), "POWERD_STORE_PATH="+filepath.Join(own, "powerd.db"), "POWERD_STATE="+filepath.Join(own, "state"))
	if raceDetector {
		cmd.Env = append(cmd.Env, "POWERD_SAMPLING_POWER_CYCLE=32us")
	}
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %v\n%s", err, context.Cause(ctx), text)
	}
}

// trueStep is what a twin did in the window of a load.
type trueStep struct {
	Step    string
	IOs     uint64  `json:"ios"`
	MeanW   float64 `json:"mean_w"`
	EnergyJ float64 `json:"energy_j"`
}

// holdToTruth compares the cells of a run with what its twin did, and returns how many.
func holdToTruth(t *testing.T, dir string, plan suite.Plan) int {
	t.Helper()
	var run struct {
		Run        struct{ Outcome string }
		Steps      []struct{ Step, Kind, Outcome, Why string }
		Efficiency []struct {
			Step       string
			FirstRound int      `json:"first_round"`
			IOs        uint64   `json:"ios"`
			MeanW      *float64 `json:"mean_w"`
			IOPSPerW   *float64 `json:"iops_per_w"`
		}
		Withheld []struct{ What, Why string }
	}
	var truth struct {
		Steps []trueStep
	}
	readJSON(t, filepath.Join(dir, "results.json"), &run)
	readJSON(t, filepath.Join(dir, "truth.json"), &truth)
	if run.Run.Outcome != "completed" {
		t.Errorf("the run is %s", run.Run.Outcome)
	}
	ramped := map[string]int{} // IOs that may be in flight
	for _, s := range plan {
		if s.Job.Ramp > 0 {
			ramped[s.Name] = s.Job.QueueDepth * s.Job.Jobs
		}
	}
	within := func(step, what string, got *float64, want, tolerance float64) {
		if got == nil {
			t.Errorf("%s: no %s; withheld: %v", step, what, run.Withheld)
		} else if math.Abs(*got-want) > tolerance*want {
			t.Errorf("%s: %s %.6g, the truth is %.6g", step, what, *got, want)
		}
	}
	cells := map[string]bool{}
	for _, c := range run.Efficiency {
		i := slices.IndexFunc(truth.Steps, func(s trueStep) bool { return s.Step == c.Step })
		if c.FirstRound > 0 { // rounds added up, which are held to it one by one
			continue
		}
		if i < 0 {
			t.Errorf("%s: the twin knows of no such step", c.Step)
			continue
		}
		want := truth.Steps[i]
		cells[c.Step] = true
		ios, border := float64(c.IOs), float64(ramped[c.Step])/float64(want.IOs)
		within(c.Step, "IOs", &ios, float64(want.IOs), 0.005+border)
		within(c.Step, "mean watts", c.MeanW, want.MeanW, 0.01)
		within(c.Step, "IOPS/W", c.IOPSPerW, float64(want.IOs)/want.EnergyJ, 0.01+border)
	}
	for _, s := range run.Steps {
		if s.Outcome != "completed" {
			t.Errorf("step %s is %s: %s", s.Step, s.Outcome, s.Why)
		}
		if s.Kind == suite.Load && !cells[s.Step] {
			t.Errorf("step %s has no cell; withheld: %v", s.Step, run.Withheld)
		}
	}
	return len(cells)
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(fmt.Errorf("read %s: %w", path, err))
	}
}
