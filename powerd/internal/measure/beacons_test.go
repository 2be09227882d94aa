package measure_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch/sim"
)

// readable is a drive of 2.7 W that draws 2 W more from 5 V while it is read from, 150 µs
// after the reads: what of it lies before now is known for good.
type readable struct {
	*sim.ConstantLoad
	now func() int64

	mu    sync.Mutex
	reads [][2]int64 // host times
	fails error      // of every read
	tries int
}

const (
	readLagNs = 150_000
	readUA    = 400_000
)

func newReadable() *readable {
	return &readable{ConstantLoad: sim.NewConstantLoad(map[string]int{"5v": 5000, "12v": 12_000}, map[string]int{"5v": 420_000, "12v": 50_000})}
}

// read reads for a while. The first read is done after 250 µs.
func (d *readable) read(_ context.Context, length time.Duration) (results.Burst, error) {
	d.mu.Lock()
	d.tries++
	from := d.now()
	if d.fails != nil {
		d.mu.Unlock()
		return results.Burst{}, d.fails
	}
	d.reads = append(d.reads, [2]int64{from, from + length.Nanoseconds()})
	d.mu.Unlock()
	<-time.After(length)
	return results.Burst{SubmitNs: from, DoneNs: from + 250_000, EndNs: d.now(), Reads: 60}, nil
}

func (d *readable) Settled(nowNs int64) int64 { return nowNs }

func (d *readable) Fill(startNs, periodNs int64, rails []string, v, a [][]int32) {
	d.ConstantLoad.Fill(startNs, periodNs, rails, v, a)
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range a[0] {
		from := startNs + int64(i)*periodNs
		for _, r := range d.reads {
			if on := min(from+periodNs, r[1]+readLagNs) - max(from, r[0]+readLagNs); on > 0 {
				a[0][i] += int32(readUA * on / periodNs)
			}
		}
	}
}

// beaconBench is a bench whose drive can be read from, by a module that is 137 ppm slow.
func beaconBench(t *testing.T, every time.Duration) (*bench, *readable) {
	t.Helper()
	load := newReadable()
	b := newBenchOf(t, sim.Options{DriftPPM: 137}, load)
	load.now = b.now
	b.beacons = measure.Beacons{Every: every, On: true, Read: load.read}
	return b, load
}

func fine(s suite.Step) suite.Step {
	s.Sampling = 64 * time.Microsecond
	return s
}

// Bursts stand before a power cycle and a load, after a load and at the end: four in each
// place. None is inside a step, none while the drive has no power, and none right before an
// idle step that no load came before. All of them are seen in the samples, two of each place
// are used, and stripes lie where the statement says: within 0.5 ms of the truth.
func TestBeaconsStandBetweenTheSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, load := beaconBench(t, time.Second)
		began := b.now()
		d, err := b.run(t.Context(), fine(cycleStep("up", time.Second, 2*time.Second)), fine(idleStep("first", 3*time.Second)),
			fine(loadStep("a", 2*time.Second)), fine(loadStep("b", 20*time.Second)), fine(idleStep("last", 12*time.Second)))
		if err != nil {
			t.Fatal(err)
		}
		b.same("events", b.events(), "run_start",
			"beacon", "step_start up", "power_off up", "power_on up", "step_end up", "step_start first", "step_end first",
			"beacon", "step_start a", "step_end a", "beacon", "step_start b", "step_end b", "beacon", "step_start last", "step_end last",
			"beacon", "run_end")
		for _, r := range load.reads {
			for _, s := range d.Steps {
				if r[0] < s.EndMonoNs && r[1]+readLagNs > s.StartMonoNs {
					t.Errorf("a burst of %.3f s lies in step %s", float64(r[0]-began)*1e-9, s.Step)
				}
			}
			if before := d.Steps[4].StartMonoNs - r[1]; before > 0 && before < 250e6 {
				t.Errorf("a burst ended %d ms before an idle step", before/1e6)
			}
		}
		a := d.Alignment
		if want := (&results.Beacons{Edges: 20, Found: 20, Used: 10}); a.Beacons == nil || a.Beacons.Edges != 20 || a.Beacons.Found != 20 || a.Beacons.Used != 10 {
			t.Errorf("beacons %+v, want %+v", a.Beacons, want)
		}
		if a.Method != "hull + 10 beacons + 2 bounds" {
			t.Errorf("method %q", a.Method)
		}
		truth := float64(b.sim.Streams()[0].StartNs-d.Run.StartedMonoNs) * 1e-9
		if off := math.Abs(*a.OffsetS - truth); off > *a.OffsetU95S || *a.OffsetU95S > 0.5e-3 {
			t.Errorf("offset %.6f ± %.6f s, is %.6f", *a.OffsetS, *a.OffsetU95S, truth)
		}
		about(t, "idle after the bursts", d.Idles[1].Total.MeanW, 2.7, 1e-9)
		about(t, "load between them", d.Efficiency[1].MeanW, 2.7, 1e-9)
		if took := time.Duration(len(load.reads)) * 100 * time.Millisecond; took > 5*time.Second {
			t.Errorf("bursts took %v of the run", took)
		}

		again, err := results.Reopen(b.dir, b.engine)
		if err != nil {
			t.Fatal(err)
		}
		text, err := again.JSON()
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(filepath.Join(b.dir, results.File))
		if err != nil || !bytes.Equal(text, kept) {
			t.Errorf("computed again the results are others (%v)", err)
		}
	})
}

// Within a minute of one place no other follows, but at the end, and in a stream of another
// sampling, which has none yet.
func TestBeaconsAreRare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, load := beaconBench(t, time.Minute)
		slow := fine(loadStep("slow", 5*time.Second))
		slow.Sampling = 128 * time.Microsecond
		if _, err := b.run(t.Context(), fine(loadStep("a", 5*time.Second)), fine(loadStep("b", 5*time.Second)), slow, fine(loadStep("c", 12*time.Second))); err != nil {
			t.Fatal(err)
		}
		b.same("events", b.events(), "run_start", "beacon", "step_start a", "step_end a", "step_start b", "step_end b",
			"beacon", "step_start slow", "step_end slow", "beacon", "step_start c", "step_end c", "beacon", "run_end")
		if len(load.reads) != 16 {
			t.Errorf("%d bursts", len(load.reads))
		}
	})
}

// Nobody reads from a drive without power, nor from one whose power nobody knows since
// a power cycle failed, nor where stripes of 8 ms could not show it; and a drive that
// fails a read is not asked again, which the results say.
func TestBeaconsThatAreLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *bench, d *readable)
		steps  []suite.Step
		tries  int
		warns  string
	}{
		"off at the start": {
			func(b *bench, _ *readable) { b.beacons.On = false },
			[]suite.Step{fine(loadStep("a", time.Second))},
			0, "",
		},
		"off, then on": {
			func(b *bench, _ *readable) { b.beacons.On = false },
			[]suite.Step{fine(cycleStep("up", time.Second, time.Second)), fine(idleStep("i", time.Second)), fine(loadStep("a", time.Second))},
			8, "",
		},
		"coarse stripes": {
			func(*bench, *readable) {},
			[]suite.Step{{Name: "a", Group: "a", Kind: suite.Load, Duration: time.Second, Sampling: 8192 * time.Microsecond, Job: loadStep("a", time.Second).Job}},
			0, "",
		},
		"reads fail": {
			func(_ *bench, d *readable) { d.fails = errors.New("read 131072 bytes: input/output error") },
			[]suite.Step{fine(loadStep("a", time.Second)), fine(loadStep("b", 11*time.Second))},
			1, "input/output error",
		},
		"off by the settings": {
			func(b *bench, _ *readable) { b.beacons = measure.Beacons{} },
			[]suite.Step{fine(loadStep("a", time.Second))},
			0, "",
		},
		"nothing but idle": {
			func(*bench, *readable) {},
			[]suite.Step{fine(idleStep("i", time.Second))},
			4, "", // at the end
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, load := beaconBench(t, time.Second)
				c.change(b, load)
				d, err := b.run(t.Context(), c.steps...)
				if err != nil {
					t.Fatal(err)
				}
				if load.tries != c.tries {
					t.Errorf("%d bursts were tried, want %d", load.tries, c.tries)
				}
				said := ""
				for _, w := range d.Warnings {
					if w.Code == "beacons" {
						said += w.Text
					}
				}
				if (said != "") != (c.warns != "") || !strings.Contains(said, c.warns) {
					t.Errorf("warned %q, want %q", said, c.warns)
				}
			})
		})
	}
}

// A stream that breaks inside a beacon breaks the step behind it, which says so; a run that
// is interrupted there says that. Neither hangs, and what was read so far is kept.
func TestStreamBreaksInABeacon(t *testing.T) {
	for name, interrupt := range map[string]bool{"broken": false, "interrupted": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, load := beaconBench(t, time.Second)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				read := b.beacons.Read
				b.beacons.Read = func(ctx context.Context, length time.Duration) (results.Burst, error) {
					out, err := read(ctx, length)
					switch {
					case load.tries != 2:
					case interrupt:
						cancel()
					default:
						b.conn.Close()
					}
					return out, err
				}
				d, err := b.run(ctx, fine(loadStep("a", time.Second)))
				if err == nil {
					t.Fatal("the run is complete")
				}
				if want := map[bool]string{true: results.Interrupted, false: results.Failed}[interrupt]; d.Run.Outcome != want || len(d.Steps) != 1 || d.Steps[0].Outcome != want {
					t.Errorf("outcome %s, steps %+v", d.Run.Outcome, d.Steps)
				}
				if load.tries != 2 {
					t.Errorf("%d bursts were tried", load.tries)
				}
			})
		})
	}
}
