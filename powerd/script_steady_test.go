package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"powerd/analysis/steady"
)

// steadyTruth holds the steady window of a run to what its twin served: the rule on the
// truth's IOPS gives the very same window, and over it each variable's IOPS/W is the
// truth's within 1 %.
func steadyTruth(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: steady-truth DIR")
	}
	var run struct {
		Steady     []steady.Result `json:"steady"`
		Efficiency []struct {
			Step     string   `json:"step"`
			IOPSPerW *float64 `json:"iops_per_w"`
		} `json:"efficiency"`
	}
	var truth struct {
		Steps []struct {
			Step        string  `json:"step"`
			StartMonoNs int64   `json:"start_mono_ns"`
			EndMonoNs   int64   `json:"end_mono_ns"`
			IOs         uint64  `json:"ios"`
			EnergyJ     float64 `json:"energy_j"`
		} `json:"steps"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0]+"/results.json")), &run))
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0]+"/truth.json")), &truth))
	if len(run.Steady) == 0 {
		ts.Fatalf("%s has no rounds that were judged", args[0])
	}
	rule, _ := steady.RuleOf(run.Steady[0].Profile)
	tracker := steady.NewTracker(rule)
	ios, joules := make([]float64, len(run.Steady)), make([]float64, len(run.Steady)) // of the window
	for n := 1; n <= run.Steady[0].Rounds; n++ {
		figures := make([]float64, len(run.Steady))
		for i, v := range run.Steady {
			figures[i] = math.NaN()
			for _, s := range truth.Steps {
				if s.Step != fmt.Sprintf("%s-r%02d", v.Step, n) {
					continue
				}
				figures[i] = float64(s.IOs) / float64(s.EndMonoNs-s.StartMonoNs) * 1e9
				if n >= v.FirstRound && n <= v.LastRound {
					ios[i], joules[i] = ios[i]+float64(s.IOs), joules[i]+s.EnergyJ
				}
			}
		}
		tracker.Add(figures...)
	}
	first, last, ok := tracker.Steady()
	for i, v := range run.Steady {
		if !ok || v.Verdict != steady.Reached || v.FirstRound != first || v.LastRound != last {
			ts.Fatalf("%s: %s, and the twin's rounds are steady from %d to %d (%v)", v.Step, v.Reasons(), first, last, ok)
		}
		for _, c := range run.Efficiency {
			if c.Step == v.Step && (c.IOPSPerW == nil || math.Abs(*c.IOPSPerW-ios[i]/joules[i]) > 0.01*ios[i]/joules[i]) {
				ts.Fatalf("%s: %s IOPS/W, the truth is %.5g", c.Step, show(c.IOPSPerW), ios[i]/joules[i])
			}
		}
	}
}

func show(x *float64) string {
	if x == nil {
		return "no"
	}
	return strings.TrimSpace(fmt.Sprintf("%.5g", *x))
}
