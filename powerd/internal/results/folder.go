package results

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"powerd/analysis/align"
	"powerd/engine"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
	"powerd/quarch/capture"
)

// The files of a run's folder that say how it goes and what it found.
const (
	File       = "results.json"
	StatusFile = "status.json" // rewritten once a second while it runs
)

// Loader reads what an engine left of a job; engine.Engine is one.
type Loader interface {
	Load(job engine.Job) (*engine.Result, error)
}

// folder is a run's folder, opened.
type folder struct {
	dir     string
	meta    Meta
	capture *capture.Capture
	events  []quarch.Event
	steps   []step // that figures are of
	all     []step // those too that were done again later
	legs    []Leg
	streams []stream
	loader  Loader
	engine  []*engine.Result   // of the loads, in order
	loads   map[string]loaded  // by step
	rates   map[string]float64 // IOPS of the loads, by step; NaN = it left none
	damage  []string           // what could not be read, and was gone on without

	statistics map[int]*catalog.BlockStatistics // what the kernel counted on the target, by leg; none = it was not followed
	hostIO     []engine.Interval                // of it
}

// inside shortens paths in a text to what follows the run's folder, so that the
// same folder in another place gives the same results.
func (f *folder) inside(text string) string {
	return strings.ReplaceAll(text, filepath.Clean(f.dir)+string(filepath.Separator), "")
}

// stream is one stream of the capture with its place in host time.
type stream struct {
	*capture.Stream
	came           *align.Map // of the stripes as they came, by which the capture numbers them
	m              *align.Map // of all that there should have been: what nobody counted is in
	startNs, endNs int64      // host time of the first and the end of the last stripe
	missingS       float64    // seconds of stripes that never came and that nothing tells of
	prior          prior      // what was known of its rate
	saturated      []clipped
	looked         *Beacons // nil = there were none to look for
}

func open(dir string, loader Loader) (*folder, error) {
	c, err := capture.Open(filepath.Join(dir, "capture"))
	if err != nil {
		return nil, fmt.Errorf("open run %s: %w", dir, err)
	}
	f := &folder{dir: dir, capture: c, loader: loader, rates: map[string]float64{}}
	if err := json.Unmarshal(c.Meta().Run, &f.meta); err != nil {
		return nil, fmt.Errorf("open run %s: read run in capture/meta.json: %w", dir, err)
	}
	if err := f.readEvents(); err != nil {
		return nil, fmt.Errorf("open run %s: %w", dir, err)
	}
	if f.legs, err = f.meta.legs(f.events); err != nil {
		return nil, fmt.Errorf("open run %s: %w", dir, err)
	}
	if f.all, err = steps(f.events); err != nil {
		return nil, fmt.Errorf("open run %s: %w", dir, err)
	}
	f.steps = judgedSteps(f.all)
	f.readStatistics()
	return f, f.placeAll()
}

// readEvents goes on without lines that are damaged, but not without any: a run
// writes down that it began before anything else.
func (f *folder) readEvents() error {
	var err error
	f.events, err = f.capture.Events()
	if err := f.tolerate(err); err != nil {
		return err
	}
	if len(f.events) == 0 {
		return errors.New("capture/events.jsonl holds no event, so nothing is known of its steps; was the file emptied?")
	}
	return nil
}

// tolerate notes damage, and returns any other error.
func (f *folder) tolerate(err error) error {
	if errors.Is(err, capture.ErrDamaged) {
		f.damage = append(f.damage, strings.Split(f.inside(err.Error()), "\n")...)
		return nil
	}
	return err
}

// placeAll puts the streams on host time: the longest first, whose rate then helps
// those of the same boot that are too short to tell theirs. Each boot measures the host's
// own clock anew.
func (f *folder) placeAll() error {
	all := f.capture.Streams()
	f.streams = make([]stream, len(all))
	byLength := make([]int, len(all))
	for i := range byLength {
		byLength[i] = i
	}
	length := func(i int) int64 { return int64(all[i].End()) * all[i].PeriodNs }
	slices.SortStableFunc(byLength, func(a, b int) int { return cmp.Compare(length(b), length(a)) })
	told := map[string]prior{}
	for _, i := range byLength {
		boot := f.legs[f.legAt(all[i].BeginNs)-1].BootID
		rate, known := told[boot]
		if !known {
			rate = f.meta.remembered()
		}
		placed, err := f.place(all[i], rate)
		if err != nil {
			return fmt.Errorf("open run %s: stream %d: %w", f.dir, all[i].Number, err)
		}
		f.streams[i] = placed
		if m := placed.m; !known && m.Status != align.StatusNone && !placed.Polled {
			told[boot] = rate.besides(m, placed.Number)
		}
	}
	return nil
}

// place puts a stream on host time. rate is what is known of the module's rate.
func (f *folder) place(s *capture.Stream, rate prior) (stream, error) {
	out := stream{Stream: s}
	switch {
	case s.End() == 0:
		out.came = align.NewEstimator(align.Options{PeriodNs: s.PeriodNs}).Map()
	case s.Polled:
		out.came = polled(s)
	default:
		arrivals, err := s.Arrivals()
		if err := f.tolerate(err); err != nil {
			return out, err
		}
		out.prior = rate
		if out.came, err = f.solve(&out, arrivals); err != nil {
			return out, err
		}
		if out.missingS = unexplained(s.PeriodNs, arrivals, out.came.Steps); out.missingS > 0 && out.came.Status == align.StatusOK {
			out.came.Status, out.came.Reason = align.StatusDegraded, fmt.Sprintf("about %.1f s of samples are missing or came late", out.missingS)
		}
	}
	out.m = out.came.Recounted()
	if out.End() > 0 {
		start, _ := out.m.TimeOf(0)
		end, _ := out.m.TimeOf(float64(out.End()))
		out.startNs, out.endNs = int64(start), int64(end)
	}
	return out, nil
}

// solve places a stream by its arrivals and its start, and then, with what the host did
// that is found in it by that, once more.
func (f *folder) solve(s *stream, arrivals []quarch.Arrival) (*align.Map, error) {
	o := f.meta.options(s.PeriodNs, s.prior)
	known := []align.Known{align.Clocks(f.clocks())}
	if s.SentNs > 0 {
		known = append(known, align.Bound{NotBeforeNs: s.SentNs, Kind: "stream start"})
	}
	first := align.Solve(o, slices.Values(arrivals), known...)
	trains, err := f.trains(s)
	if err != nil {
		return nil, err
	}
	found := slices.Concat(f.powerBounds(s.Stream, first), f.jobs(s, first), f.laidLoads(s, first), s.beacons(trains, first))
	if len(found) == 0 {
		return first, nil
	}
	return align.Solve(o, slices.Values(arrivals), append(known, found...)...), nil
}

// polled places the readings of a polled link; with too few of them the map says
// why there is none.
func polled(s *capture.Stream) *align.Map {
	whole := func(yield func(*quarch.Block, error) bool) {
		for b := range (&stream{Stream: s}).tolerant(0, capture.ToEnd) {
			if !yield(b, nil) {
				return
			}
		}
	}
	m, err := align.Polled(whole)
	if err != nil {
		m = align.NewEstimator(align.Options{}).Map()
		m.Reason = err.Error()
	}
	return m
}

// powerBounds looks for the rise of a rail after each power-up of the stream: it
// cannot be earlier than the command.
func (f *folder) powerBounds(s *capture.Stream, m *align.Map) (out []align.Known) {
	for _, e := range f.events {
		sent := intOf(e.Data["sent_mono_ns"])
		if e.Kind != quarch.EventPowerOn || !f.during(s, sent) {
			continue
		}
		_, u := m.TimeOf(m.IndexAt(float64(sent)))
		if math.IsInf(u, 1) {
			u = 1e9
		}
		from := max(0, m.IndexAt(float64(sent)-u-10e6))
		to := m.IndexAt(float64(sent) + u + 2e9)
		if k, ok := rise(s.Blocks(uint64(from), uint64(max(from, to)))); ok {
			// The command may have come anywhere in the stripe, which is a mean: only its end is later.
			out = append(out, align.Bound{Stripe: float64(k + 1), NotBeforeNs: sent, Kind: "power on"})
		}
	}
	return out
}

// during reports whether a host time is between the begin and the end of a stream. One
// that was never ended was over when the next one began.
func (f *folder) during(s *capture.Stream, ns int64) bool {
	endNs := s.EndNs
	if all := f.capture.Streams(); endNs == 0 && s.Number < len(all) {
		endNs = all[s.Number].BeginNs
	}
	return ns >= s.BeginNs && (endNs == 0 || ns <= endNs)
}

// rise returns the first stripe at which a rail is at 1 % of its nominal volts or more
// after all were seen below. A stripe without a value says neither.
func rise(blocks iter.Seq2[*quarch.Block, error]) (uint64, bool) {
	down := false
	for b, err := range blocks {
		if err != nil {
			continue
		}
		for i := range b.Len() {
			up, below := false, true
			for k := range b.Traces {
				t := &b.Traces[k]
				v, ok := t.Volts(i)
				isUp := float64(v) >= 0.01*t.Rail.NominalVolts()
				up = up || ok && isUp
				below = below && ok && !isUp
			}
			if up && down {
				return b.First + uint64(i), true
			}
			down = down || below
		}
	}
	return 0, false
}

// streamAt returns the stream that has samples at a host time, else nil.
func (f *folder) streamAt(ns int64) *stream {
	for i := range f.streams {
		if s := &f.streams[i]; ns >= s.startNs && ns < s.endNs {
			return s
		}
	}
	return nil
}

// main returns the longest stream, or nil if there is none.
func (f *folder) main() *stream {
	var best *stream
	for i := range f.streams {
		s := &f.streams[i]
		if s.End() > 0 && (best == nil || s.endNs-s.startNs > best.endNs-best.startNs) {
			best = s
		}
	}
	return best
}

// intervals returns what the engine completed in all loads, and what reached the target
// in steps that recorded.
func (f *folder) intervals() []engine.Interval {
	var out []engine.Interval
	for _, r := range f.engine {
		out = append(out, r.Intervals...)
	}
	for _, s := range f.steps {
		if s.mark.Kind == suite.Record {
			out = append(out, f.hostIOs(s)...)
		}
	}
	return out
}

// TimeFormat is that of a time in results.json.
const TimeFormat = time.RFC3339Nano

// utcText writes UTC nanoseconds as results.json has them.
func utcText(ns int64) string { return time.Unix(0, ns).UTC().Format(TimeFormat) }
