package sim

import (
	"math"
	"math/rand/v2"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
)

// arrival is one read of the host.
type arrival struct {
	atNs int64
	n    int
}

// arrivals reads a faulty module's stream for a while, answering what must be answered.
func arrivals(t *testing.T, m *Module, d time.Duration) []arrival {
	t.Helper()
	conn := &stamped{Conn: connect(t, m, quarch.LinkFramed), now: m.opts.Now}
	h := newHost(t, conn)
	h.lenient = true
	h.start()
	conn.list = nil
	for endNs := m.opts.Now() + d.Nanoseconds(); m.opts.Now() < endNs; {
		h.next()
	}
	return conn.list
}

type stamped struct {
	net.Conn
	now  func() int64
	list []arrival
}

func (s *stamped) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	s.list = append(s.list, arrival{s.now(), n})
	return n, err
}

// What a line does with bytes: it cuts them up, gathers them, carries so many a second,
// or holds them up; all of them come in the end.
func TestLines(t *testing.T) {
	longest := func(list []arrival) (gap time.Duration) {
		for i := 1; i < len(list); i++ {
			gap = max(gap, time.Duration(list[i].atNs-list[i-1].atNs))
		}
		return gap
	}
	for text, check := range map[string]func(t *testing.T, list []arrival){
		"split-writes:bytes=7": func(t *testing.T, list []arrival) {
			for _, a := range list {
				if a.n > 7 {
					t.Fatalf("%d bytes came at once", a.n)
				}
			}
		},
		"merged-writes:by=20ms": func(t *testing.T, list []arrival) {
			for _, a := range list {
				if a.atNs%20_000_000 != 0 {
					t.Fatalf("bytes came %d µs after a multiple of 20 ms", a.atNs%20_000_000/1000)
				}
			}
		},
		"slow-line:baud=400000": func(t *testing.T, list []arrival) { // 40,000 bytes a second, of 187,500 that are made
			n := 0
			for _, a := range list {
				n += a.n
			}
			if s := float64(list[len(list)-1].atNs-list[0].atNs) * 1e-9; math.Abs(float64(n)/s-40_000) > 500 {
				t.Errorf("%d bytes came in %.3f s, want 40,000 a second", n, s)
			}
		},
		"stall:by=80ms": func(t *testing.T, list []arrival) { // one; the batches are 3 ms apart
			if gap := longest(list); gap < 80*time.Millisecond || gap > 84*time.Millisecond {
				t.Errorf("the longest silence is %v, want 80 ms", gap)
			}
		},
		"stall:p=0.02": func(t *testing.T, list []arrival) { // 5 to 80 ms each, and one may follow another
			if gap := longest(list); gap < 40*time.Millisecond || gap > 164*time.Millisecond {
				t.Errorf("the longest silence is %v, want about 80 ms", gap)
			}
		},
		"silent:at=1s,for=500ms": func(t *testing.T, list []arrival) {
			if gap := longest(list); gap < 499*time.Millisecond || gap > 510*time.Millisecond {
				t.Errorf("the longest silence is %v, want 500 ms", gap)
			}
		},
	} {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				check(t, arrivals(t, faulty(t, unpaced(), text), 3*time.Second))
			})
		})
	}
}

// The models of links have the delays that they are made of, on average: half a tick
// until the next one, a constant, and the mean of what is random.
func TestDelaysOfLinks(t *testing.T) {
	for model, meanUs := range map[string]float64{
		"usbcdc":        125/2. + 80 + 300,
		"tcp":           120 + 250*math.Exp(tcpSpread*tcpSpread/2) + 0.01*40_000,
		"ftdi1":         1000/2. + 60 + 150,
		"ftdi16":        16_000/2. + 60 + 150,
		"ftdi16-locked": 16_000/2. + 60 + 150,
		"exp5+16":       5000 + 16_000/2.,
	} {
		r := rand.New(rand.NewPCG(1, 2))
		sum, n := 0.0, 200_000
		for range n {
			at := int64(r.Uint64() >> 2)
			d := delayNs(model, at, r) - at
			if d <= 0 {
				t.Fatalf("%s: %d ns", model, d)
			}
			sum += float64(d) * 1e-3
		}
		if mean := sum / float64(n); math.Abs(mean/meanUs-1) > 0.03 {
			t.Errorf("%s: %.0f µs on average, want %.0f", model, mean, meanUs)
		}
	}
}

// A module that is locked to the latency timer sends whole blocks of 16 ms: 250 stripes
// of 64 µs.
func TestLockedBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := streamed(t, faulty(t, Options{}, "delay:model=ftdi16-locked"), 5_000)
		if h.stripes()%250 != 0 {
			t.Errorf("%d stripes came, want a multiple of 250", h.stripes())
		}
	})
}
