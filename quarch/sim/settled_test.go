package sim

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// knowing is a load that tells up to when it is settled, and is never asked beyond.
type knowing struct {
	*ConstantLoad
	t        *testing.T
	stuck    atomic.Int64 // host time at which it got stuck, 0 = it has not
	now      func() int64
	behindNs map[int64]int64 // by when it was asked: the last stripe's end to then; nil = nobody wants to know
}

func (k *knowing) Settled(nowNs int64) int64 {
	if stuck := k.stuck.Load(); stuck != 0 {
		return stuck
	}
	return nowNs
}

func (k *knowing) Fill(startNs, periodNs int64, rails []string, v, a [][]int32) {
	end := startNs + int64(len(v[0]))*periodNs
	if stuck := k.stuck.Load(); stuck != 0 && end > stuck {
		k.t.Errorf("it was asked for %d ns that are not settled", end-stuck)
	}
	if k.behindNs != nil {
		k.behindNs[k.now()] = k.now() - end
	}
	k.ConstantLoad.Fill(startNs, periodNs, rails, v, a)
}

func newKnowing(t *testing.T) *knowing { return &knowing{ConstantLoad: oneDrive(), t: t} }

// A load that knows up to when it is settled is asked up to there and not 5 ms behind: each
// time that the module wakes, what has ended by then goes out. Stripes are 4 µs long, so
// the last one of each time has ended less than 4 µs before.
func TestSettledLoadIsAskedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		load := newKnowing(t)
		load.now, load.behindNs = virtualNow(), map[int64]int64{}
		m := New(Options{Now: load.now}, load)
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		h.until(50_000)
		h.must("rec stop")
		if s := h.end(); s != wire.StatusEnd {
			t.Errorf("status %d, want %d", s, wire.StatusEnd)
		}
		synctest.Wait()
		for at, behind := range load.behindNs {
			if behind < 0 || behind >= 4_000 {
				t.Errorf("at %d ns the last stripe had ended %d ns before, want less than 4 µs", at, behind)
			}
		}
		if wakes := len(load.behindNs); wakes < 60 || wakes > 70 { // 50,000 · 4 µs / 3 ms = 67
			t.Errorf("it was asked at %d times", wakes)
		}
	})
}

// A load that does not settle for 0.6 s holds 1.8 MB of stripes up, more than the module's
// memory. Afterwards they are all due at once, and none is lost as long as they are read.
func TestLoadThatSettlesLateIsNoOverrun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := virtualNow()
		load := newKnowing(t)
		m := New(Options{Now: now}, load)
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.start()
		h.until(10_000)
		load.stuck.Store(now())
		made := int((now() - m.Streams()[0].StartNs) / 4_000)
		h.until(made - 1)
		pass(600 * time.Millisecond)
		if n := m.Streams()[0].Stripes; n > uint64(made) {
			t.Errorf("%d stripes were made while %d were settled", n, made)
		}
		load.stuck.Store(0)
		h.until(made + 200_000) // of which 150,000 were held up
		h.must("rec stop")
		if s := h.end(); s != wire.StatusEnd {
			t.Errorf("the stream ended with status %d, want %d", s, wire.StatusEnd)
		}
	})
}
