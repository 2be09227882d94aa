package results_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/quarch"
	"powerd/quarch/capture"
)

// startNs is host time 0 s of every recording.
const startNs = int64(1_000_000_000_000)

// host returns the host time of a second of the run.
func host(s float64) int64 { return startNs + int64(math.Round(s*1e9)) }

// reading is what one rail carries: millivolts and microamperes.
type reading struct{ mV, uA int32 }

// source is a stream of a module with known truth. Its stripe k begins at
// FromS + k·PeriodNs·(1 + PPM·1e-6) of the host.
type source struct {
	FromS, ToS float64
	PeriodNs   int64 // 0 = a polled link, read every PollNs
	PollNs     int64
	PPM        float64
	SentS      float64 // when the stream was asked for; 0 = 50 µs before FromS
	DelayNs    int64   // from the end of a block to its read; 0 = 50 µs
	Rails      []quarch.Rail
	Draw       func(s float64) []reading // what the rails carry at a second of the run
	Lost       [2]uint64                 // stripes [from, to) that never came
	EndReason  string                    // empty = it never ended
}

// recording is the folder of a run, made in virtual time.
type recording struct {
	t       *testing.T
	dir     string
	nowNs   int64
	capture *capture.Writer
	loads   loads
}

// loads is what an engine left of its jobs, by step.
type loads map[string]outcome

type outcome struct {
	result *engine.Result
	err    error
}

// Load implements results.Loader.
func (l loads) Load(job engine.Job) (*engine.Result, error) {
	o, ok := l[job.Step]
	if !ok {
		return nil, &engine.JobError{Step: job.Step, Why: "it left no result"}
	}
	return o.result, o.err
}

var bothRails = []quarch.Rail{quarch.Rail5V, quarch.Rail12V}

func meta() results.Meta {
	return results.Meta{
		Run:    results.Run{ID: "r1", StartedUTC: "2026-09-21T14:13:20Z", StartedMonoNs: startNs, PowerdVersion: "test", FioVersion: "fio-3.36"},
		Suite:  results.Suite{Name: "demo", Title: "A demo", SHA256: strings.Repeat("ab", 32), Scale: 1},
		Bench:  results.Bench{Name: "bench 1", RailsUsed: bothRails},
		Drive:  results.Drive{Vendor: "Acme", Model: "Model A", Serial: "SN1", Firmware: "0003", CapacityBytes: 400e9},
		Host:   results.Host{CPU: "a CPU", Kernel: "6.18"},
		Module: results.Module{Driver: "ppm", Model: "HD", Serial: "QTL1", Firmware: "5.016", Link: quarch.LinkFramed, Port: "/dev/ttyUSB0", Rails: bothRails},
		Start:  results.Instant{MonoNs: startNs, RawNs: startNs, UTCNs: 1_790_000_000e9},
	}
}

// record begins the folder of a run.
func record(t *testing.T, m results.Meta) *recording {
	t.Helper()
	r := &recording{t: t, dir: t.TempDir(), nowNs: startNs, loads: loads{}}
	run, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	r.capture, err = capture.Create(filepath.Join(r.dir, "capture"), capture.Options{Run: run, Now: func() int64 { return r.nowNs }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.capture.Close(); err != nil {
			t.Error(err)
		}
	})
	r.event(quarch.Event{MonoNs: startNs, Kind: quarch.EventRunStart})
	return r
}

func (r *recording) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *recording) event(e quarch.Event) {
	r.t.Helper()
	r.must(r.capture.Event(e))
}

// step marks a step of the plan from one second to another. job is of a load.
func (r *recording) step(name, kind string, fromS, toS float64, job *engine.Job) {
	r.t.Helper()
	r.event(results.StepStart(host(fromS), results.StepMark{Step: name, Group: name, Kind: kind, Of: 1, Job: job}))
	r.event(results.StepEnd(host(toS), name, results.Completed, ""))
}

// load marks a load whose engine left res.
func (r *recording) load(job engine.Job, fromS, toS float64, res *engine.Result, err error) {
	r.t.Helper()
	r.step(job.Step, "load", fromS-0.2, toS+0.2, &job)
	if res != nil {
		res.Engine, res.StartNs, res.EndNs = "fio", host(fromS), host(toS)
	}
	r.loads[job.Step] = outcome{res, err}
}

// powered notes a power command that was sent at a second of the run.
func (r *recording) powered(step string, on bool, atS float64) {
	r.t.Helper()
	r.event(results.PowerEvent(step, on, host(atS), host(atS)+2e6))
}

// clock notes a reading of the host's clocks; the wall clock has been stepped by
// stepS.
func (r *recording) clock(atS, stepS float64) {
	r.t.Helper()
	r.event(quarch.Event{MonoNs: host(atS), Kind: quarch.EventClock, Data: map[string]any{
		"raw_ns": host(atS), "utc_ns": int64(1_790_000_000e9) + int64((atS+stepS)*1e9),
	}})
}

// stream records a whole stream.
func (r *recording) stream(s source) {
	r.t.Helper()
	r.nowNs = host(s.FromS)
	sent := host(s.FromS) - 50e3
	if s.SentS != 0 {
		sent = host(s.SentS)
		r.nowNs = sent
	}
	if s.DelayNs == 0 {
		s.DelayNs = 50e3
	}
	if s.Rails == nil {
		s.Rails = bothRails
	}
	info := quarch.Info{Driver: "ppm", Model: "HD", Serial: "QTL1", Link: quarch.LinkFramed, Rails: s.Rails, PeriodNs: s.PeriodNs, Averaging: int(s.PeriodNs / 4000)}
	start := capture.StreamInfo{Module: info, SentNs: sent, AckedNs: sent + 1e6}
	if s.PeriodNs == 0 {
		start.SentNs, start.AckedNs = 0, 0
	}
	r.must(r.capture.BeginStream(start))
	for _, b := range s.blocks() {
		r.nowNs = b.ReadAtNs
		if b.Lost > 0 {
			r.event(quarch.Event{MonoNs: b.ReadAtNs, Kind: quarch.EventGap, Text: "lost on the way", Data: map[string]any{
				"stripes": b.Lost, "before_stripe": b.First,
			}})
		}
		r.must(r.capture.Write(b))
	}
	if s.EndReason == "" {
		r.must(r.capture.Sync())
		return
	}
	r.must(r.capture.EndStream(s.EndReason))
}

// blocks makes the stream's blocks: of 10 ms, or one a reading.
func (s source) blocks() []*quarch.Block {
	period := float64(s.PeriodNs) * (1 + s.PPM*1e-6)
	size := uint64(max(1, 10_000_000/max(1, s.PeriodNs)))
	if s.PeriodNs == 0 {
		period, size = float64(s.PollNs), 1
	}
	total := uint64(math.Round((s.ToS - s.FromS) * 1e9 / period))
	var out []*quarch.Block
	for k := uint64(0); k < total; {
		if k == s.Lost[0] && s.Lost[1] > 0 {
			k = s.Lost[1]
		}
		n := min(size, total-k)
		if k < s.Lost[0] {
			n = min(n, s.Lost[0]-k)
		}
		b := &quarch.Block{First: k, PeriodNs: s.PeriodNs}
		if s.Lost[1] > 0 && k == s.Lost[1] {
			b.Lost = s.Lost[1] - s.Lost[0]
		}
		s.fill(b, n, period)
		out = append(out, b)
		k += n
	}
	return out
}

// fill samples n stripes of b in their middle.
func (s source) fill(b *quarch.Block, n uint64, period float64) {
	for _, rail := range s.Rails {
		b.Traces = append(b.Traces, quarch.Trace{Rail: rail, LSBVolts: 1e-3, LSBAmps: 1e-6})
	}
	for i := range n {
		at := s.FromS + (float64(b.First+i)+0.5)*period*1e-9
		for k, x := range s.Draw(at) {
			t := &b.Traces[k]
			t.V, t.A = append(t.V, x.mV), append(t.A, x.uA)
		}
		if b.PeriodNs == 0 {
			b.AtNs = append(b.AtNs, host(at))
		}
	}
	b.ReadAtNs = host(s.FromS+float64(b.End())*period*1e-9) + s.DelayNs
}

// steady draws the same all the time.
func steady(r ...reading) func(float64) []reading {
	return func(float64) []reading { return r }
}

// idle55 is 5 V · 0.5 A + 12 V · 0.25 A = 2.5 W + 3.0 W.
var idle55 = steady(reading{5000, 500_000}, reading{12_000, 250_000})

// ended notes an orderly end of the run.
func (r *recording) ended(atS float64) {
	r.t.Helper()
	r.event(quarch.Event{MonoNs: host(atS), Kind: quarch.EventRunEnd, Data: map[string]any{
		"outcome": results.Completed, "utc_ns": int64(1_790_000_000e9) + int64(atS*1e9),
	}})
}

// compute concludes from what was recorded so far.
func (r *recording) compute() *results.Document {
	r.t.Helper()
	r.must(r.capture.Sync())
	d, err := results.Compute(r.dir, r.loads)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

// copied returns a copy of the folder as it is now: what a crash would leave.
func (r *recording) copied() string {
	r.t.Helper()
	dir := r.t.TempDir()
	r.must(os.CopyFS(dir, os.DirFS(r.dir)))
	return dir
}

// near fails unless got is want to within a relative tolerance.
func near(t *testing.T, what string, got *float64, want, rel float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is absent, want %g", what, want)
		return
	}
	if math.Abs(*got-want) > rel*math.Abs(want)+1e-15 {
		t.Errorf("%s = %v, want %v", what, *got, want)
	}
}

// withheld returns why a figure is withheld.
func withheld(t *testing.T, d *results.Document, what string) string {
	t.Helper()
	for _, w := range d.Withheld {
		if w.What == what {
			return w.Why
		}
	}
	t.Errorf("%s is not withheld; withheld are %v", what, d.Withheld)
	return ""
}

// warned reports whether there is a warning with a code and a part of its text.
func warned(d *results.Document, code, part string) bool {
	for _, w := range d.Warnings {
		if w.Code == code && strings.Contains(w.Text, part) {
			return true
		}
	}
	return false
}
