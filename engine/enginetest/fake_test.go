package enginetest_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"powerd/engine"
	"powerd/engine/enginetest"
)

func job(t *testing.T) engine.Job {
	target := filepath.Join(t.TempDir(), "target")
	if err := os.WriteFile(target, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	return engine.Job{
		Step: "randread-4k-qd1", Target: target, RW: "randread", BlockBytes: 4096,
		Duration: 3 * time.Second, Dir: t.TempDir(),
	}
}

// The fake keeps every promise that it lets others rely on. Jobs of an hour are
// held, so that they can be cancelled.
func TestFakeConforms(t *testing.T) {
	fake := &enginetest.Fake{
		Clock: enginetest.NewClock(5e9),
		Script: func(job engine.Job) enginetest.Outcome {
			return enginetest.Outcome{ReadIOPS: 1000, Hold: job.Duration == time.Hour}
		},
	}
	enginetest.Run(t, enginetest.Subject{Engine: fake, Job: job, MinIOs: 3000})
}

// 3 s at 250 reads and 50 writes a second after a ramp of 1 s, from 10 s on: the
// window is [11 s, 14 s), with 750 reads and 150 writes of 4096 bytes.
func TestFakeRunsInVirtualTime(t *testing.T) {
	clock := enginetest.NewClock(10e9)
	want := errors.New("as scripted")
	fake := &enginetest.Fake{Clock: clock, Script: func(engine.Job) enginetest.Outcome {
		return enginetest.Outcome{ReadIOPS: 250, WriteIOPS: 50, Err: want}
	}}
	j := job(t)
	j.RW, j.ReadPct, j.Ramp = "randrw", 83, time.Second
	run, err := fake.Start(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait()
	if !errors.Is(err, want) {
		t.Errorf("Wait() error = %v, want the scripted one", err)
	}
	if res.StartNs != 11e9 || res.EndNs != 14e9 || clock.Now() != 14e9 {
		t.Errorf("window [%d, %d), clock %d; want [11e9, 14e9), 14e9", res.StartNs, res.EndNs, clock.Now())
	}
	if res.Read.IOs != 750 || res.Write.IOs != 150 || res.Bytes() != 900*4096 {
		t.Errorf("%d reads, %d writes, %d bytes; want 750, 150, %d", res.Read.IOs, res.Write.IOs, res.Bytes(), 900*4096)
	}
	if got := fake.Jobs(); len(got) != 1 || got[0].Step != j.Step {
		t.Errorf("jobs started: %v", got)
	}
}
