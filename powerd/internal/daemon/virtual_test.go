package daemon

import (
	"context"
	"iter"
	"math"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"powerd/powerd/internal/config"
	"powerd/powerd/internal/store"
	"powerd/quarch"
)

const (
	virtualStart  = int64(1000e9) // host CLOCK_MONOTONIC at which a world begins
	virtualPeriod = int64(1_024_000)
	virtualBlock  = 1000                                    // stripes
	virtualAhead  = 2 * virtualPeriod * int64(virtualBlock) // that a module may be before the others
)

// world is a time that goes as fast as its modules are read.
type world struct {
	mu    sync.Mutex
	turn  sync.Cond
	atNs  []int64 // of each module, when its samples end
	limit int64   // no module goes on from here
	pull  uint64  // stripes of a stream until its cable is touched; 0 = nobody does
}

func newWorld(modules int) *world {
	w := &world{atNs: make([]int64, modules), limit: math.MaxInt64}
	w.turn.L = &w.mu
	for i := range w.atNs {
		w.atNs[i] = virtualStart
	}
	return w
}

// now is the time of the module that is furthest.
func (w *world) now() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := virtualStart
	for _, ns := range w.atNs {
		at = max(at, ns)
	}
	return at
}

func (w *world) clock() quarch.Clock {
	ns := w.now()
	return quarch.Clock{MonoNs: ns, RawNs: ns, UTCNs: ns + 1_800_000_000e9}
}

// until lets the world go on to a time.
func (w *world) until(t *testing.T, ns int64) {
	t.Helper()
	w.mu.Lock()
	w.limit = ns
	w.turn.Broadcast()
	w.mu.Unlock()
	until(t, "the modules reach their time", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, at := range w.atNs {
			if at+virtualPeriod*virtualBlock <= ns {
				return false
			}
		}
		return true
	})
}

// join has module i begin at the present time.
func (w *world) join(i int) int64 {
	now := w.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.atNs[i] = now
	w.turn.Broadcast()
	return now
}

// step waits for module i's turn to go on to a time; false once ctx is done.
func (w *world) step(ctx context.Context, i int, toNs int64) bool {
	defer context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.turn.Broadcast()
	})()
	w.mu.Lock()
	defer w.mu.Unlock()
	may := func() bool {
		if toNs > w.limit {
			return false
		}
		for _, at := range w.atNs {
			if toNs > at+virtualAhead {
				return false
			}
		}
		return true
	}
	for !may() {
		if ctx.Err() != nil {
			return false
		}
		w.turn.Wait()
	}
	w.atNs[i] = toNs
	w.turn.Broadcast()
	return ctx.Err() == nil
}

// virtual is a module of such a world. It draws 0.4 A at 5 V.
type virtual struct {
	world *world
	i     int
}

func (v *virtual) Info(context.Context) (quarch.Info, error) {
	return quarch.Info{Serial: "V", Rails: []quarch.Rail{quarch.Rail5V, quarch.Rail12V}, PeriodNs: virtualPeriod, Link: quarch.LinkFramed}, nil
}

func (v *virtual) SetPower(context.Context, bool) error { panic("a daemon switches no power") }
func (v *virtual) Close() error                         { return nil }

func (v *virtual) Stream(ctx context.Context) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		b := &quarch.Block{PeriodNs: virtualPeriod}
		for _, rail := range []quarch.Rail{quarch.Rail5V, quarch.Rail12V} {
			b.Traces = append(b.Traces, quarch.Trace{Rail: rail, V: make([]int32, virtualBlock), A: make([]int32, virtualBlock), LSBVolts: 1e-3, LSBAmps: 1e-6})
		}
		for start := v.world.join(v.i); ; b.First += virtualBlock {
			if b.First > 0 && b.First == v.world.pull {
				yield(nil, quarch.ErrUnplugged)
				return
			}
			for k := range virtualBlock {
				noise := int32((b.First + uint64(k)) * 2654435761 >> 20 & 1023)
				b.Traces[0].V[k], b.Traces[0].A[k] = 5000, 400_000+noise
				b.Traces[1].V[k], b.Traces[1].A[k] = 12000, 70_000+noise
			}
			end := start + int64(b.First+virtualBlock)*virtualPeriod
			if !v.world.step(ctx, v.i, end) {
				return
			}
			b.ReadAtNs = end
			if !yield(b, nil) {
				return
			}
		}
	}
}

// inWorld are options of a daemon whose benches hang on the modules of a world.
func inWorld(dir string, w *world, st store.Store) Options {
	var benches []config.Bench
	for i := range w.atNs {
		benches = append(benches, benchOn(string(rune('a'+i)), "tcp:virtual", ""))
	}
	o := options(dir, benches...)
	o.Open = func(_ context.Context, b config.Bench, _ string) (quarch.Module, quarch.Info, error) {
		m := &virtual{world: w, i: int(b.Name[0] - 'a')}
		info, err := m.Info(context.Background())
		return m, info, err
	}
	o.OpenStore = storeOf(st)
	o.Now, o.Clock = w.now, w.clock
	return o
}

// Months are recorded by one process, so that what it needs must not grow with what it
// has recorded: its heap after ten times the samples of four modules is no larger by
// more than a fifth, and the megabyte by which segments under way differ. One byte kept
// of each sample would be 3.6 MB. The cable of each module is touched after every 10,000
// samples, and what a reconnection costs does not stay either. Here a second takes about a
// millisecond.
func TestMemoryDoesNotGrow(t *testing.T) {
	first := int64(100_000) // stripes of each module
	if os.Getenv("POWERD_TEST_LONG") != "" {
		first = 250_000
	}
	w := newWorld(4)
	w.limit, w.pull = virtualStart, 10*virtualBlock
	d := start(t, inWorld(t.TempDir(), w, &memory{count: true}))
	heap := func(stripes int64) float64 {
		w.until(t, virtualStart+stripes*virtualPeriod)
		until(t, "all is handed over", func() bool {
			for _, b := range d.workers {
				b.tell.mu.Lock()
				waits := len(b.tell.pending)
				b.tell.mu.Unlock()
				if waits > 0 {
					return false
				}
			}
			return true
		})
		d.workers[0].raw.wait() // its segments are closed
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := heap(first)
	after := heap(10 * first)
	t.Logf("heap after %d stripes %.1f MB, after %d %.1f MB", 4*first, before/1e6, 40*first, after/1e6)
	if after > 1.2*before+1e6 {
		t.Errorf("heap grew from %.1f to %.1f MB", before/1e6, after/1e6)
	}
	for _, b := range d.Status() {
		if most := uint64(10*first) / w.pull; b.Counters.Reconnects < most*8/10 { // a world goes on while one of them is away
			t.Errorf("bench %s was reconnected %d times, want %d or so", b.Bench, b.Counters.Reconnects, most)
		}
	}
	if took := d.end(t); took > 5*time.Second {
		t.Errorf("it took %v to stop", took)
	}
}
