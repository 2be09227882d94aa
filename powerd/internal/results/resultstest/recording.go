package resultstest

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"powerd/analysis/pairing"
	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/quarch"
	"powerd/quarch/capture"
)

// StartNs is host time 0 s of every Recording.
const StartNs = int64(1_000_000_000_000)

// Host returns the host time of a second of the run.
func Host(s float64) int64 { return StartNs + int64(math.Round(s*1e9)) }

// Recording is the folder of a run, made in virtual time.
type Recording struct {
	t       *testing.T
	Dir     string // of the run
	nowNs   int64
	capture *capture.Writer
	Loads   Loads // what Compute gives the engine's results from
}

// Loads is what an engine left of its jobs, by step.
type Loads map[string]Outcome

// Outcome is what Load returns of one job.
type Outcome struct {
	Result *engine.Result
	Err    error
}

// Load implements results.Loader.
func (l Loads) Load(job engine.Job) (*engine.Result, error) {
	o, ok := l[job.Step]
	if !ok {
		return nil, &engine.JobError{Step: job.Step, Why: "it left no result"}
	}
	return o.Result, o.Err
}

// BothRails are those of Meta.
func BothRails() []quarch.Rail { return []quarch.Rail{quarch.Rail5V, quarch.Rail12V} }

// Meta is what was known of every run before its first sample.
func Meta() results.Meta {
	return results.Meta{
		Run:   results.Run{ID: "r1", StartedUTC: "2026-09-21T14:13:20Z", StartedMonoNs: StartNs, PowerdVersion: "test", FioVersion: "fio-3.36"},
		Suite: results.Suite{Name: "demo", Title: "A demo", SHA256: strings.Repeat("ab", 32), Scale: 1},
		Bench: results.Bench{Name: "bench 1", RailsUsed: BothRails(), Pairing: &pairing.Evidence{Method: pairing.MethodBursts, Confirmed: true}},
		Drive: results.Drive{Vendor: "Acme", Model: "Model A", Serial: "SN1", Firmware: "0003", CapacityBytes: 400e9},
		Host:  results.Host{CPU: "a CPU", Kernel: "6.18"},
		Module: results.Module{
			Driver: "ppm", Model: "HD", Serial: "QTL1", Firmware: "5.016", Link: quarch.LinkFramed, Port: "/dev/ttyUSB0", Rails: BothRails(),
			Calibration: &results.Calibration{CalDate: "2026-09-01"},
		}, // a module without error
		Start: results.Instant{MonoNs: StartNs, RawNs: StartNs, UTCNs: 1_790_000_000e9},
	}
}

// Record begins the folder of a run.
func Record(t *testing.T, m results.Meta) *Recording {
	t.Helper()
	r := &Recording{t: t, Dir: t.TempDir(), nowNs: StartNs, Loads: Loads{}}
	run, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	r.capture, err = capture.Create(filepath.Join(r.Dir, "capture"), capture.Options{Run: run, Now: func() int64 { return r.nowNs }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.capture.Close(); err != nil {
			t.Error(err)
		}
	})
	r.Event(quarch.Event{MonoNs: StartNs, Kind: quarch.EventRunStart})
	return r
}

func (r *Recording) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// Event notes an event.
func (r *Recording) Event(e quarch.Event) {
	r.t.Helper()
	r.must(r.capture.Event(e))
}

// Step marks a step of the plan from one second to another. job is of a load.
func (r *Recording) Step(name, kind string, fromS, toS float64, job *engine.Job) {
	r.t.Helper()
	r.Event(results.StepStart(Host(fromS), results.StepMark{Step: name, Group: name, Kind: kind, Of: 1, Job: job}))
	r.Event(results.StepEnd(Host(toS), name, results.Completed, ""))
}

// Load marks a load whose engine left res, over a window that it says itself. An
// engine logs what it does as it goes: res gets eight even intervals if it has none.
func (r *Recording) Load(job engine.Job, fromS, toS float64, res *engine.Result, err error) {
	r.t.Helper()
	r.Step(job.Step, "load", fromS-0.2, toS+0.2, &job)
	if res != nil {
		res.Engine, res.StartNs, res.EndNs = "fio", Host(fromS), Host(toS)
		if res.Intervals == nil {
			res.Intervals = evenly(res, 8)
		}
	}
	r.Loads[job.Step] = Outcome{res, err}
}

// evenly returns n intervals of what a job read.
func evenly(res *engine.Result, n uint64) []engine.Interval {
	out := make([]engine.Interval, n)
	lengthNs := (res.EndNs - res.StartNs) / int64(n)
	for i := range out {
		fromNs := res.StartNs + int64(i)*lengthNs
		out[i] = engine.Interval{StartNs: fromNs, EndNs: fromNs + lengthNs, Reads: res.Read.IOs / n, ReadBytes: res.Read.Bytes / n}
	}
	return out
}

// Powered notes a power command that was sent at a second of the run.
func (r *Recording) Powered(step string, on bool, atS float64) {
	r.t.Helper()
	r.Event(results.PowerEvent(step, on, Host(atS), Host(atS)+2e6))
}

// DriveFile puts a drive file into the run's folder.
func (r *Recording) DriveFile(name, text string) {
	r.t.Helper()
	r.must(os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o644))
}

// Clock notes a reading of the host's clocks; the wall clock has been stepped by
// stepS.
func (r *Recording) Clock(atS, stepS float64) {
	r.t.Helper()
	r.Event(quarch.Event{MonoNs: Host(atS), Kind: quarch.EventClock, Data: map[string]any{
		"raw_ns": Host(atS), "utc_ns": int64(1_790_000_000e9) + int64((atS+stepS)*1e9),
	}})
}

// Stream records a whole stream.
func (r *Recording) Stream(s Source) {
	r.t.Helper()
	r.nowNs = Host(s.FromS)
	sent := Host(s.FromS) - 50e3
	if s.SentS != 0 {
		sent = Host(s.SentS)
		r.nowNs = sent
	}
	if s.DelayNs == 0 {
		s.DelayNs = 50e3
	}
	if s.Rails == nil {
		s.Rails = BothRails()
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
			r.Event(quarch.Event{MonoNs: b.ReadAtNs, Kind: quarch.EventGap, Text: "lost on the way", Data: map[string]any{
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

// Ended notes an orderly end of the run.
func (r *Recording) Ended(atS float64) {
	r.t.Helper()
	r.Event(quarch.Event{MonoNs: Host(atS), Kind: quarch.EventRunEnd, Data: map[string]any{
		"outcome": results.Completed, "utc_ns": int64(1_790_000_000e9) + int64(atS*1e9),
	}})
}

// Compute concludes from what was recorded so far.
func (r *Recording) Compute() *results.Document {
	r.t.Helper()
	r.must(r.capture.Sync())
	d, err := results.Compute(r.Dir, r.Loads)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

// Copied returns a copy of the folder as it is now: what a crash would leave.
func (r *Recording) Copied() string {
	r.t.Helper()
	dir := r.t.TempDir()
	r.must(os.CopyFS(dir, os.DirFS(r.Dir)))
	return dir
}
