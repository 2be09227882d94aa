package ppm_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"testing/synctest"
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

// emulated returns an emulated module that draws 0.420 A at 5.000 V and 0.073 A at
// 12.000 V.
func emulated(o sim.Options) *sim.Module {
	load := sim.NewConstantLoad(map[string]int{"5v": 5000, "12v": 12_000}, map[string]int{"5v": 420_000, "12v": 73_000})
	o.Powered, o.Now = true, monotonic
	return sim.New(o, load)
}

// calm is for modules in this process: at 64 µs a stripe they keep what 5 s
// bring, so that no load of the machine makes them overrun.
func calm() sim.Options { return sim.Options{Averaging: "16"} }

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
	path := serve(t, emulated(calm()).ServePTY)
	port, err := tty.Open(path, tty.Options{LockDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, ppm.Options{Conn: port, Port: path, Link: link, Now: monotonic})
}

func openLAN(t *testing.T) *ppm.Module {
	t.Helper()
	address := serve(t, func(ctx context.Context) (string, func() error, error) {
		return emulated(calm()).ServeTCP(ctx, "127.0.0.1:0")
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

// An earlier client has left a line behind that a framed module takes for the beginning of a
// frame of 25,960 bytes. A second later a driver comes, and is heard.
func TestClientAfterHalfAFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		o := calm()
		o.Now = func() int64 { return time.Since(began).Nanoseconds() }
		m := sim.New(o, sim.NewConstantLoad(nil, nil))
		near, far := net.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		wait.Go(func() { m.Serve(ctx, far, quarch.LinkFramed) })
		defer wait.Wait()
		defer cancel()
		if _, err := near.Write([]byte("hello?\r\n")); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		driver, err := ppm.Open(t.Context(), ppm.Options{Conn: near, Port: "pipe", Link: quarch.LinkFramed, Now: o.Now})
		if err != nil {
			t.Fatal(err)
		}
		if info, err := driver.Info(t.Context()); err != nil || info.Serial != "QTL1999-02-001" {
			t.Errorf("serial %q (%v), want the module's", info.Serial, err)
		}
		if err := driver.Close(); err != nil {
			t.Error(err)
		}
	})
}
