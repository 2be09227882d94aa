package sim

import (
	"bytes"
	"context"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// restless draws what oneDrive does, a little more or less with each stripe, as every
// reading does: stripes that are equal to the last digit look like frames of each other.
type restless struct{ *ConstantLoad }

func (l restless) Fill(startNs, periodNs int64, rails []string, v, a [][]int32) {
	l.ConstantLoad.Fill(startNs, periodNs, rails, v, a)
	for r := range a {
		for i := range a[r] {
			n := rand.New(rand.NewPCG(uint64(startNs)+uint64(i)*uint64(periodNs), uint64(r)))
			v[r][i] += int32(n.IntN(5))
			a[r][i] += int32(n.IntN(1000))
		}
	}
}

// faulty returns a module with these faults, at a stripe of 64 µs.
func faulty(t *testing.T, o Options, texts ...string) *Module {
	t.Helper()
	return faultyAt(t, oneDrive(), o, texts...)
}

func faultyAt(t *testing.T, load Load, o Options, texts ...string) *Module {
	t.Helper()
	for _, text := range texts {
		f, err := ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Faults = append(o.Faults, f)
	}
	o.Powered, o.Averaging, o.Now = true, "16", virtualNow()
	return New(o, load)
}

// unpaced are options of a module that waits for nobody: a sync that a fault hides would
// hold it up.
func unpaced() Options { return Options{SyncNs: -1, SyncFrames: math.MaxInt} }

// streamed returns what a host gets of a faulty module's stream until so many stripes
// came, and the truth about it.
func streamed(t *testing.T, m *Module, stripes int) (*host, StreamTruth) {
	t.Helper()
	h := newHost(t, connect(t, m, quarch.LinkFramed))
	h.lenient = true
	h.start()
	ctx, enough := context.WithCancel(t.Context())
	var nudging sync.WaitGroup
	nudging.Go(func() { // a sync may be in a frame that is lost
		for ctx.Err() == nil {
			if _, err := h.conn.Write(wire.AppendFrame(nil, []byte(wire.SyncAnswer[2:]))); err != nil {
				return
			}
			select {
			case <-time.After(300 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	})
	h.until(stripes)
	enough()
	nudging.Wait()
	return h, m.Streams()[0]
}

// A frame with a byte too few, or a length that is not its own, is lost to the host: just
// its stripes, and the truth names them.
func TestLostFramesStandInTheTruth(t *testing.T) {
	for _, text := range []string{"lost-byte", "wrong-length", "lost-byte:p=0.01", "wrong-length:p=0.01", "lost-byte:at=2s,count=2,p=0.02"} {
		synctest.Test(t, func(t *testing.T) {
			h, truth := streamed(t, faultyAt(t, restless{oneDrive()}, Options{}, text), 60_000) // 3.84 s
			var lost uint64
			end := uint64(0)
			for _, l := range truth.Losses {
				if l.Index < end {
					t.Errorf("%s: losses %v are not in order", text, truth.Losses)
				}
				lost, end = lost+l.Stripes, l.Index+l.Stripes
			}
			if h.lost == 0 || lost != h.lost {
				t.Errorf("%s: %d stripes lost in truth, %d at the host", text, lost, h.lost)
			}
			// The first stripe that one second of 64 µs has not is 15,625; the load is asked 5 ms late.
			if first := truth.Losses[0].Index; (text == "lost-byte" || text == "wrong-length") && (first < 15_500 || first > 15_700) {
				t.Errorf("%s: the first lost stripe is %d, want about 15,600", text, first)
			}
		})
	}
}

// A frame that is sent twice gives its stripes twice.
func TestDuplicatedFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := faulty(t, Options{}, "duplicated-block:count=3")
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		h.until(30_000)
		h.must("rec stop")
		h.end()
		synctest.Wait()
		truth := m.Streams()[0]
		var twice uint64
		for _, l := range truth.Losses {
			twice += l.Stripes
		}
		if twice == 0 || uint64(h.stripes()) != truth.Sent+twice {
			t.Errorf("%d stripes came, %d were sent and %d of them twice", h.stripes(), truth.Sent, twice)
		}
	})
}

// A warm clock is late by ∫ ppm·exp(-t/600 s) dt, and a tenth of it to and fro: after
// 600 s with 5 ppm, 5e-6·600 s·(1 − 1/e) + 0.5e-6·1200 s/π = 1896.4 µs + 191.0 µs. One that
// stands still is late by as much from then on; the stripe before is no longer for it.
func TestBentClocks(t *testing.T) {
	warm := stripeClock{t0Ns: 7, periodNs: 4_000, bend: &bend{warmPPM: 5}}
	k := int64(600e9 / 4_000)
	if late := float64(warm.startNs(k)-7-600e9) * 1e-3; math.Abs(late-(1896.36+190.99)) > 0.1 {
		t.Errorf("after 600 s it is %.2f µs late, want 2087.35", late)
	}
	still := stripeClock{t0Ns: 7, periodNs: 4_000, bend: &bend{stop: 1000, stopNs: 50_000_000}}
	for k, want := range map[int64]int64{999: 7 + 999*4_000, 1000: 7 + 1000*4_000 + 50_000_000, 1001: 7 + 1001*4_000 + 50_000_000} {
		if got := still.startNs(k); got != want {
			t.Errorf("stripe %d begins at %d, want %d", k, got, want)
		}
	}
	if got := still.endNs(1000); got != 7+1000*4_000 {
		t.Errorf("stripe 999 ends at %d, want %d", got, 7+1000*4_000)
	}
	for _, c := range []stripeClock{warm, still, {t0Ns: 3, periodNs: 64_000, driftPPM: -200, bend: &bend{warmPPM: 200, warmNs: 5e9, stop: 77_777, stopNs: 3_000_000}}} {
		for _, k := range []int64{0, 1, 2, 999, 1000, 1001, 1002, 77_776, 77_777, 77_778, 1_000_000, 900_000_000} {
			if got := c.ended(c.endNs(k)); got != k {
				t.Errorf("%+v: at the end of stripe %d %d have ended", *c.bend, k-1, got)
			}
			if got, want := c.ended(c.endNs(k)-1), max(0, k-1); got != want {
				t.Errorf("%+v: a nanosecond before it %d have ended, want %d", *c.bend, got, want)
			}
		}
	}
}

// A restart of the firmware does not cool the clock: a stream at 605 s, 603 s after the
// last start, goes on with a clock that has been on for 605 s.
func TestRestartKeepsTheClockWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := faulty(t, Options{}, "warm-up:ppm=5", "reset:at=1s,for=1s")
		pass(605 * time.Second)
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		if warmNs := m.Streams()[0].clock.bend.warmNs; warmNs != 605e9 {
			t.Errorf("the clock has been on for %d ns, want 605 s", warmNs)
		}
	})
}

// The load is asked for time that goes on, and for none while the clock stands still.
func TestStandingClockAsksForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		load := &asked{ConstantLoad: oneDrive()}
		f, err := ParseFault("clock-step:at=100ms,by=50ms")
		if err != nil {
			t.Fatal(err)
		}
		m := New(Options{Powered: true, Averaging: "16", Now: virtualNow(), Faults: []Fault{f}}, load)
		_, truth := streamed(t, m, 5_000)
		stop := truth.StartNs + 1562*64_000 // the stripe in which 100 ms are over: 100 ms / 64 µs = 1562.5
		for _, r := range load.requests {
			if r[0] < stop+50_000_000 && r[1] > stop {
				t.Errorf("asked for %d to %d ns after the stop", r[0]-stop, r[1]-stop)
			}
		}
		want := []Loss{{1562, 781, "the clock stood still before this stripe"}} // 50 ms / 64 µs
		if len(truth.Losses) != 1 || truth.Losses[0] != want[0] || truth.StripeNs(1562)-truth.StripeNs(1561) != 50_064_000 {
			t.Errorf("losses %v, want %v", truth.Losses, want)
		}
	})
}

type asked struct {
	*ConstantLoad
	requests [][2]int64
}

func (a *asked) Fill(startNs, periodNs int64, rails []string, v, amps [][]int32) {
	a.requests = append(a.requests, [2]int64{startNs, startNs + int64(len(v[0]))*periodNs})
	a.ConstantLoad.Fill(startNs, periodNs, rails, v, amps)
}

// A stream ends where and as it is told to: 1 s of 64 µs are 15,625 stripes. The next
// stream is not touched if only the first was meant.
func TestStreamsThatEnd(t *testing.T) {
	for text, want := range map[string]wire.Status{
		"overrun:stream=1": wire.StatusOverrun, "early-end:stream=1": wire.StatusEndedEarly, "early-end:status=0,stream=1": wire.StatusEnd,
	} {
		synctest.Test(t, func(t *testing.T) {
			m := faulty(t, Options{}, text)
			h := newHost(t, connect(t, m, quarch.LinkFramed))
			h.start()
			if got := h.end(); got != want || h.stripes() != 15_625 {
				t.Errorf("%s: status %d after %d stripes, want %d after 15,625", text, got, h.stripes(), want)
			}
			if truth := m.Streams()[0]; truth.Stripes != 15_625 || truth.Overrun != (want == wire.StatusOverrun) {
				t.Errorf("%s: truth %+v", text, truth)
			}
			h.start()
			h.until(2 * 20_000)
		})
	}
}

// What a header says, and what comes before it.
func TestHeadersAndGarbage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := streamed(t, faulty(t, Options{}, "header-mismatch:averaging=1k"), 10)
		if h.header.Exponent != 10 {
			t.Errorf("the header says exponent %d, want 10", h.header.Exponent)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		conn := connect(t, faulty(t, Options{}, "garbage:bytes=9"), quarch.LinkFramed)
		h := newHost(t, conn)
		h.must("conf stream enable on")
		h.send("rec stream\r\n")
		got := make([]byte, len("\x05\x00OK\r\n>")+9+6)
		for n := 0; n < len(got); {
			k, err := conn.Read(got[n:])
			if err != nil {
				t.Fatal(err)
			}
			n += k
		}
		if !bytes.HasPrefix(got, []byte("\x05\x00OK\r\n>")) || !bytes.HasSuffix(got, []byte("\x04\x00\x05\x00\x0f\x04")) {
			t.Errorf("% x, want the reply, nine bytes, and the header", got)
		}
	})
}

// A module that does not take the answer to a sync waits, and its memory fills.
func TestSyncThatIsNeverAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := faulty(t, Options{FIFOBytes: 120_000}, "sync-ignored:at=1s") // 10,000 stripes: 0.64 s
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		h.until(14_000)
		go io.Copy(io.Discard, h.conn)
		pass(5 * time.Second)
		if truth := m.Streams()[0]; !truth.Overrun || truth.Sent > 17_300 { // 1 s and a sync's 100 ms
			t.Errorf("truth %+v, want an overrun, and nothing sent since the sync", truth)
		}
		synctest.Wait()
	})
}

// Faults of the module itself: what it measures, and what it says.
func TestFaultyModules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, connect(t, faulty(t, Options{}, "rail-missing"), quarch.LinkFramed))
		if got := h.ask("meas:volt 12v?"); got[:4] != "FAIL" {
			t.Errorf("12 V is measured: %s", got)
		}
		h.start()
		h.until(10)
		if h.header.Mask != wire.Mask5VVolts|wire.Mask5VAmps || h.cols[1][0] != 500_123 {
			t.Errorf("mask %x, %d µA", h.header.Mask, h.cols[1][0])
		}
	})
	synctest.Test(t, func(t *testing.T) { // from 15,625 on for 100 ms: 1562 stripes
		h, _ := streamed(t, faulty(t, Options{}, "saturated:for=100ms"), 20_000)
		for k, a := range h.cols[1][:20_000] {
			want := int32(500_123)
			if k >= 15_625 && k < 15_625+1563 {
				want = 13_000_000
			}
			if a != want {
				t.Fatalf("stripe %d reads %d µA, want %d", k, a, want)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) { // both rails at once, each from its own time on: 1 s and 1.28 s
		h, _ := streamed(t, faulty(t, Options{}, "saturated", "saturated:at=1280ms,rail=12v"), 25_000)
		for rail, from := range map[int]int{1: 15_625, 3: 20_000} {
			if k := slices.Index(h.cols[rail], 13_000_000); k != from {
				t.Errorf("channel %d is saturated from stripe %d on, want %d", rail, k, from)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) { // the rail is what the output mode makes of it
		h := newHost(t, connect(t, faulty(t, Options{}, "saturated:at=0s,rail=3v3"), quarch.LinkFramed))
		pass(10 * time.Millisecond)
		if got := h.ask("meas:cur 5v?"); got != "500.123 mA" {
			t.Errorf("the 5 V rail measures %s, want 500.123 mA", got)
		}
		h.must("conf:out:mode 3v3")
		pass(10 * time.Millisecond)
		if got := h.ask("meas:cur 3v3?"); got != "13000.000 mA" {
			t.Errorf("the 3.3 V rail measures %s, want 13000.000 mA", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		other := NewConstantLoad(map[string]int{"5v": 4990}, map[string]int{"5v": 77_000})
		h := newHost(t, connect(t, faulty(t, Options{Other: other}, "swapped"), quarch.LinkFramed))
		pass(10 * time.Millisecond)
		if got := h.ask("meas:cur 5v?"); got != "77.000 mA" {
			t.Errorf("it measures %s, want the other drive's 77.000 mA", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		conn := connect(t, faulty(t, Options{}, "no-echo"), quarch.LinkTerminal)
		exchange(t, conn, "*tst?\r\n", "OK\r\n>")
	})
}

// A restart breaks the stream, puts settings back, and begins the run time anew; until
// it is over nobody is heard.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := faulty(t, Options{}, "reset:at=10s,for=2s")
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.must("rec:ave 1k", "sig:5v:volt 5100")
		h.start()
		for {
			if _, err := h.conn.Read(h.buf); err != nil {
				break
			}
		}
		if at := m.opts.Now() - int64(time.Hour); at != 10e9 {
			t.Errorf("the link broke after %.3f s, want 10", float64(at)*1e-9)
		}
		pass(2 * time.Second)
		h = newHost(t, connect(t, m, quarch.LinkFramed))
		for command, want := range map[string]string{"rec:ave?": "16", "sig:5v:volt?": "5000 mV", "conf:runtimes?": "0s", "rec stream?": "Stopped"} {
			if got := h.ask(command); got != want {
				t.Errorf("%s: %s, want %s", command, got, want)
			}
		}
		if truth := m.Streams()[0]; truth.Stripes == truth.Sent || len(truth.Losses) != 1 || truth.Losses[0].Index != truth.Sent {
			t.Errorf("truth %+v, want what was made and not sent as lost", truth)
		}
	})
}
