package main

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// pausesTruth holds the pauses of a recovery's step, as the twin knows them from its last IO
// before and its first after, against what they were to be: pauses-truth DIR STEP SECONDS
// TOLERANCE.
func pausesTruth(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: pauses-truth DIR STEP SECONDS TOLERANCE")
	}
	var truth struct {
		Steps []struct {
			Step  string
			First int64 `json:"first_io_mono_ns"`
			Last  int64 `json:"last_io_mono_ns"`
		}
	}
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0]+"/truth.json")), &truth); err != nil {
		ts.Fatalf("%v", err)
	}
	want, most := float(ts, "seconds", args[2]), float(ts, "tolerance", args[3])
	lastNs, seen := int64(0), 0
	for _, s := range truth.Steps {
		if !strings.HasPrefix(s.Step, "recovery."+args[1]+".burst_") {
			continue
		}
		if lastNs > 0 {
			got := float64(s.First-lastNs) * 1e-9
			ts.Logf("pause before %s: %.4f s", s.Step, got)
			if !(math.Abs(got-want) <= most) {
				ts.Fatalf("the pause before %s lasted %.4f s, want %g ± %g", s.Step, got, want, most)
			}
			seen++
		}
		lastNs = s.Last
	}
	if seen == 0 {
		ts.Fatalf("the truth tells of no two loads of %s", args[1])
	}
}
