package sim

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// unplugged returns a module on the host's own clock that is pulled after 0.3 s, for 0.4 s.
func unplugged(t *testing.T, moved func(string)) *Module {
	t.Helper()
	f, err := ParseFault("unplug:at=300ms,for=400ms")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	return New(Options{Now: func() int64 { return time.Since(began).Nanoseconds() + 1 }, Faults: []Fault{f}, Moved: moved}, oneDrive())
}

// A terminal that is pulled is gone for whoever has it open, and for whoever opens it;
// then it is back, under its old name, and answers.
func TestUnpluggedTerminal(t *testing.T) {
	moved := make(chan string, 1)
	m := unplugged(t, func(path string) { moved <- path })
	ctx, cancel := context.WithCancel(t.Context())
	path, wait, err := m.ServePTY(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		if err := wait(); err != nil {
			t.Error(err)
		}
	}()
	ask := func(path string) error {
		f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.WriteString("*tst?\r\n"); err != nil {
			return err
		}
		want := "*tst?\r\nOK\r\n>"
		got := make([]byte, len(want))
		if _, err := io.ReadFull(f, got); err != nil {
			return err
		}
		if string(got) != want {
			t.Errorf("it said %q", got)
		}
		_, err = f.Read(got) // until it is pulled
		return err
	}
	if err := ask(path); err == nil {
		t.Error("the terminal was not pulled")
	}
	awaitTerminal(t, path, moved)
}

// awaitTerminal waits until a module answers at path, or where it says that it moved to.
func awaitTerminal(t *testing.T, path string, moved <-chan string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		select { // another process may have taken the number meanwhile
		case path = <-moved:
		default:
		}
		f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
		if err == nil {
			_, err = f.WriteString("*tst?\r\n")
			got := make([]byte, 5)
			if err == nil {
				_, err = io.ReadFull(f, got)
			}
			f.Close()
			if err == nil && string(got) == "*tst?" {
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("it did not come back: %v", err)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// A pull may be over before the module looks: it serves on.
func TestTerminalPulledForAMoment(t *testing.T) {
	term, err := openTerminal()
	if err != nil {
		t.Fatal(err)
	}
	moved := make(chan string, 1)
	m := New(Options{Now: monotonic, Moved: func(path string) { moved <- path }}, oneDrive())
	ctx, cancel := context.WithCancel(t.Context())
	defer context.AfterFunc(ctx, term.interrupt)()
	ended := make(chan error, 1)
	path := term.path
	term.interrupt()
	go func() {
		defer term.close()
		ended <- m.serveVisits(ctx, term)
	}()
	awaitTerminal(t, path, moved)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A module on the network that is pulled breaks its connections, and serves again when
// it is back.
func TestUnpluggedNetwork(t *testing.T) {
	m := unplugged(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	address, wait, err := m.ServeTCP(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		if err := wait(); err != nil {
			t.Error(err)
		}
	}()
	ask := func() (net.Conn, error) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return nil, err
		}
		_, err = conn.Write([]byte("\x07\x00*tst?\r\n"))
		if err == nil {
			_, err = io.ReadFull(conn, make([]byte, 7))
		}
		return conn, err
	}
	conn, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("%d bytes, %v; want the end of the connection", n, err)
	}
	conn.Close()
	if conn, err := ask(); err == nil {
		t.Error("it answers while it is away")
	} else if conn != nil {
		conn.Close()
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		conn, err := ask()
		if conn != nil {
			conn.Close()
		}
		if err == nil {
			return
		}
		if time.Now().After(deadline) || errors.Is(err, net.ErrClosed) {
			t.Fatalf("it did not come back: %v", err)
		}
		<-time.After(10 * time.Millisecond)
	}
}
