package measure_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"powerd/analysis"
	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
	"powerd/quarch/sim"
)

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
	for _, i := range r.doc.Idles {
		if len(i.NotMeasured) > 0 { // there is no total; each rail is right by itself
			for rail, f := range i.Rails {
				r.within("idle of "+string(rail), *f.MeanW, map[quarch.Rail]float64{quarch.Rail5V: 2.1, quarch.Rail12V: 0.6}[rail], *f.U95W)
			}
		}
		if i.Total.MeanW == nil {
			continue
		}
		if i.Total.U95W == nil {
			r.t.Errorf("idle has %v W without ±", *i.Total.MeanW)
			continue
		}
		r.within("idle", *i.Total.MeanW, r.load.watts(i.StartMonoNs, i.EndMonoNs), *i.Total.U95W)
	}
	for _, c := range r.doc.Efficiency {
		if c.MeanW == nil {
			continue
		}
		truth := r.load.watts(c.StartMonoNs, c.EndMonoNs)
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
