package sim

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// follow reads a stream for so long, as a client that gives up on nothing.
func (h *host) follow(d time.Duration) {
	h.t.Helper()
	if err := h.conn.(net.Conn).SetReadDeadline(time.Now().Add(d)); err != nil {
		h.t.Fatal(err)
	}
	for {
		f, ok, err := h.dec.Next(&h.cols)
		if err != nil {
			h.t.Fatal(err)
		}
		if !ok {
			n, err := h.conn.Read(h.buf)
			if err != nil {
				return
			}
			h.dec.Feed(h.buf[:n])
			continue
		}
		reply := wire.Ack
		if f.Status == wire.StatusSync {
			reply += wire.SyncAnswer
		}
		if f.Kind == wire.KindHeader {
			h.header = f.Header
		}
		_, _ = h.conn.Write([]byte(reply)) // the link may have been broken meanwhile
	}
}

// What a client wanted of a stream, it got or it stands in the truth as lost, with its
// first stripe and their number: 64 µs a stripe, for 5 s. The fault begins after 1 s.
func TestWhatDoesNotArriveStandsInTheTruth(t *testing.T) {
	for text, what := range map[string]string{
		"silent:at=1s,for=2s":       whySilent,
		"silent:at=1s":              whySilent,
		"sync-ignored:at=1s":        whySync,
		"sync-ignored:at=1s,for=1s": whySync, // nothing answers that sync again
		"early-end:at=1s":           "early end: nothing was made from this stripe on",
		"early-end:at=1s,status=0":  "early end: nothing was made from this stripe on",
		"overrun:at=1s":             "overrun: nothing was made from this stripe on",
		"unplug:at=1s,for=1s":       whyBroken,
		"reset:at=1s,for=1s":        whyBroken,
	} {
		synctest.Test(t, func(t *testing.T) {
			m := faulty(t, Options{}, text)
			h := newHost(t, connect(t, m, quarch.LinkFramed))
			h.start()
			began := m.Streams()[0].StartNs
			h.follow(5 * time.Second)
			pass(time.Duration(began+5e9-m.opts.Now()) + 1)
			synctest.Wait()
			got, lost := uint64(h.stripes()), uint64(0)
			losses := m.Streams()[0].Losses
			for i, l := range losses {
				if l.Index != got+lost || l.What != what {
					t.Errorf("%s: loss %d is %+v; %d stripes came before, want %q from there", text, i, l, got+lost, what)
				}
				lost += l.Stripes
			}
			const want = 5_000_000 / 64
			if got < 14_000 || got > 17_200 || got+lost != want { // until the next sync
				t.Errorf("%s: %d stripes came and %d were lost, want about 15,625 and %d together", text, got, lost, want)
			}
		})
	}
}

// A stream that is over for its client is missed no longer: after a stop, or when the
// client goes by itself, or begins another stream.
func TestLossesEndWhereAClientWantsNoMore(t *testing.T) {
	for _, way := range []string{"stop", "go", "begin another"} {
		synctest.Test(t, func(t *testing.T) {
			m := faulty(t, Options{}, "early-end:at=1s,stream=1")
			conn := connect(t, m, quarch.LinkFramed)
			h := newHost(t, conn)
			h.start()
			h.end()
			pass(time.Duration(m.Streams()[0].StartNs+3e9-m.opts.Now()) + 1)
			switch way {
			case "stop":
				h.must("rec stop")
			case "go":
				conn.Close()
			case "begin another":
				h.start()
			}
			synctest.Wait()
			pass(2 * time.Second / 10)
			const want = 3_000_000 / 64
			if l := m.Streams()[0].Losses; len(l) != 1 || l[0].Index != 15_625 || l[0].Stripes != want-15_625 {
				t.Errorf("%s: losses %+v, want %d from 15,625 on", way, l, want-15_625)
			}
		})
	}
}

// A stream that was stopped in order has lost nothing, nor has one whose client went.
func TestNothingIsLostOfAnOrderlyStream(t *testing.T) {
	for _, stops := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			m := faulty(t, Options{}, "split-writes")
			conn := connect(t, m, quarch.LinkFramed)
			h := newHost(t, conn)
			h.start()
			h.until(20_000)
			if stops {
				h.must("rec stop")
				h.end()
			} else {
				conn.Close()
			}
			synctest.Wait()
			pass(time.Second)
			if l := m.Streams()[0].Losses; len(l) != 0 {
				t.Errorf("losses %+v, want none", l)
			}
		})
	}
}
