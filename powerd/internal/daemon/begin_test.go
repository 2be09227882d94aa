package daemon

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"powerd/powerd/internal/results"
	"powerd/quarch"
	"powerd/quarch/capture"
)

// For two minutes no segment can be begun: what stands in its head cannot be written (a
// scale that is no number). Each attempt, one in 30 s, fails, and leaves no folder that
// would pass for a recording. That is one gap, from the first block on, which lasts until
// samples are kept again: it then stands once in the file, and in the segment that ends it.
func TestGapLastsUntilASegmentBegins(t *testing.T) {
	dir, w := t.TempDir(), newWorld(1)
	w.limit = virtualStart
	o, run := lending(inWorld(dir, w, &memory{count: true}))
	good := make(chan struct{})
	meta := o.Meta
	o.Meta = func(name string, info quarch.Info) (results.Meta, error) {
		m, err := meta(name, info)
		select {
		case <-good:
		default:
			m.Suite.Scale = math.NaN()
		}
		return m, err
	}
	d := start(t, o)
	w.until(t, virtualStart+int64(2*time.Minute))
	s := d.bench("a")
	contains(t, s.Why, "encode meta")
	if s.Counters.Gaps != 0 || s.Gap == nil || s.Gap.Cause != CauseDisk || !s.Gap.EndUTC.IsZero() {
		t.Errorf("%d gaps have ended, the last is %+v; want one that lasts, since the disk", s.Counters.Gaps, s.Gap)
	}
	if left, err := os.ReadDir(benchDir(dir, "a")); err != nil || len(left) != 1 || left[0].Name() != lastingFile {
		t.Errorf("left behind: %v, %v; want nothing but the gap that lasts", left, err)
	}
	close(good)
	if _, err := d.Submit(RunRequest{Suite: "idle", Bench: "a"}); err != nil { // a new stream follows it
		t.Fatal(err)
	}
	<-run.module
	run.end <- "completed"
	until(t, "the run is over", func() bool { j := d.Jobs()[0]; return j.Over() })
	w.until(t, virtualStart+int64(4*time.Minute))
	s = d.bench("a")
	d.end(t)
	if s.Counters.Gaps != 1 || s.Gap.Cause != CauseDisk || s.Gap.StartMonoNs != virtualStart+virtualBlock*virtualPeriod || s.Gap.Seconds() < 118 {
		t.Errorf("%d gaps, the last %+v", s.Counters.Gaps, s.Gap)
	}
	contains(t, s.Gap.Text, "lent to run")
	if file, err := os.ReadFile(filepath.Join(benchDir(dir, "a"), gapsFile)); err != nil || bytes.Count(file, []byte("\n")) != 1 {
		t.Errorf("the file of gaps says %s, %v", file, err)
	}
	all, err := Segments(benchDir(dir, "a"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%d segments, %v", len(all), err)
	}
	c, err := capture.Open(filepath.Join(all[0].Dir, captureDir))
	if err != nil {
		t.Fatal(err)
	}
	events, err := c.Events()
	i := slices.IndexFunc(events, func(e quarch.Event) bool { return e.Data["code"] == "gap" })
	if err != nil || i < 0 || events[i].Text != s.Gap.String() {
		t.Errorf("the segment's events are %v, %v; want the gap among them: %s", events, err, s.Gap)
	}
}
