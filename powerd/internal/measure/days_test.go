package measure_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"powerd/engine"
	"powerd/engine/enginetest"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
)

// A suite of loads of a minute, ten of them, or a day of them with POWERD_TEST_LONG=1 (half
// an hour of this machine): what powerd keeps in memory between the steps does not grow with
// them, and results.json of a day stays below 50 MB. Stripes are as long as they can be:
// what is kept of a stream does not depend on it. A capture of a day takes its time to be
// read, of which a bubble's clock knows nothing: it is told so by minutes, so that results
// are computed as often as in life.
func TestDaysAreFlat(t *testing.T) {
	steps, reads := 10, time.Duration(0)
	if os.Getenv("POWERD_TEST_LONG") != "" {
		steps, reads = 24*60, 12*time.Minute
	}
	if _, err := os.Stat("/dev/shm"); err == nil { // parts are synced, and there are two a second
		t.Setenv("TMPDIR", "/dev/shm")
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.store.forgets = true
		b.report = func(*results.Document) error { <-time.After(reads); return nil }
		b.engine.script = func(engine.Job) enginetest.Outcome { return enginetest.Outcome{WriteIOPS: 1000} }
		plan := writes("w", min(steps, 99), nil)
		for i := len(plan); i < steps; i++ { // names of rounds have two digits here
			st := plan[i%99]
			st.Name += "-" + string(rune('a'+i/99))
			plan = append(plan, st)
		}
		for i := range plan {
			plan[i].Round, plan[i].Cell, plan[i].Rounds = 0, "", 0
			plan[i].Duration, plan[i].Job.Duration, plan[i].Sampling = time.Minute, time.Minute, 131_072*time.Microsecond
		}
		var heap []uint64 // bytes in use as each tenth of the steps begins
		b.onShow = func(s measure.Status) {
			if s.StepNumber > (len(heap)+1)*steps/10 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				heap = append(heap, m.HeapAlloc)
			}
		}
		began := b.now()
		d, err := b.run(t.Context(), plan...)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Duration(b.now() - began); took < time.Duration(steps)*time.Minute || len(d.Efficiency) != steps {
			t.Fatalf("%d cells in %v", len(d.Efficiency), took)
		}
		st, err := os.Stat(filepath.Join(b.dir, results.File))
		if err != nil {
			t.Fatal(err)
		}
		const mostBytes, dayOfSteps = 50_000_000, 24 * 60
		if size := st.Size() * dayOfSteps / int64(steps); size > mostBytes {
			t.Errorf("results.json of a day has %.1f MB", float64(size)*1e-6)
		}
		// From a half to the end of it, with results computed after each step: 2 MB are of the
		// collector's doing; a map of 100 bytes a second would be 9 MB a day.
		early, late := slices.Max(heap[:len(heap)/2]), slices.Max(heap[len(heap)/2:])
		t.Logf("heap in bytes: %d; results.json: %d bytes of %d steps", heap, st.Size(), steps)
		if late > early+2<<20 {
			t.Errorf("the heap grows from %.1f to %.1f MB: %d", float64(early)*1e-6, float64(late)*1e-6, heap)
		}
	})
}
