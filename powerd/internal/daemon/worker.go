package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/live"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// worker owns one bench's module.
type worker struct {
	o      *Options
	bench  config.Bench
	dir    string // of its recordings
	keeper *keeper
	tell   *teller
	log    *slog.Logger

	// Only run's goroutine has these.
	link   string // how the module spoke last
	tried  string // what was at its port at the last attempt
	nextNs int64  // when the next attempt is due

	mu        sync.Mutex
	state     string
	why       string // of waiting
	said      string // the last complaint that was logged
	left      string // of the supply, by a run that was killed
	info      quarch.Info
	infoNs    int64 // host time at which its runtime was asked for
	gap       *openGap
	last      *Gap
	reachedNs int64 // samples are in up to this host time; 0 = none ever came
	meter     live.Meter
	used      []quarch.Rail // by the drive; nil = all
	recent    live.Recent
	pause     time.Duration // before the next attempt; 0 once samples came
	counters  Counters
	energy    map[quarch.Rail]*energy
	raw       raw // has a lock of its own

	has       bool               // there is a module that can be lent
	interrupt context.CancelFunc // ends the stream under way; nil if there is none
	job       *job               // that has, or is to get, the module
}

func newWorker(o *Options, b config.Bench, k *keeper) *worker {
	log := o.Log.With("bench", b.Name)
	w := &worker{
		o: o, bench: b, dir: benchDir(o.Dir, b.Name), keeper: k, log: log,
		tell:  &teller{bench: b.Name, log: log},
		state: Waiting, why: starting, energy: map[quarch.Rail]*energy{},
	}
	w.meter.Emit = w.emit
	w.raw.w = w
	return w
}

// run connects, records and connects again until ctx is done.
func (w *worker) run(ctx context.Context) {
	w.notRunning()
	for ctx.Err() == nil {
		m, info, ok := w.connect(ctx)
		if !ok {
			break
		}
		w.connected(info)
		if err := w.use(ctx, m, info); err != nil && ctx.Err() == nil {
			w.waiting(causeOf(err), err)
			w.later()
		}
	}
	w.raw.wait()
	w.finish()
}

// use records with an open module, and lends it, until it fails or ctx is done. The
// module is closed when it returns: a path may lead to a new device only then.
func (w *worker) use(ctx context.Context, m quarch.Module, info quarch.Info) (err error) {
	defer func() {
		w.notLent(w.shut())
		if err := m.Close(); err != nil {
			w.log.Debug("module closed", "error", err)
		}
	}()
	for {
		w.lookForLeft(ctx, m)
		err := w.record(ctx, m, info)
		j := w.borrower()
		if j == nil || err != nil || ctx.Err() != nil {
			return err
		}
		w.lend(ctx, m, j)
		if ctx.Err() != nil {
			return nil
		}
		if info, err = m.Info(ctx); err != nil {
			return err
		}
	}
}

// lookForLeft finds out whether a run that was killed has left the drive's supply
// otherwise than it was found: whoever looks at a drive that draws nothing is to know why.
func (w *worker) lookForLeft(ctx context.Context, m quarch.Module) {
	if w.o.Left == nil {
		return
	}
	left, err := w.o.Left(ctx, w.bench.Name, m)
	if err != nil {
		if ctx.Err() == nil {
			w.log.Warn("whether a run has left the supply as it was found is not known", "error", err)
		}
		return // what was known stands
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if left != "" && left != w.left {
		w.log.Error("the drive's supply is not as it was found", "left", left)
	}
	w.left = left
}

// notRunning begins the gap since the samples of an earlier powerd. A gap that lasted when
// that one was killed goes on, with the cause that it had.
func (w *worker) notRunning() {
	all, err := Segments(w.dir)
	if err == nil && len(all) == 0 {
		return
	}
	var end, alive time.Time
	if err == nil {
		end, alive, err = all[len(all)-1].lastWritten()
	}
	if err != nil {
		w.log.Warn("when the samples of before end is not known", "error", err)
		return
	}
	last := lastGap(w.dir)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = last
	if last != nil && last.EndUTC.After(end) { // it ended before a sample came
		end = last.EndUTC
	}
	text := "powerd was not running"
	if lost := alive.Sub(end); lost > time.Second {
		text += fmt.Sprintf(" (it was until %s or later: the last %.1f s of samples were not on disk yet)", alive.Format(time.RFC3339), lost.Seconds())
	}
	cause := CauseStopped
	var texts []string
	if was := lastingGap(w.dir); was != nil && !was.StartUTC.Before(all[len(all)-1].Start) {
		end, cause, text, texts = was.StartUTC, was.Cause, "powerd was not running", []string{was.Text}
	}
	now := w.o.Clock()
	g := &openGap{Gap: Gap{Cause: cause, StartUTC: end, StartMonoNs: now.MonoNs - (now.UTCNs - end.UnixNano())}, texts: texts}
	g.add(text)
	w.gap = g
}

// waiting says why there are no samples; a gap begins, or lasts. Each reason is logged
// once.
func (w *worker) waiting(cause string, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state, w.why = Waiting, why.Error()
	w.begin(cause, w.why)
	if w.said != w.why {
		w.said = w.why
		w.log.Warn("no samples", "cause", cause, "reason", w.why)
	}
}

// begin begins a gap where the samples end, or adds to the one that lasts. The caller
// holds w.mu.
func (w *worker) begin(cause, text string) {
	if w.gap == nil {
		now := w.o.Clock()
		startNs := w.reachedNs
		if startNs == 0 {
			startNs = now.MonoNs
		}
		w.gap = &openGap{Gap: Gap{Cause: cause, StartMonoNs: startNs, StartUTC: time.Unix(0, now.UTCNs-(now.MonoNs-startNs)).UTC()}}
	}
	if w.gap.add(text) {
		w.keepLasting()
	}
}

// keepLasting writes down the gap that lasts, for a powerd that follows on one that is
// killed. The caller holds w.mu.
func (w *worker) keepLasting() {
	if err := keepLastingGap(w.dir, &w.gap.Gap); err != nil {
		w.log.Warn("the gap that lasts is not written down", "error", err)
	}
}

// gapUntil returns what the gap that lasts is if it ends at a host time, nil if there is
// none. It lasts until endGap.
func (w *worker) gapUntil(endNs int64) *Gap {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gap == nil {
		return nil
	}
	g := w.gap.Gap
	now := w.o.Clock()
	g.EndMonoNs = max(endNs, g.StartMonoNs)
	g.EndUTC = time.Unix(0, now.UTCNs-(now.MonoNs-g.EndMonoNs)).UTC()
	return &g
}

// endGap keeps the gap that lasted until now; nil = there was none.
func (w *worker) endGap(g *Gap) {
	if g == nil {
		return
	}
	w.mu.Lock()
	w.gap, w.last = nil, g
	w.counters.Gaps++
	w.mu.Unlock()
	err := appendGap(w.dir, g)
	if err == nil {
		err = dropLastingGap(w.dir)
	}
	if err != nil {
		w.log.Error("gap not kept", "error", err)
	}
	w.tell.gap(*g)
}

// connected takes note of a module that was opened.
func (w *worker) connected(info quarch.Info) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.o.Now()
	if w.infoNs != 0 {
		w.counters.Reconnects++
	}
	if w.infoNs != 0 && info.Serial == w.info.Serial && quarch.Restarted(w.info.RuntimeS, info.RuntimeS, now-w.infoNs) {
		w.log.Warn("the module was switched off and on again meanwhile; its figures are good after ten minutes", "module", info.Serial)
		if w.gap != nil {
			w.gap.Restarted = true
		}
	}
	w.info, w.infoNs, w.said, w.has = info, now, "", true
	w.log.Info("module opened", "module", info.Serial, "port", info.Port, "link", info.Link, "model", info.Model)
}

// describe reads what is known of the bench, for a recording's head.
func (w *worker) describe(info quarch.Info) results.Meta {
	m, err := w.o.Meta(w.bench.Name, info)
	if err != nil {
		w.log.Warn("what is known of the bench cannot be read", "error", err)
	}
	w.tell.of(&m)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.used = m.Bench.RailsUsed
	return m
}

// finish ends what lasts when the daemon ends.
func (w *worker) finish() {
	w.mu.Lock()
	w.state, w.why = Waiting, "powerd is stopping"
	w.mu.Unlock()
	w.endGap(w.gapUntil(w.o.Now()))
}

// tick hands summaries over once a second, and reads the clocks for the recording.
func (w *worker) tick(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		now := w.o.Clock()
		w.raw.clock(now)
		w.clock(now)
		w.tell.flush(context.WithoutCancel(ctx), now)
		select {
		case <-t.C:
		case <-ctx.Done():
			now := w.o.Clock()
			after, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
			defer cancel()
			w.tell.flush(after, now)
			if err := w.tell.end(after, now); err != nil {
				w.log.Error("not stored", "error", err)
			}
			return
		}
	}
}

// clock takes a reading of the host's clocks for the preview.
func (w *worker) clock(c quarch.Clock) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.meter.Clock(c)
}

// status says how the bench is now.
func (w *worker) status() BenchStatus {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := BenchStatus{
		Bench: w.bench.Name, State: w.state, Why: w.why, Left: w.left, Gap: w.last,
		Module:    ModuleStatus{Port: w.bench.Module.Port, Serial: w.info.Serial, Model: w.info.Model, Firmware: w.info.Firmware, Link: w.info.Link, Simulated: w.info.Alias == catalog.SimAlias},
		Recording: RecordingStatus{Dir: w.dir},
		Counters:  w.counters,
	}
	if s.Module.Serial == "" {
		s.Module.Serial = w.bench.Module.Serial
	}
	if w.gap != nil {
		g := w.gap.Gap
		s.Gap = &g
	}
	if w.state == Lent && w.job != nil {
		s.Run = w.job.id
	}
	if w.state == Recording {
		if s.Recording.Segment, s.Why = w.raw.where(); s.Why != "" {
			s.State = NotRecording
		}
		if free, short := w.keeper.left(); short {
			s.Recording.FreeBytes, s.Recording.NeededBytes = free, backBytes
			s.Why = fmt.Sprintf("%s: %s has %.2f GiB free, and samples are kept from %.2f GiB on; make room", diskFull, w.o.Dir, gib(free), gib(backBytes))
		}
		s.Recording.PeriodNs = w.meter.PeriodNs()
		rails, why := w.meter.Rails(w.used)
		s.TotalWhy = why
		s.Rails, s.TotalW = w.recent.Last(w.o.Now(), rails)
		s.Alignment = w.meter.Alignment(0)
	}
	s.Counters.Joules = map[quarch.Rail]float64{}
	for rail, e := range w.energy {
		s.Counters.Joules[rail] = e.joules()
	}
	return s
}
