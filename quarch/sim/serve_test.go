package sim

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"

	"golang.org/x/sys/unix"
)

// monotonic is the host's clock, for the tests that run in real time.
func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// serveTerminal serves m on a pseudo-terminal until the test ends.
func serveTerminal(t *testing.T, m *Module) (path string) {
	ctx, cancel := context.WithCancel(t.Context())
	path, wait, err := m.ServePTY(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := wait(); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return path
}

// openPort opens the port as any program might: without setting it up.
func openPort(t *testing.T, path string) *os.File {
	t.Helper()
	port, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { port.Close() })
	return port
}

// readTo reads from port until end stands at the end.
func readTo(t *testing.T, port *os.File, end string) string {
	t.Helper()
	var got []byte
	buf := make([]byte, 256)
	for !strings.HasSuffix(string(got), end) {
		n, err := port.Read(buf)
		if err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		got = append(got, buf[:n]...)
	}
	return string(got)
}

// A pseudo-terminal carries both links, one client after another, as a serial
// port does. The second client streams and goes away in the middle; the third
// finds a quiet port and a module that has stopped.
func TestPseudoTerminalServesOneClientAfterAnother(t *testing.T) {
	m := New(Options{Powered: true, Averaging: "16", Now: monotonic}, oneDrive())
	path := serveTerminal(t, m)

	port := openPort(t, path)
	if _, err := port.WriteString("*tst?\r\n"); err != nil {
		t.Fatal(err)
	}
	if got, want := readTo(t, port, "\n>"), "*tst?\r\nOK\r\n>"; got != want {
		t.Errorf("the terminal link answered %q, want %q", got, want)
	}
	port.Close()

	port = openPort(t, path)
	h := newHost(t, port)
	h.start()
	h.until(2_000)
	if v, a := h.cols[0][1_999], h.cols[1][1_999]; v != 5010 || a != 500_123 {
		t.Errorf("stripe 1999 has %d mV, %d µA, want 5010, 500123", v, a)
	}
	port.Close()

	awaitNoStream(t, m)
	h = newHost(t, openQuiet(t, path))
	h.start()
	h.until(2_000)
	h.must("rec stop")
	if s := h.end(); s != wire.StatusEnd {
		t.Errorf("status %d, want %d", s, wire.StatusEnd)
	}
	last := m.Streams()[1]
	if last.Overrun || last.Stripes != uint64(h.stripes()) {
		t.Errorf("%d stripes came, truth %+v", h.stripes(), last)
	}
}

// openQuiet opens the port as a careful program does: it throws away what is
// still under way from before.
func openQuiet(t *testing.T, path string) *os.File {
	t.Helper()
	port := openPort(t, path)
	buf := make([]byte, 4096)
	for {
		if err := port.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if _, err := port.Read(buf); errors.Is(err, os.ErrDeadlineExceeded) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := port.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	return port
}

// awaitNoStream waits until the module has noticed that its client has gone.
func awaitNoStream(t *testing.T, m *Module) {
	t.Helper()
	for range 500 {
		m.mu.Lock()
		stopped := m.active == nil
		m.mu.Unlock()
		if stopped {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Fatal("the stream goes on 5 s after its client has gone")
}

// Several clients may be connected; the stream belongs to one of them.
func TestTwoTCPClients(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := New(Options{Averaging: "16", Now: monotonic}, oneDrive())
	addr, wait, err := m.ServeTCP(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dial := func() *host {
		var d net.Dialer
		conn, err := d.DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return newHost(t, conn)
	}
	one, two := dial(), dial()
	one.must("run:power up")
	if got := two.ask("run:power?"); got != "ON" {
		t.Errorf("the other client sees power %s, want ON", got)
	}
	one.start()
	one.until(1_000)
	two.must("conf stream enable on")
	if got := two.ask("rec stream"); !strings.HasPrefix(got, "FAIL") {
		t.Errorf("a second stream was answered %q, want FAIL", got)
	}
	if got := two.ask("rec stream?"); got != "Running" {
		t.Errorf("the stream is %s, want Running", got)
	}
	two.must("rec stop")
	if s := one.end(); s != wire.StatusEnd {
		t.Errorf("status %d, want %d", s, wire.StatusEnd)
	}
	cancel()
	if err := wait(); err != nil {
		t.Errorf("serve: %v", err)
	}
}

func TestBusyAddressIsAnError(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	m := New(Options{Now: monotonic}, oneDrive())
	if _, _, err = m.ServeTCP(t.Context(), ln.Addr().String()); err == nil || !strings.Contains(err.Error(), ln.Addr().String()) {
		t.Errorf("error %v, want one that names %s", err, ln.Addr())
	}
}

// A second of 250 kS/s, measured, encoded and cut into frames: what the module
// itself costs, without the load's model and the port.
func BenchmarkSecondOfStream(b *testing.B) {
	for b.Loop() {
		m := New(Options{Now: monotonic, Powered: true}, oneDrive())
		s := m.newStream()
		p := sender{}
		p.begin(s, 0)
		for range 250_000 / fillStripes {
			s.make(fillStripes)
			p.next(0)
		}
	}
	b.ReportMetric(250_000*float64(b.N)/b.Elapsed().Seconds(), "stripes/s")
}

// The link of a port can be fixed: what looks like text then is a frame.
func TestFixedLink(t *testing.T) {
	path := serveTerminal(t, New(Options{Link: quarch.LinkFramed, Now: monotonic}, oneDrive()))
	if got := newHost(t, openPort(t, path)).ask("*tst?"); got != "OK" {
		t.Errorf("*tst? was answered %q, want OK", got)
	}
}
