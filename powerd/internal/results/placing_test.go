package results_test

import (
	"fmt"
	"math"
	"testing"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
)

// placedWithin is a run whose power rises by 2 W at 3 s and falls by it at 5 s, in a stream
// that is placed within ± 25 ms: asked for 20 ms before it began, its blocks 30 ms late.
// Else it is placed within ± 0.1 ms: 50 µs and 150 µs.
func placedWithin(t *testing.T, unsure bool, fill func(*testing.T, *resultstest.Recording)) *results.Document {
	t.Helper()
	src := source{FromS: 1, ToS: 9, SentS: 0.99995, DelayNs: 150e3, PeriodNs: 1_024_000, EndReason: "done", Draw: loadedFrom(3, 5)}
	if unsure {
		src.SentS, src.DelayNs = 0.98, 30e6
	}
	r := record(t, meta())
	r.Stream(src)
	fill(t, r)
	r.Ended(9)
	return r.Compute()
}

// A window of 2 s that begins and ends with a step of 2 W, in a stream that is placed within
// δ: of each step δ · 2 W are on the wrong side at most, so the mean is off by
// 2 · δ · 2 W / 2 s = 2 W/s · δ. With δ = 25 ms that is 50 mW and 0.67 %
// of 7.5 W; with 0.1 ms it is 0.2 mW. Whatever figure is made of the window has it: means of
// idle, loads, recordings and marks, ratios, and the verdict on a claim.
func TestPlacingIsInEveryFigure(t *testing.T) {
	const lowW, highW = 7.5, 50e-3
	figures := map[string]struct {
		fill func(t *testing.T, r *resultstest.Recording)
		u95W func(d *results.Document) *float64
	}{
		"mean of an idle step": {
			func(_ *testing.T, r *resultstest.Recording) { r.Step("rest", "idle", 3, 5, nil) },
			func(d *results.Document) *float64 { return d.Idles[0].Total.U95W },
		},
		"mean of a recording": {
			func(_ *testing.T, r *resultstest.Recording) { r.Step("oltp", "record", 3, 5, nil) },
			func(d *results.Document) *float64 { return d.Records[0].Total.U95W },
		},
		"mean of a load":              {load, func(d *results.Document) *float64 { return d.Efficiency[0].MeanU95W }},
		"IOPS/mW of a load, of 7.5 W": {load, func(d *results.Document) *float64 { return scaled(d.Efficiency[0].U95Rel, lowW) }},
		"mean between two marks":      {marked, func(d *results.Document) *float64 { return d.Marks[0].U95W }},
		"verdict on a claim of idle watts": {
			func(_ *testing.T, r *resultstest.Recording) {
				r.DriveFile("drive.yaml", "name: acme\nrails: [5v, 12v]\nclaims:\n  - {name: idle, quantity: idle_power, kind: max, value: 7.6 W, rail: total, source: manual}\n")
				r.Step("rest", "idle", 3, 5, nil)
			},
			func(d *results.Document) *float64 { return d.Limits[0].U95 },
		},
	}
	for name, f := range figures {
		t.Run(name, func(t *testing.T) {
			unsure, sure := f.u95W(placedWithin(t, true, f.fill)), f.u95W(placedWithin(t, false, f.fill))
			if unsure == nil || sure == nil {
				t.Fatalf("± %v and %v", unsure, sure)
			}
			// Beside it there is the scatter of the stripes on the wrong side, and of the load's own
			// stamps; all of them are less together than what is looked for.
			if *unsure < highW*0.99 || *unsure > 3*highW {
				t.Errorf("± %.1f mW in a stream placed within 25 ms, want 50", *unsure*1e3)
			}
			if off := math.Sqrt(max(0, *unsure**unsure-*sure**sure)); off < 0.8*highW {
				t.Errorf("± %.1f mW placed badly, ± %.1f mW placed well: %.1f mW between them, want 50", *unsure*1e3, *sure*1e3, off*1e3)
			}
		})
	}
}

func load(_ *testing.T, r *resultstest.Recording) {
	res := done(204_800)
	res.EdgeU95Ns = 100e3
	job := randread
	job.Ramp = 1e9 // its start says nothing of the stream's place
	r.Load(job, 3, 5, res, nil)
}

func marked(t *testing.T, r *resultstest.Recording) {
	r.Step("record", "record", 1.5, 8, nil)
	engineFile(t, r, "marks.jsonl", fmt.Sprintf("{\"mark\":\"start\",\"name\":\"tpcc\",\"mono_ns\":%d}\n{\"mark\":\"end\",\"name\":\"tpcc\",\"mono_ns\":%d}\n", host(3), host(5)))
}

func scaled(x *float64, by float64) *float64 {
	if x == nil {
		return nil
	}
	y := *x * by
	return &y
}
