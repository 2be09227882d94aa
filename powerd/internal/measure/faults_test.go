package measure_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"powerd/analysis"
	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
	"powerd/quarch/sim"
)

// What powerd reports under each fault of a bench. The drive is idle for 4 s (2.1 W
// from 5 V, 0.6 W from 12 V), then loaded for 4 s, during which it draws 1.5 W more from
// 5 V. Whatever is wrong, a figure that is given holds the truth within its ±; what
// cannot be supported is withheld with the reason; a run that cannot go on ends with
// the cause; and none of them hangs.
//
// Samples are 128 µs long, so that the module sends a frame of some 23 stripes every 3 ms.
func TestUnderEveryFault(t *testing.T) {
	const given = "" // the figure is given
	for _, c := range []struct {
		faults     string // separated by blanks
		idle, load string // given, or why it is withheld
		ends       string // the run fails, with these words
		warns      string // code of a warning that must be there
		loses      bool   // stripes, all of which are counted
	}{
		{faults: "", idle: given, load: given},

		// A byte or a length that is wrong costs the frame it is in, and no other.
		{faults: "lost-byte:at=2s", idle: given, load: given, warns: "lost_stripes", loses: true},
		{faults: "lost-byte:p=0.002", idle: given, load: given, warns: "lost_stripes", loses: true},
		{faults: "wrong-length:at=2s", idle: given, load: given, warns: "lost_stripes", loses: true},
		// One frame in twenty is lost: 5 % of a window are too much to say what it holds.
		{faults: "lost-byte:p=0.05", idle: "samples cover 9", load: "samples cover 9", warns: "lost_stripes", loses: true},

		// A frame that comes twice puts all that follow in the wrong place. By 3 ms it is
		// within what the start of the stream leaves open, and in the ±; by 15 ms stripes
		// arrive before they were asked for.
		{faults: "duplicated-block:at=2s", idle: given, load: given},
		{faults: "duplicated-block:at=2s,count=5", idle: "cannot be placed", load: "cannot be placed", warns: "alignment_none"},
		{faults: "duplicated-block:p=0.05", idle: "cannot be placed", load: "cannot be placed", warns: "alignment_none"},

		// How bytes are cut up, or how late they come, changes nothing but the ±.
		{faults: "split-writes:bytes=40", idle: given, load: given},
		{faults: "merged-writes", idle: given, load: given},
		{faults: "stall:at=2s,by=80ms", idle: given, load: given},
		{faults: "stall:p=0.01", idle: given, load: given},
		{faults: "delay:model=usbcdc", idle: given, load: given},
		{faults: "delay:model=tcp", idle: given, load: given},
		{faults: "delay:model=ftdi1", idle: given, load: given},
		{faults: "delay:model=ftdi16", idle: given, load: given},
		{faults: "delay:model=ftdi16-locked", idle: given, load: given, warns: "alignment_degraded"}, // 16 ms in step with the timer
		{faults: "delay:model=exp5+16", idle: given, load: given, warns: "alignment_degraded"},
		{faults: "delay:model=tcp stall:p=0.01 lost-byte:p=0.002 split-writes:bytes=100 warm-up:ppm=50", idle: given, load: given, warns: "lost_stripes", loses: true},

		// 12 bytes in 128 µs are 940 kbit/s.
		{faults: "slow-line:baud=1500000", idle: given, load: given},
		{faults: "slow-line:baud=115200", ends: "the line is too slow for one in 128 µs, raise the averaging"},

		// A clock that warms up is followed. One that stands still for 50 ms is not: where
		// it did, nobody knows, so that it is in the ±.
		{faults: "warm-up:ppm=100", idle: given, load: given},
		{faults: "clock-step:at=2s", idle: given, load: given, warns: "alignment_degraded"},
		{faults: "clock-step:at=2s,by=3s", idle: "placed within", load: "placed within", warns: "missing_samples"},

		// A stream that is not there to the end is the end of the run.
		{faults: "overrun:at=6s", idle: given, load: "cut short", ends: "module overrun after 46875 stripes; raise the averaging"}, // 6 s / 128 µs
		{faults: "early-end:at=6s", idle: given, load: "cut short", ends: "ended the stream early after 46875 stripes"},
		{faults: "early-end:at=6s,status=0", idle: given, load: "cut short", ends: "ended the stream unasked after 46875 stripes"},
		{faults: "unplug:at=6s", idle: given, load: "cut short", ends: "port unplugged"},
		{faults: "reset:at=6s", idle: given, load: "cut short", ends: "port unplugged"},
		{faults: "silent:at=6s", idle: given, load: "cut short", ends: "no answer from the module: the stream stalled"},
		{faults: "sync-ignored:at=6s", idle: given, load: "cut short", ends: "the stream stalled"},
		// A sync whose answer was lost holds the module up for 3 s; then it is answered
		// again, and all that had waited comes late.
		{faults: "sync-ignored:at=2s,for=1s", idle: "placed within", load: "placed within", warns: "alignment_degraded"},

		// What a stream begins with is believed whole or not at all.
		{faults: "header-mismatch", ends: "the stream's header says a period of 131072 µs, rec:ave? said 128 µs: nothing of it is used"},
		{faults: "garbage", ends: "frame at byte"},
		{faults: "garbage:bytes=3", ends: "frame at byte"},

		// 13 A is where the module's readings end: at least so much flowed.
		{faults: "saturated:at=2s,for=100ms", idle: "5V reads 13 A in it, the end of the module's range", load: given},
		{faults: "saturated:at=2s,rail=12v", idle: "12V reads 13 A", load: "12V reads 13 A"},

		// A rail that is not measured is missing in the total, which says so; IO for part of
		// the power is no figure.
		{faults: "rail-missing", idle: given, load: "[12v] not measured", warns: "partial_total"},
		{faults: "rail-missing:rail=5v", idle: given, load: "[5v] not measured", warns: "partial_total"},
	} {
		t.Run(c.faults, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := runUnder(t, c.faults)
				switch {
				case c.ends == "" && r.err != nil:
					t.Errorf("the run ended with %v", r.err)
				case c.ends != "" && (r.err == nil || !strings.Contains(r.err.Error(), c.ends)):
					t.Errorf("the run ended with %v, want %q", r.err, c.ends)
				case c.ends != "" && r.doc.Run.Outcome != results.Failed:
					t.Errorf("outcome %s beside %v", r.doc.Run.Outcome, r.err)
				}
				if took := r.tookS; took > 30 {
					t.Errorf("it took %.0f s", took)
				}
				if c.idle != given || c.load != given || c.ends == "" {
					r.reports("idle.idle", r.idleGiven(), c.idle)
					r.reports("efficiency.load", r.loadGiven(), c.load)
				}
				r.nothingWrong()
				r.lost(c.loses)
				if c.warns != "" && !slices.ContainsFunc(r.doc.Warnings, func(w results.Warning) bool { return w.Code == c.warns }) {
					t.Errorf("no warning %s in %v", c.warns, r.doc.Warnings)
				}
			})
		})
	}
}

// The same on the terminal link, which is polled: four questions a reading.
func TestPolledUnderFaults(t *testing.T) {
	for _, c := range []struct {
		faults string
		idle   string // "": the figure is given; else why it is withheld
		ends   string // the run fails, with these words
	}{
		{"no-echo", "", ""},
		{"slow-line:baud=19200", "", ""},
		{"split-writes:bytes=1 delay:model=ftdi16", "", ""},
		{"delay:model=exp5+16 no-echo", "", ""},
		{"merged-writes:by=100ms", "", ""},
		// A question that is not heard costs the patience with its reply, 3 s of 8.
		{"silent:at=3s,for=1s", "samples cover 6", ""},
		// What was read until the end is given, as far as the end is near.
		{"silent:at=3s", "samples cover 3", "no answer"},
		{"unplug:at=3s", "", "unplugged"},
		{"reset:at=3s", "", "unplugged"},
	} {
		t.Run(c.faults, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := faultyBench(t, sim.Options{Link: quarch.LinkTerminal}, c.faults)
				r.run(idleStep("idle", 8*time.Second))
				switch {
				case c.ends == "" && r.err != nil:
					t.Errorf("the run ended with %v", r.err)
				case c.ends != "" && (r.err == nil || !strings.Contains(r.err.Error(), c.ends)):
					t.Errorf("the run ended with %v, want %q", r.err, c.ends)
				}
				if r.tookS > 30 {
					t.Errorf("it took %.0f s", r.tookS)
				}
				r.reports("idle.idle", r.idleGiven(), c.idle)
				for _, i := range r.doc.Idles {
					if i.Total.MeanW != nil && math.Abs(*i.Total.MeanW-2.7) > 1e-6 { // a drive whose power is the same all the time
						t.Errorf("idle draws %v W, want 2.7", *i.Total.MeanW)
					}
				}
			})
		})
	}
}

// faultyRun is what came of one run, and what really was.
type faultyRun struct {
	t     *testing.T
	doc   *results.Document
	err   error
	tookS float64
	load  *busyLoad
	sim   *sim.Module
	bench *bench
}

// runUnder idles and loads a drive whose module has these faults.
func runUnder(t *testing.T, faults string) *faultyRun {
	t.Helper()
	r := faultyBench(t, sim.Options{}, faults)
	fine := func(s suite.Step) suite.Step {
		s.Sampling = 128 * time.Microsecond
		return s
	}
	r.run(fine(idleStep("idle", 4*time.Second)), fine(loadStep("load", 4*time.Second)))
	return r
}

// faultyBench is a bench of a drive whose module has these faults.
func faultyBench(t *testing.T, o sim.Options, faults string) *faultyRun {
	t.Helper()
	for text := range strings.FieldsSeq(faults) {
		f, err := sim.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Faults = append(o.Faults, f)
	}
	r := &faultyRun{t: t, load: newBusyLoad()}
	r.bench = newBenchOf(t, o, r.load)
	r.sim = r.bench.sim
	r.bench.loads = &loadingEngine{r.bench.engine, r.load}
	return r
}

func (r *faultyRun) run(steps ...suite.Step) {
	r.t.Helper()
	began := r.bench.now()
	r.doc, r.err = r.bench.run(r.t.Context(), steps...)
	r.tookS = float64(r.bench.now()-began) * 1e-9
	if r.doc == nil {
		r.t.Fatalf("no results beside %v", r.err)
	}
}

func (r *faultyRun) idleGiven() bool {
	return len(r.doc.Idles) == 1 && r.doc.Idles[0].Total.MeanW != nil
}

func (r *faultyRun) loadGiven() bool {
	return len(r.doc.Efficiency) == 1 && r.doc.Efficiency[0].IOPSPerMW != nil
}

// reports fails unless a figure is given, or withheld for the reason it should be.
func (r *faultyRun) reports(what string, given bool, why string) {
	r.t.Helper()
	var reasons []string
	for _, w := range r.doc.Withheld {
		if strings.HasPrefix(w.What, what) {
			reasons = append(reasons, w.Why)
		}
	}
	all := strings.Join(reasons, "; ")
	switch {
	case why == "" && !given:
		r.t.Errorf("%s is not given: %s", what, all)
	case why != "" && given:
		r.t.Errorf("%s is given, want it withheld since %q", what, why)
	case why != "" && !strings.Contains(all, why):
		r.t.Errorf("%s is withheld since %q, want %q", what, all, why)
	}
}

// nothingWrong holds every figure that is given against the truth of its window.
func (r *faultyRun) nothingWrong() {
	r.t.Helper()
	partial := func(missing []quarch.Rail) (lackW float64) { // of a total that says what it lacks
		for _, rail := range missing {
			lackW += map[quarch.Rail]float64{quarch.Rail5V: 2.1, quarch.Rail12V: 0.6}[rail]
		}
		return lackW
	}
	for _, i := range r.doc.Idles {
		if i.Total.MeanW == nil {
			continue
		}
		if i.Total.U95W == nil {
			r.t.Errorf("idle has %v W without ±", *i.Total.MeanW)
			continue
		}
		r.within("idle", *i.Total.MeanW, r.load.watts(i.StartMonoNs, i.EndMonoNs)-partial(i.NotMeasured), *i.Total.U95W)
	}
	for _, c := range r.doc.Efficiency {
		if c.MeanW == nil {
			continue
		}
		truth := r.load.watts(c.StartMonoNs, c.EndMonoNs)
		if slices.Contains(c.NotMeasured, quarch.Rail5V) {
			truth = 2.1 + 0.6 // what more it draws is of 5 V
		}
		truth -= partial(c.NotMeasured)
		if c.MeanU95W == nil {
			r.t.Errorf("the load has %v W without ±", *c.MeanW)
			continue
		}
		r.within("load", *c.MeanW, truth, *c.MeanU95W)
		if c.IOPSPerMW != nil {
			if c.U95Rel == nil {
				r.t.Errorf("%v IOPS/mW without ±", *c.IOPSPerMW)
				continue
			}
			r.within("IOPS/mW", *c.IOPSPerMW, 1000/(truth*1e3), *c.U95Rel**c.IOPSPerMW)
		}
	}
	for i, a := range r.doc.Alignment.Streams {
		if truth := float64(r.sim.Streams()[i].StartNs-r.doc.Run.StartedMonoNs) * 1e-9; a.OffsetS != nil {
			r.within(fmt.Sprintf("the offset of stream %d", i+1), *a.OffsetS, truth, *a.OffsetU95S)
		}
	}
}

// within fails unless got is want to within u, and a millionth for the last digit.
func (r *faultyRun) within(what string, got, want, u float64) {
	r.t.Helper()
	if !(math.Abs(got-want) <= u+1e-6*math.Abs(want)) {
		r.t.Errorf("%s is %.6f ± %.6f, in truth %.6f", what, got, u, want)
	}
}

// lost fails unless the stripes that are said to be lost, and the coverage of the
// windows, are those that the module's truth knows of.
func (r *faultyRun) lost(some bool) {
	r.t.Helper()
	if !some {
		for i, a := range r.doc.Alignment.Streams {
			if a.LostStripes > 0 {
				r.t.Errorf("stream %d: %d stripes are said to be lost, and none was", i+1, a.LostStripes)
			}
		}
		return
	}
	last := len(r.doc.Alignment.Streams) - 1
	truth := r.sim.Streams()[last]
	var stripes uint64
	lostIn := func(w analysis.Window) (n float64) {
		for _, l := range truth.Losses {
			for k := l.Index; k < l.Index+l.Stripes; k++ {
				if at := truth.StripeNs(k); at >= w.StartNs && at < w.EndNs {
					n++
				}
			}
		}
		return n
	}
	for _, l := range truth.Losses {
		stripes += l.Stripes
	}
	// Where two frames of three are damaged the one between them may not be told from the damage.
	if got := r.doc.Alignment.Streams[last].LostStripes; stripes == 0 || got < stripes || float64(got) > 1.1*float64(stripes) {
		r.t.Errorf("%d stripes are said to be lost, in truth %d", got, stripes)
	}
	covers := func(what string, coverage float64, start, end int64) {
		share := 1 - lostIn(analysis.Window{StartNs: start, EndNs: end})*float64(truth.PeriodNs)/float64(end-start)
		if math.Abs(coverage-share) > 2e-3 { // two frames of 3 ms in 4 s may lie across its borders
			r.t.Errorf("coverage of %s is %.4f, in truth %.4f", what, coverage, share)
		}
	}
	for _, i := range r.doc.Idles {
		covers("idle", i.Coverage, i.StartMonoNs, i.EndMonoNs)
	}
	for _, c := range r.doc.Efficiency {
		covers("the load", *c.Coverage, c.StartMonoNs, c.EndMonoNs)
	}
}

// busyLoad draws 420 mA from 5 V and 50 mA from 12 V, and 300 mA more from 5 V while
// its drive is loaded: what is seen at the wrong time is a wrong figure.
type busyLoad struct {
	*sim.ConstantLoad
	fromNs, toNs atomic.Int64 // of the load; 0 = not yet
}

func newBusyLoad() *busyLoad {
	return &busyLoad{ConstantLoad: sim.NewConstantLoad(map[string]int{"5v": 5000, "12v": 12_000}, map[string]int{"5v": 420_000, "12v": 50_000})}
}

const busyMicroAmps = 300_000

// busy is the share of [from, to) in which the drive is loaded.
func (l *busyLoad) busy(from, to int64) float64 {
	begun, ended := l.fromNs.Load(), l.toNs.Load()
	if begun == 0 {
		return 0
	}
	if ended == 0 {
		ended = to
	}
	return float64(max(0, min(to, ended)-max(from, begun))) / float64(to-from)
}

// Fill implements sim.Load.
func (l *busyLoad) Fill(startNs, periodNs int64, rails []string, v, a [][]int32) {
	l.ConstantLoad.Fill(startNs, periodNs, rails, v, a)
	for r, rail := range rails {
		for i := range a[r] {
			if from := startNs + int64(i)*periodNs; rail == "5v" {
				a[r][i] += int32(busyMicroAmps * l.busy(from, from+periodNs))
			}
		}
	}
}

// watts is the mean power of a window of host time.
func (l *busyLoad) watts(from, to int64) float64 {
	return 2.1 + 0.6 + 5*busyMicroAmps*1e-6*l.busy(from, to)
}

// loadingEngine loads the drive while a job runs.
type loadingEngine struct {
	*timedEngine
	load *busyLoad
}

// Start implements engine.Engine.
func (e *loadingEngine) Start(ctx context.Context, job engine.Job) (engine.Run, error) {
	r, err := e.timedEngine.Start(ctx, job)
	if err != nil {
		return nil, err
	}
	run, ok := r.(*timedRun)
	if !ok {
		return nil, errors.New("not a timed run")
	}
	e.load.fromNs.Store(e.now())
	go func() {
		<-run.ended
		e.load.toNs.Store(e.now())
	}()
	return run, nil
}
