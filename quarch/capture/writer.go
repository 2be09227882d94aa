package capture

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"powerd/quarch"
)

// Bounds of a part. Its length in time is Options.PartNs.
const (
	DefaultPartNs = 500_000_000
	// MaxPartStripes bounds a part's memory: 16 bytes a stripe with two rails.
	MaxPartStripes = 1 << 18
)

// Options of a capture.
type Options struct {
	Run    json.RawMessage // what meta.json says of the run; not read here
	PartNs int64           // length of a part, 0 = DefaultPartNs
	Now    func() int64    // host CLOCK_MONOTONIC in ns
}

// StreamInfo is what is known of a stream when its first block has come.
type StreamInfo struct {
	Module          quarch.Info
	SentNs, AckedNs int64 // of quarch.Starter; 0 = unknown
}

// Writer records one run: streams, one after the other, and events. Its methods
// may be called from several goroutines; blocks of a stream come in order.
type Writer struct {
	dir    string
	partNs int64
	now    func() int64
	disk   *disk
	events *eventLog

	mu     sync.Mutex // guards what follows
	meta   Meta
	open   bool // a stream is open
	closed bool
	cur    *part
	next   uint64 // index expected of the next block
}

// Create starts a capture in dir, which is made if it is not there. A dir that
// holds a capture already is an error.
func Create(dir string, o Options) (*Writer, error) {
	if o.Now == nil {
		return nil, errors.New("create capture: Options.Now is needed")
	}
	switch _, err := os.Stat(filepath.Join(dir, metaName)); {
	case err == nil:
		return nil, fmt.Errorf("create capture: %s holds one already; choose another folder", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("create capture: %w", err)
	}
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("create capture: %w", err)
	}
	w := newWriter(dir, o, Meta{Schema: MetaSchema, Run: o.Run, Modules: []quarch.Info{}, Streams: []StreamMeta{}})
	data, err := w.meta.encode()
	if err != nil {
		return nil, fmt.Errorf("create capture: %w", err)
	}
	if err := writeWhole(filepath.Join(dir, metaName), data); err != nil {
		return nil, fmt.Errorf("create capture: %w", err)
	}
	if w.events, err = createEventLog(dir, o.Now); err != nil {
		return nil, fmt.Errorf("create capture: %w", err)
	}
	w.disk = startDisk(dir)
	return w, nil
}

func newWriter(dir string, o Options, m Meta) *Writer {
	w := &Writer{dir: dir, partNs: o.PartNs, now: o.Now, meta: m}
	if w.partNs <= 0 {
		w.partNs = DefaultPartNs
	}
	return w
}

// BeginStream starts the next stream: the first, or one after EndStream. Its
// number is Stream.
func (w *Writer) BeginStream(s StreamInfo) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	if w.open {
		return fmt.Errorf("begin stream in %s: stream %d has not ended", w.dir, len(w.meta.Streams))
	}
	w.meta.setModule(s.Module)
	w.meta.Streams = append(w.meta.Streams, StreamMeta{
		Number: len(w.meta.Streams) + 1, Serial: s.Module.Serial, Link: s.Module.Link,
		Polled: s.Module.PeriodNs == 0, PeriodNs: s.Module.PeriodNs, Averaging: s.Module.Averaging,
		Rails: []RailScale{}, SentNs: s.SentNs, AckedNs: s.AckedNs, BeginNs: w.now(),
	})
	w.open, w.next = true, 0
	return w.saveMeta()
}

// Stream returns the number of the latest stream, 0 if there is none.
func (w *Writer) Stream() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.meta.Streams)
}

// Write takes a block. It copies what it needs, so b may be lent, and waits for
// the disk only if that is some seconds behind.
func (w *Writer) Write(b *quarch.Block) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	if !w.open {
		return fmt.Errorf("write block to %s: no stream has begun", w.dir)
	}
	s := &w.meta.Streams[len(w.meta.Streams)-1]
	if err := checkBlock(b, w.next); err != nil {
		return fmt.Errorf("write block to %s, stream %d: %w", w.dir, s.Number, err)
	}
	if b.Len() == 0 {
		return nil // what it lost shows in the next block's index
	}
	if s.Stripes == 0 {
		s.Polled, s.PeriodNs, s.Rails = b.PeriodNs == 0, b.PeriodNs, scalesOf(b)
		if err := w.saveMeta(); err != nil {
			return err
		}
	}
	if b.PeriodNs != s.PeriodNs {
		return fmt.Errorf("write block to %s, stream %d: period %d ns after %d ns; end the stream and begin another", w.dir, s.Number, b.PeriodNs, s.PeriodNs)
	}
	return w.append(b, s)
}

// checkBlock refuses what no stream can hold.
func checkBlock(b *quarch.Block, next uint64) error {
	if b.First < next {
		return fmt.Errorf("block of stripe %d, but stripe %d is the next", b.First, next)
	}
	n := b.Len()
	for _, t := range b.Traces {
		if len(t.V) != n || len(t.A) != n || t.Rail == "" {
			return fmt.Errorf("rail %q has %d volts and %d amperes in a block of %d", t.Rail, len(t.V), len(t.A), n)
		}
	}
	if n > 0 && len(b.Traces) == 0 {
		return errors.New("block without a rail")
	}
	if b.PeriodNs == 0 && len(b.AtNs) != n {
		return fmt.Errorf("polled block of %d stripes with %d times", n, len(b.AtNs))
	}
	return nil
}

// append puts b into the part in memory, or into the next where it must.
func (w *Writer) append(b *quarch.Block, s *StreamMeta) error {
	lost := b.First - w.next
	if w.cur != nil && (lost > 0 || b.Resync > 0 || !w.cur.fits(b)) {
		w.flush()
	}
	for i, n := 0, b.Len(); i < n; {
		if w.cur == nil {
			head := partHead{serial: s.Serial, stream: s.Number, first: b.First + uint64(i), periodNs: b.PeriodNs, rails: scalesOf(b)}
			if i == 0 {
				head.lost, head.resync = lost, b.Resync
			}
			if err := w.newPart(head); err != nil {
				return err
			}
		}
		j := min(n, i+MaxPartStripes-w.cur.len())
		w.cur.add(b, i, j)
		w.next = b.First + uint64(j)
		if i = j; i == n {
			a := b.Arrival()
			a.Lost = lost
			w.cur.arrivals.add(a)
		}
		if w.cur.len() >= MaxPartStripes || (i == n && w.cur.spanNs() >= w.partNs) {
			w.flush()
		}
	}
	s.Stripes += uint64(b.Len())
	s.Lost += lost
	return nil
}

// newPart takes a part from the disk's hands, waiting if there is none.
func (w *Writer) newPart(head partHead) error {
	p, waitedNs, err := w.disk.take(w.now)
	if err != nil {
		return err
	}
	if waitedNs > 0 {
		err := w.events.add(quarch.Event{
			MonoNs: w.now(), Kind: quarch.EventWarning,
			Text: fmt.Sprintf("the disk did not follow: stream %d waited %v before stripe %d", head.stream, time.Duration(waitedNs), head.first),
			Data: map[string]any{"code": "disk_slow", "stream": head.stream, "waited_ns": waitedNs},
		})
		if err != nil {
			return err
		}
	}
	p.reset(head)
	w.cur = p
	return nil
}

// flush hands the part in memory to the disk.
func (w *Writer) flush() {
	if w.cur != nil {
		w.disk.put(job{part: w.cur})
		w.cur = nil
	}
}

// Event appends an event. It is on the disk when Event returns, except for
// clock readings and gaps, which are synced once a second.
func (w *Writer) Event(e quarch.Event) error { return w.events.add(e) }

// Sync writes the part in memory and returns when all that was taken so far is
// on the disk.
func (w *Writer) Sync() error {
	w.mu.Lock()
	if err := w.usable(); err != nil {
		w.mu.Unlock()
		return err
	}
	w.flush()
	written := w.disk.mark()
	w.mu.Unlock()
	<-written
	return errors.Join(w.disk.failure(), w.events.sync())
}

// EndStream ends the stream and returns when all of it is on the disk. The
// reason says why it ended: "done", "module overrun".
func (w *Writer) EndStream(reason string) error {
	w.mu.Lock()
	if err := w.usable(); err != nil {
		w.mu.Unlock()
		return err
	}
	if !w.open {
		w.mu.Unlock()
		return fmt.Errorf("end stream in %s: none has begun", w.dir)
	}
	err := w.endStream(reason)
	written := w.disk.mark()
	w.mu.Unlock()
	<-written
	return errors.Join(err, w.disk.failure(), w.events.sync())
}

func (w *Writer) endStream(reason string) error {
	w.flush()
	s := &w.meta.Streams[len(w.meta.Streams)-1]
	s.EndNs, s.EndReason = w.now(), reason
	w.open = false
	return w.saveMeta()
}

// Close ends an open stream, writes all, and ends the Writer's goroutine. It is
// idempotent, and returns the first failure.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return w.disk.failure()
	}
	w.closed = true
	var err error
	if w.open {
		err = w.endStream("capture closed")
	}
	return errors.Join(err, w.disk.stop(), w.events.close())
}

// usable returns why the Writer can no longer be used.
func (w *Writer) usable() error {
	if w.closed {
		return fmt.Errorf("capture %s is closed", w.dir)
	}
	return w.disk.failure()
}

// saveMeta has meta.json written after what was put before it.
func (w *Writer) saveMeta() error {
	data, err := w.meta.encode()
	if err != nil {
		return err
	}
	w.disk.put(job{meta: data})
	return nil
}
