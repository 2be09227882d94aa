package sim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// numberedLoad gives every stripe values of its own and keeps what it was asked.
type numberedLoad struct {
	t      *testing.T
	now    func() int64
	lagNs  int64
	asked  int
	endNs  int64
	gapsNs []int64 // between two requests
}

func (l *numberedLoad) SetPower(int64, bool)        {}
func (l *numberedLoad) SetRail(int64, string, int)  {}
func (l *numberedLoad) volts(k int, rail int) int32 { return int32(k%5000 + rail) }
func (l *numberedLoad) amps(k int, rail int) int32  { return int32(k*37%12_000_000 - 500_000 + rail) }

func (l *numberedLoad) Fill(startNs, periodNs int64, rails []string, v, a [][]int32) {
	n := len(v[0])
	if l.endNs != 0 {
		l.gapsNs = append(l.gapsNs, startNs-l.endNs)
	}
	l.endNs = startNs + int64(n)*periodNs
	if ahead := l.endNs + l.lagNs - l.now(); ahead > 0 {
		l.t.Errorf("stripe %d was asked for %d ns too early", l.asked+n-1, ahead)
	}
	for r := range rails {
		for i := range n {
			v[r][i], a[r][i] = l.volts(l.asked+i, r), l.amps(l.asked+i, r)
		}
	}
	l.asked += n
}

// Half a second at 250 kS/s: 125,000 stripes and more, each as the load gave it.
// A frame is 4096 bytes, so stripes of 12 run across frames.
func TestStreamArrivesAsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := virtualNow()
		load := &numberedLoad{t: t, now: now, lagNs: 5_000_000}
		m := New(Options{Now: now, DriftPPM: 137}, load)
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		h.until(125_000)
		h.must("rec stop")
		if s := h.end(); s != wire.StatusEnd {
			t.Errorf("the stream ended with status %d, want %d", s, wire.StatusEnd)
		}
		if want := (wire.Header{Version: 5, Mask: wire.MaskAll, Exponent: 0}); h.header != want {
			t.Errorf("header %+v, want %+v", h.header, want)
		}
		for k := range h.stripes() {
			got := [4]int32{h.cols[0][k], h.cols[1][k], h.cols[2][k], h.cols[3][k]}
			if want := [4]int32{load.volts(k, 0), load.amps(k, 0), load.volts(k, 1), load.amps(k, 1)}; got != want {
				t.Fatalf("stripe %d is %d, want %d", k, got, want)
			}
		}
		if h.stripes() != load.asked {
			t.Errorf("%d stripes came, %d were measured", h.stripes(), load.asked)
		}
		// Without gaps but for the rounding of the period to whole nanoseconds.
		if least, most := slices.Min(load.gapsNs), slices.Max(load.gapsNs); least < 0 || most >= fillStripes {
			t.Errorf("between two requests to the load are %d to %d ns, want 0 to %d", least, most, fillStripes-1)
		}
		if h.syncs == 0 {
			t.Error("no sync was sent")
		}
	})
}

// The truth: stripe 0 began when `rec stream` was taken plus the offset, and
// what was made is what had ended when `rec stop` was taken: with 64 µs that are
// 64.0064 µs long, ⌊(1 s − 20 ms) / 64.0064 µs⌋ = ⌊15310.97⌋ = 15310.
func TestTruthOfAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := virtualNow()
		m := New(Options{Averaging: "16", OffsetNs: 20_000_000, DriftPPM: 100, Now: now}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		began := now()
		h.start()
		synctest.Wait()
		stopped := make(chan struct{})
		time.AfterFunc(time.Second, func() {
			defer close(stopped)
			h.send("rec stop\r\n") // the reader below decodes meanwhile
		})
		if s := h.end(); s != wire.StatusEnd {
			t.Errorf("status %d, want %d", s, wire.StatusEnd)
		}
		<-stopped
		synctest.Wait()
		want := StreamTruth{StartNs: began + 20_000_000, PeriodNs: 64_000, DriftPPM: 100, Stripes: 15_310, Sent: 15_310}
		if got := m.Streams(); len(got) != 1 || !sameTruth(got[0], want) {
			t.Errorf("truth %+v, want %+v", got, want)
		}
		if h.stripes() != 15_310 {
			t.Errorf("%d stripes came, want 15310", h.stripes())
		}
	})
}

// A reader that pauses 2 s at 250 kS/s leaves 6 MB unread; the module has 1 MiB.
// It sends what is in the FIFO and says that it overran.
func TestPausingReaderSeesTheOverrun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Now: virtualNow()}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		h.until(10_000)
		before := h.stripes()
		pass(2 * time.Second)
		if s := h.end(); s != wire.StatusOverrun {
			t.Fatalf("the stream ended with status %d, want %d", s, wire.StatusOverrun)
		}
		synctest.Wait()
		truth := m.Streams()[0]
		if !truth.Overrun || truth.Stripes != uint64(h.stripes()) || truth.Sent != truth.Stripes {
			t.Errorf("%d stripes came, truth %+v: want an overrun with all that was made sent", h.stripes(), truth)
		}
		// 1 MiB holds 87,381 stripes; beside them is at most the frame under way.
		if kept := h.stripes() - before; kept < 87_381 || kept > 87_381+2*4096/12 {
			t.Errorf("%d stripes came after the pause, want the 87381 of the FIFO", kept)
		}
		h.dec.ExpectStream()
		h.must("rec stream") // and it can start again
	})
}

// A host that stalls for 0.5 s finds 1.5 MB of stripes due at once. That is not
// the reader's fault: as long as it reads, nothing overruns.
func TestStallOfTheEmulatorIsNoOverrun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := virtualNow()
		var stalledNs atomic.Int64
		m := New(Options{Now: func() int64 { return now() + stalledNs.Load() }}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		h.until(10_000)
		stalledNs.Store(500_000_000)
		h.until(160_000) // of which 125,000 fell into the stall
		h.must("rec stop")
		if s := h.end(); s != wire.StatusEnd {
			t.Errorf("the stream ended with status %d, want %d", s, wire.StatusEnd)
		}
	})
}

// Flow control: after a sync nothing but replies comes until it is answered, and
// a stop that is sent first is answered before any more data.
func TestStopAtASyncIsAnsweredBeforeTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{SyncFrames: 8, Now: virtualNow()}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		h.hold = true
		for h.next().Status != wire.StatusSync {
		}
		if h.frames != 8 {
			t.Errorf("the sync came after %d data frames, want 8", h.frames)
		}
		pass(50 * time.Millisecond) // data waits meanwhile
		h.send("rec stop\r\n")
		h.send(wire.SyncAnswer[2:])
		h.hold = false
		if f := h.next(); f.Kind != wire.KindReply || string(f.Text) != "OK"+wire.Prompt {
			t.Errorf("after the stop came %+v, want its reply", f)
		}
		if s := h.end(); s != wire.StatusEnd {
			t.Errorf("status %d, want %d", s, wire.StatusEnd)
		}
		synctest.Wait()
		if got := m.Streams()[0]; got.Sent != uint64(h.stripes()) || got.Stripes != got.Sent {
			t.Errorf("%d stripes came, truth %+v", h.stripes(), got)
		}
	})
}

// With 32k averaging a stripe takes 131 ms; syncs come all the same, and status 3
// where it is wanted.
func TestSyncAndQuietStatusWithoutData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Averaging: "32k", QuietNs: 30_000_000, SyncNs: 50_000_000, Now: virtualNow()}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		var seen []string
		for len(seen) < 4 {
			if f := h.next(); f.Kind == wire.KindData {
				seen = append(seen, fmt.Sprintf("%d:%d", f.N, f.Status))
			}
		}
		// ms: 30 quiet, 50 sync, 60 quiet, 90 quiet; the first stripe would come at 136.
		if want := []string{"0:3", "0:7", "0:3", "0:3"}; !slices.Equal(seen, want) {
			t.Errorf("stripes:status %q, want %q", seen, want)
		}
	})
}

// Commands are answered between data, and power cut in mid-stream shows in the
// very stripe.
func TestPowerIsSwitchedInMidStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Averaging: "4", Powered: true, Now: virtualNow()}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		h.until(5_000)
		if got := h.ask("hello?"); got != "HD Programmable Power Module +Triggering" {
			t.Errorf("hello? in mid-stream was answered %q", got)
		}
		if got := h.ask("rec:ave 16"); !strings.HasPrefix(got, "FAIL") {
			t.Errorf("averaging in mid-stream was answered %q, want FAIL", got)
		}
		if got := h.ask("rec stream"); !strings.HasPrefix(got, "FAIL") {
			t.Errorf("a second stream was answered %q, want FAIL", got)
		}
		h.must("run:power down")
		h.until(h.stripes() + 2_000)
		h.must("rec stop")
		h.end()

		events := m.PowerEvents()
		if len(events) != 2 || !events[0].On || events[1].On {
			t.Fatalf("power events %+v, want on, off", events)
		}
		at := int((events[1].AtNs - m.Streams()[0].StartNs) / 16_000) // the stripe that has the switch
		for k, mv := range h.cols[0] {
			switch {
			case k < at && mv != 5010:
				t.Fatalf("stripe %d, before the switch in stripe %d, has %d mV, want 5010", k, at, mv)
			case k > at && mv != 0:
				t.Fatalf("stripe %d, after the switch in stripe %d, has %d mV, want 0", k, at, mv)
			}
		}
	})
}

func TestStreamNeedsToBeEnabledFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, connect(t, New(Options{Now: virtualNow()}, oneDrive()), quarch.LinkFramed))
		if got := h.ask("rec stream"); !strings.HasPrefix(got, "FAIL") {
			t.Errorf("rec stream was answered %q, want FAIL", got)
		}
	})
}

// One rail only: its two channels make a stripe of 6 bytes.
func TestStreamOfOneRail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Rails: []string{"12v"}, Powered: true, Averaging: "16", Now: virtualNow()}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.must("conf stream enable on")
		h.dec.ExpectStream()
		h.must("rec stream")
		for len(h.cols[2]) < 100 {
			h.next()
		}
		if want := wire.Mask12VVolts | wire.Mask12VAmps; h.header.Mask != want {
			t.Errorf("mask %#x, want %#x", h.header.Mask, want)
		}
		if v, a := h.cols[2][50], h.cols[3][50]; v != 12050 || a != 250_000 {
			t.Errorf("stripe 50 has %d mV, %d µA, want 12050, 250000", v, a)
		}
	})
}

// Batches that are held back arrive late, never early, and nothing is lost.
func TestArrivalJitterDelaysBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := virtualNow()
		m := New(Options{Averaging: "16", ArrivalJitterNs: 40_000_000, Seed: 7, Now: now}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		start := m.Streams()[0].StartNs
		least, most := int64(1<<62), int64(0)
		for h.stripes() < 100_000 {
			if f := h.next(); f.N > 0 {
				least = min(least, now()-(start+int64(h.stripes())*64_000)) // of the last stripe
				most = max(most, now()-(start+int64(f.First+1)*64_000))     // of the first
			}
		}
		if least < 5_000_000 || most < 40_000_000 || most > 5_000_000+43_000_000+64_000 {
			t.Errorf("stripes came %d to %d ns late, want 5 ms lag, then up to 3 + 40 ms", least, most)
		}
	})
}

// A client that goes away takes its stream with it.
func TestStreamEndsWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Now: virtualNow()}, oneDrive())
		conn := connect(t, m, quarch.LinkFramed)
		h := newHost(t, conn)
		h.start()
		h.until(1_000)
		conn.Close()
		synctest.Wait()
		next := newHost(t, connect(t, m, quarch.LinkFramed))
		if got := next.ask("rec stream?"); got != "Stopped" {
			t.Errorf("the stream is %s after its client has gone, want Stopped", got)
		}
		next.start()
	})
}

// sameTruth compares what the fields of a truth say.
func sameTruth(got, want StreamTruth) bool {
	want.clock = got.clock
	return reflect.DeepEqual(got, want)
}
