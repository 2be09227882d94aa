package ppm_test

import (
	"context"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/quarch"
	"powerd/quarch/lan"
	"powerd/quarch/ppm"
	"powerd/quarch/quarchtest"
	"powerd/quarch/sim"
	"powerd/quarch/tty"
)

func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// emulated returns an emulated module at 250,000 stripes a second that draws
// 0.420 A at 5.000 V and 0.073 A at 12.000 V.
func emulated(o sim.Options) *sim.Module {
	load := sim.NewConstantLoad(map[string]int{"5v": 5000, "12v": 12_000}, map[string]int{"5v": 420_000, "12v": 73_000})
	o.Powered, o.Now = true, monotonic
	return sim.New(o, load)
}

// serve keeps an emulated module up until the test ends.
func serve(t *testing.T, start func(context.Context) (string, func() error, error)) (address string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	address, wait, err := start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := wait(); err != nil {
			t.Error(err)
		}
	})
	return address
}

func openPort(t *testing.T, link string) *ppm.Module {
	t.Helper()
	path := serve(t, emulated(sim.Options{}).ServePTY)
	port, err := tty.Open(path, tty.Options{LockDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, ppm.Options{Conn: port, Port: path, Link: link, Now: monotonic})
}

func openLAN(t *testing.T) *ppm.Module {
	t.Helper()
	address := serve(t, func(ctx context.Context) (string, func() error, error) {
		return emulated(sim.Options{}).ServeTCP(ctx, "127.0.0.1:0")
	})
	conn, err := lan.Dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, ppm.Options{Conn: conn, Port: address, Link: quarch.LinkFramed, Now: monotonic})
}

func opened(t testing.TB, o ppm.Options) *ppm.Module {
	t.Helper()
	m, err := ppm.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestConformanceOnRealPorts(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) *ppm.Module{
		"pseudo-terminal, terminal link": func(t *testing.T) *ppm.Module { return openPort(t, quarch.LinkTerminal) },
		"pseudo-terminal, framed link":   func(t *testing.T) *ppm.Module { return openPort(t, quarch.LinkFramed) },
		"pseudo-terminal, link unknown":  func(t *testing.T) *ppm.Module { return openPort(t, "") },
		"TCP":                            openLAN,
	} {
		t.Run(name, func(t *testing.T) {
			quarchtest.Run(t, func(t *testing.T) quarchtest.Subject { return quarchtest.Subject{Module: open(t)} })
		})
	}
}

// At the highest rate, over a pseudo-terminal: every stripe once, in order, with
// the load's counts.
func TestFullRateOverAPort(t *testing.T) {
	m := openPort(t, quarch.LinkFramed)
	if err := m.SetPeriod(t.Context(), 4000); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const want = 250_000
	next := uint64(0)
	for b, err := range m.Stream(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if b.First != next || b.Lost != 0 {
			t.Fatalf("block at stripe %d with %d lost, want %d and none", b.First, b.Lost, next)
		}
		next = b.End()
		five, twelve := b.Trace(quarch.Rail5V), b.Trace(quarch.Rail12V)
		for i := range b.Len() {
			if five.V[i] != 5000 || five.A[i] != 420_000 || twelve.V[i] != 12_000 || twelve.A[i] != 73_000 {
				t.Fatalf("stripe %d reads %d mV %d µA, %d mV %d µA", b.First+uint64(i), five.V[i], five.A[i], twelve.V[i], twelve.A[i])
			}
		}
		if next >= want {
			cancel()
		}
	}
	if next < want {
		t.Errorf("the stream ended after %d stripes, want %d", next, want)
	}
}
