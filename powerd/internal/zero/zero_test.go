package zero_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/zero"
	"powerd/quarch"
	"powerd/quarch/ppm"
	"powerd/quarch/sim"
)

// measure reads an emulated module for 20 s of virtual time; its rails carry what load
// says.
func measure(t *testing.T, link string, powered bool, load sim.Load) (z *results.Zero, m *sim.Module, err error) {
	t.Helper()
	began := time.Now()
	now := func() int64 { return int64(time.Hour) + time.Since(began).Nanoseconds() }
	m = sim.New(sim.Options{Powered: powered, Now: now}, load)
	near, far := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	var served sync.WaitGroup
	served.Go(func() { m.Serve(ctx, far, link) })
	module, err := ppm.Open(ctx, ppm.Options{Conn: near, Port: "emulated", Link: link, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	z, err = zero.Measure(ctx, module, 20*time.Second, 1_024_000)
	module.Close()
	cancel()
	served.Wait()
	return z, m, err
}

func constant(microAmps5, microAmps12 int) sim.Load {
	return sim.NewConstantLoad(map[string]int{"5v": 4950, "12v": 12_000}, map[string]int{"5v": microAmps5, "12v": microAmps12})
}

// An adapter that draws 8 mA from 4.95 V (39.6 mW), and a module that reads 0.4 mA too
// little on 12 V (−4.8 mW): both are kept as they are read, and nothing is switched.
func TestZeroOfAnAdapter(t *testing.T) {
	for _, link := range []string{quarch.LinkFramed, quarch.LinkTerminal} {
		synctest.Test(t, func(t *testing.T) {
			z, m, err := measure(t, link, true, constant(8000, -400))
			if err != nil {
				t.Fatal(err)
			}
			for rail, want := range map[quarch.Rail][3]float64{"5v": {4.95, 8e-3, 39.6e-3}, "12v": {12, -0.4e-3, -4.8e-3}} {
				f := z.Rails[rail]
				if f == nil || math.Abs(f.MeanV-want[0]) > 1e-3 || math.Abs(f.MeanA-want[1]) > 1e-4 || math.Abs(f.MeanW-want[2]) > 1e-3 || f.U95A > 1e-3 {
					t.Errorf("%s, %s: %+v, want %v V, A, W", link, rail, f, want)
				}
			}
			if z.Module == "" || z.Seconds != 20 {
				t.Errorf("%s: %+v", link, z)
			}
			if n := len(m.PowerEvents()); n != 1 { // how it was found
				t.Errorf("%s: %d changes of power", link, n)
			}
		})
	}
}

// A drive that idles at 420 mA is no zero. What was read is told, for whoever knows
// better.
func TestZeroOfADriveIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z, _, err := measure(t, quarch.LinkFramed, true, constant(420_000, 0))
		if !errors.Is(err, zero.ErrDrive) || !strings.Contains(err.Error(), "5v carries 420 mA") || z == nil {
			t.Errorf("zero %v, error %v", z, err)
		}
	})
}

// sleeper is a drive that sleeps at 2 mA and wakes for 10 ms every second.
type sleeper struct{ sim.Load }

func (s sleeper) Fill(startNs, periodNs int64, rails []string, v, a [][]int32) {
	s.Load.Fill(startNs, periodNs, rails, v, a)
	for i := range a[0] {
		if at := startNs + int64(i)*periodNs; at%1e9 < 10e6 {
			a[0][i] += 30_000
		}
	}
}

// Small as it is, a drive shows by its pulses.
func TestZeroOfASleepingDriveIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, err := measure(t, quarch.LinkFramed, true, sleeper{constant(2000, 0)})
		if !errors.Is(err, zero.ErrDrive) || !strings.Contains(err.Error(), "every 1.000 s") {
			t.Errorf("error %v, want that pulses come every second", err)
		}
	})
}

// With the outputs off every reading is zero, and none of them is one.
func TestOutputsOffGiveNoZero(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z, _, err := measure(t, quarch.LinkFramed, false, constant(8000, 0))
		if z != nil || err == nil || !strings.Contains(err.Error(), "is off") {
			t.Errorf("zero %v, error %v", z, err)
		}
	})
}

// overrun is a module that has the rate it was given, and runs over again and again.
type overrun struct {
	quarch.Module
	periodNs int64
	streams  int
}

func (m *overrun) Info(context.Context) (quarch.Info, error) {
	return quarch.Info{Serial: "M1", Link: quarch.LinkFramed, PeriodNs: m.periodNs}, nil
}

func (m *overrun) SetPeriod(_ context.Context, periodNs int64) error {
	m.periodNs = periodNs
	return nil
}

// Stream gives 3 s at a time: 8 or 9 mA of 5 V by turns, a stripe each.
func (m *overrun) Stream(context.Context) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		m.streams++
		const inBlock = 100
		tr := quarch.Trace{Rail: quarch.Rail5V, V: make([]int32, inBlock), A: make([]int32, inBlock), LSBVolts: 1e-3, LSBAmps: 1e-6}
		for i := range inBlock {
			tr.V[i], tr.A[i] = 5000, int32(8000+1000*(i%2))
		}
		for n := uint64(0); int64(n)*m.periodNs < 3e9; n += inBlock {
			if !yield(&quarch.Block{First: n, PeriodNs: m.periodNs, Traces: []quarch.Trace{tr}}, nil) {
				return
			}
		}
		yield(nil, fmt.Errorf("module M1: %w", quarch.ErrOverrun))
	}
}

// A module that was left at 4 µs is read at the rate that is asked for; one that runs over
// all the same after each 3 s is read on until 20 s are there, the mean of 8 and 9 mA.
func TestZeroOfAModuleThatRunsOver(t *testing.T) {
	m := &overrun{periodNs: 4000}
	z, err := zero.Measure(t.Context(), m, 20*time.Second, 1_024_000)
	if err != nil || m.periodNs != 1_024_000 || m.streams != 7 || math.Abs(z.Rails["5v"].MeanA-8.5e-3) > 1e-6 {
		t.Errorf("%+v, %v; a stripe each %d ns, %d streams, want 1024000 and 7", z, err, m.periodNs, m.streams)
	}
	if _, err := zero.Measure(t.Context(), &overrun{}, 2*time.Minute, 1_024_000); !errors.Is(err, quarch.ErrOverrun) {
		t.Errorf("of 40 streams: %v, want no patience without end", err)
	}
}
