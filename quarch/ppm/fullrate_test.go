package ppm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/quarch"
	"powerd/quarch/capture"
	"powerd/quarch/ppm"
	"powerd/quarch/tty"
)

const fullPeriodNs = 4000 // 250,000 stripes of 12 bytes a second: 3 MB/s

// length returns for how long full-rate tests stream. The full minute is for
// POWERD_TEST_LONG=1, so that the suite stays short.
func length() time.Duration {
	switch {
	case os.Getenv("POWERD_TEST_LONG") != "":
		return time.Minute
	case testing.Short():
		return 5 * time.Second
	}
	return 10 * time.Second
}

// recording streams from a module into a capture, as a run does.
type recording struct {
	module *ppm.Module
	dir    string
	next   uint64 // index after the last stripe
	lost   uint64
	each   func(*quarch.Block) // called in the loop; may be nil
}

// record opens the port of a child's module, through which wrap may put a
// reader of its own.
func record(t testing.TB, path string, wrap func(io.ReadWriteCloser) io.ReadWriteCloser) *recording {
	t.Helper()
	port, err := tty.Open(path, tty.Options{LockDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var conn io.ReadWriteCloser = port
	if wrap != nil {
		conn = wrap(port)
	}
	m := opened(t, ppm.Options{Conn: conn, Port: path, Link: quarch.LinkFramed, Now: monotonic})
	if err := m.SetPeriod(t.Context(), fullPeriodNs); err != nil {
		t.Fatal(err)
	}
	return &recording{module: m, dir: t.TempDir() + "/capture"}
}

// run streams until ctx is done or the stream breaks, and returns why it broke.
func (r *recording) run(ctx context.Context) (broke error, err error) {
	info, err := r.module.Info(ctx)
	if err != nil {
		return nil, err
	}
	w, err := capture.Create(r.dir, capture.Options{Now: monotonic})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := w.BeginStream(capture.StreamInfo{Module: info}); err != nil {
		return nil, err
	}
	for b, broke := range r.module.Stream(ctx) {
		if broke != nil {
			return broke, w.EndStream(broke.Error())
		}
		if b.First != r.next+b.Lost {
			return nil, fmt.Errorf("a block begins at stripe %d with %d lost, after stripe %d", b.First, b.Lost, r.next)
		}
		r.next, r.lost = b.End(), r.lost+b.Lost
		if err := w.Write(b); err != nil {
			return nil, err
		}
		if r.each != nil {
			r.each(b)
		}
	}
	return nil, w.EndStream("done")
}

// captured returns how many stripes can be read back, and that they stand at the
// indices [0, n) and carry the load's counts.
func captured(t *testing.T, dir string) (n uint64) {
	t.Helper()
	c, err := capture.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range c.Streams()[0].Blocks(0, capture.ToEnd) {
		if err != nil {
			t.Fatal(err)
		}
		if b.First != n || b.Lost != 0 {
			t.Fatalf("a part begins at stripe %d with %d lost, want %d and none", b.First, b.Lost, n)
		}
		five, twelve := b.Trace(quarch.Rail5V), b.Trace(quarch.Rail12V)
		for i := range b.Len() {
			if five.V[i] != 5000 || five.A[i] != 420_000 || twelve.V[i] != 12_000 || twelve.A[i] != 73_000 {
				t.Fatalf("stripe %d reads %d mV %d µA, %d mV %d µA", b.First+uint64(i), five.V[i], five.A[i], twelve.V[i], twelve.A[i])
			}
		}
		n = b.End()
	}
	return n
}

// starvation measures how late a thread of its own wakes up: what this machine
// takes from any program, however it is written.
type starvation struct {
	stop        func()       // idempotent
	worst, mean atomic.Int64 // ns: of one nap, and the worst mean of a second's naps
}

// From these on, a broken stream proves nothing about the reader. A module keeps
// 350 ms; and however promptly it is read, the kernel moves what it sent by 4 KiB
// at a time on an ordinary thread, which has to run every 1.4 ms.
const (
	starvedOnce   = 250 * time.Millisecond
	starvedAlways = time.Millisecond
)

func watchStarvation(t *testing.T) *starvation {
	const nap, perSecond = 5 * time.Millisecond, 200
	var s starvation
	var wait sync.WaitGroup
	stop := make(chan struct{})
	s.stop = sync.OnceFunc(func() { close(stop); wait.Wait() })
	t.Cleanup(s.stop)
	wait.Go(func() {
		runtime.LockOSThread() // and the thread ends with the goroutine
		asked := unix.NsecToTimespec(nap.Nanoseconds())
		late := make([]int64, 0, perSecond) // of the last second
		for {
			select {
			case <-stop:
				return
			default:
			}
			began := monotonic()
			if unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &asked, nil) != nil {
				continue
			}
			late = append(late[max(0, len(late)-perSecond+1):], monotonic()-began-nap.Nanoseconds())
			var sum int64
			for _, ns := range late {
				sum += ns
			}
			s.worst.Store(max(s.worst.Load(), late[len(late)-1]))
			s.mean.Store(max(s.mean.Load(), sum/perSecond))
		}
	})
	return &s
}

func (s *starvation) String() string {
	return fmt.Sprintf("a sleeping thread woke up at most %v late, and %v on average over a second",
		time.Duration(s.worst.Load()), time.Duration(s.mean.Load()))
}

// blame fails the test with what went wrong, or skips it if the machine gave no
// time to anybody.
func (s *starvation) blame(t *testing.T, what string) {
	t.Helper()
	s.stop()
	if time.Duration(s.worst.Load()) > starvedOnce || time.Duration(s.mean.Load()) > starvedAlways {
		t.Skipf("%s, but this machine proves nothing: %v (at most %v and %v are allowed)", what, s, starvedOnce, starvedAlways)
	}
	t.Fatalf("%s; %v", what, s)
}

// rssBytes returns the memory that this process holds.
func rssBytes(t *testing.T) uint64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, resident uint64
	if _, err := fmt.Sscan(string(b), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * uint64(os.Getpagesize())
}

// At the highest rate, from a module in a process of its own, through the port
// and into a capture: what the module made is what the capture holds, and the
// memory that it takes stays flat.
func TestFullRateLosesNothing(t *testing.T) {
	module := startChild(t)
	r := record(t, module.path, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	const settled = 10 * time.Second / (fullPeriodNs * time.Nanosecond) // stripes
	want := uint64(length() / (fullPeriodNs * time.Nanosecond))
	var rss10 uint64
	r.each = func(b *quarch.Block) {
		if rss10 == 0 && b.End() >= uint64(settled) {
			rss10 = rssBytes(t)
		}
		if b.End() >= want {
			cancel()
		}
	}
	watch := watchStarvation(t)
	broke, err := r.run(ctx)
	rss := rssBytes(t)
	if err != nil {
		t.Fatal(err)
	}
	truth := module.truth(t)
	if broke != nil || r.lost != 0 {
		watch.blame(t, fmt.Sprintf("%d stripes lost, the stream broke: %v", r.lost, broke))
	}
	t.Logf("%d stripes, %d MB resident; %v", r.next, rss>>20, watch)
	// `rec stop` is acknowledged behind the last stripe: nothing is in flight.
	if r.next < want || r.next != truth.Stripes || truth.Overrun {
		t.Errorf("%d stripes came, at least %d were wanted; the module says %+v", r.next, want, truth)
	}
	if n := captured(t, r.dir); n != r.next {
		t.Errorf("the capture holds %d stripes, %d came", n, r.next)
	}
	if growth := float64(rss) / float64(rss10); length() > 30*time.Second && (growth > 1.2 || growth < 0.8) {
		t.Errorf("%d MB resident after %v, %d MB after 10 s: want within 20 %%", rss>>20, length(), rss10>>20)
	}
}

const pause = 2 * time.Second

// A consumer that waits 2 s for its disk does not keep the port from being read:
// what came meanwhile waits for it.
func TestConsumerThatPausesLosesNothing(t *testing.T) {
	module := startChild(t)
	r := record(t, module.path, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	paused := false
	r.each = func(b *quarch.Block) {
		switch {
		case !paused && b.End() >= 125_000:
			paused = true
			<-time.After(pause)
		case b.End() >= 1_000_000:
			cancel()
		}
	}
	watch := watchStarvation(t)
	broke, err := r.run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if broke != nil || r.lost != 0 {
		watch.blame(t, fmt.Sprintf("%d stripes lost, the stream broke: %v", r.lost, broke))
	}
	if n := captured(t, r.dir); n != r.next || n != module.truth(t).Stripes {
		t.Errorf("the capture holds %d stripes, %d came, the module says %+v", n, r.next, module.truth(t))
	}
}

// pausing holds back one Read.
type pausing struct {
	io.ReadWriteCloser
	pause atomic.Bool
}

func (p *pausing) Read(b []byte) (int, error) {
	if p.pause.CompareAndSwap(true, false) {
		<-time.After(pause)
	}
	return p.ReadWriteCloser.Read(b)
}

// A reader that pauses 2 s leaves 6 MB unread, of which the module keeps 1 MiB:
// the stream ends as truncated, with a hint, and what came before is kept.
func TestReaderThatPausesSeesTheOverrun(t *testing.T) {
	module := startChild(t)
	var conn pausing
	r := record(t, module.path, func(port io.ReadWriteCloser) io.ReadWriteCloser {
		conn.ReadWriteCloser = port
		return &conn
	})
	const before = 125_000 // half a second
	paused := false
	r.each = func(b *quarch.Block) {
		if !paused && b.End() >= before {
			paused = true
			conn.pause.Store(true)
		}
	}
	watch := watchStarvation(t)
	broke, err := r.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !paused {
		watch.blame(t, fmt.Sprintf("the stream broke before the pause: %v", broke))
	}
	if !errors.Is(broke, quarch.ErrOverrun) || !strings.Contains(fmt.Sprint(broke), "raise the averaging") {
		t.Fatalf("the stream ended with %v, want an overrun and a hint to raise the averaging", broke)
	}
	truth := module.truth(t)
	if !truth.Overrun || r.next < before || r.next != truth.Stripes || r.lost != 0 {
		t.Errorf("%d stripes came, %d lost; the module says %+v", r.next, r.lost, truth)
	}
	if n := captured(t, r.dir); n != r.next {
		t.Errorf("the capture holds %d stripes, %d came", n, r.next)
	}
}
