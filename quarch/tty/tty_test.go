package tty

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"go.bug.st/serial"
	"golang.org/x/sys/unix"

	"powerd/quarch"
)

// openPty returns the far end of a pseudo-terminal and the port opened on the
// near end.
func openPty(t *testing.T) (far *os.File, port *Port, path string) {
	t.Helper()
	far, near, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	port, err = Open(near.Name(), Options{LockDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	near.Close()
	t.Cleanup(func() { port.Close() })
	return far, port, near.Name()
}

func allBytes() []byte {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

func TestEveryByteValuePassesBothWays(t *testing.T) {
	far, port, _ := openPty(t)
	for name, way := range map[string]struct {
		w io.Writer
		r io.Reader
	}{"to the host": {far, port}, "to the module": {port, far}} {
		if _, err := way.w.Write(allBytes()); err != nil {
			t.Fatal(name, err)
		}
		got := make([]byte, 256)
		if _, err := io.ReadFull(way.r, got); err != nil || !bytes.Equal(got, allBytes()) {
			t.Errorf("%s: got % x, %v", name, got, err)
		}
	}
}

// Signals interrupt system calls; the Go runtime itself sends SIGURG. None of
// them may end a read or cost a byte.
func TestSignalsDoNotDisturbReading(t *testing.T) {
	far, port, _ := openPty(t)
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if err := unix.Kill(os.Getpid(), unix.SIGURG); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	const rounds = 200
	wait.Go(func() {
		for range rounds {
			if _, err := far.Write(allBytes()); err != nil {
				t.Error(err)
				return
			}
		}
	})
	got := make([]byte, 256*rounds)
	if _, err := io.ReadFull(port, got); err != nil || !bytes.Equal(got, bytes.Repeat(allBytes(), rounds)) {
		t.Errorf("bytes were lost or changed; error %v", err)
	}
	close(stop)
	wait.Wait()
}

func TestCloseEndsABlockedRead(t *testing.T) {
	_, port, _ := openPty(t)
	ended := make(chan error)
	go func() {
		_, err := port.Read(make([]byte, 1))
		ended <- err
	}()
	if err := port.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, quarch.ErrClosed) {
		t.Errorf("read ended with %v, want ErrClosed", err)
	}
	if err := port.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if _, err := port.Write([]byte("x")); !errors.Is(err, quarch.ErrClosed) {
		t.Errorf("write after close: %v, want ErrClosed", err)
	}
}

func TestUnpluggedPortIsNamed(t *testing.T) {
	far, port, path := openPty(t)
	far.Close()
	_, err := port.Read(make([]byte, 1))
	if !errors.Is(err, quarch.ErrUnplugged) || !strings.Contains(err.Error(), path) {
		t.Errorf("read: %v, want ErrUnplugged with %s", err, path)
	}
}

func TestPortIsLockedAlsoThroughALink(t *testing.T) {
	far, near, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close() // and not when it is collected, which takes the port away
	defer near.Close()
	locks := t.TempDir()
	link := filepath.Join(t.TempDir(), "usb-module")
	if err := os.Symlink(near.Name(), link); err != nil {
		t.Fatal(err)
	}
	first, err := Open(near.Name(), Options{LockDir: locks})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(link, Options{LockDir: locks})
	if !errors.Is(err, quarch.ErrBusy) {
		t.Fatalf("second open: %v, want ErrBusy", err)
	}
	for _, part := range []string{link, near.Name(), strconv.Itoa(os.Getpid())} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("message %q does not name %s", err, part)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(link, Options{LockDir: locks})
	if err != nil {
		t.Fatalf("after close: %v", err)
	}
	again.Close()
}

// A board that restarts on an edge of DTR must survive being opened: the lines
// are set only when the configuration says how.
func TestControlLinesAreLeftAloneUnlessAsked(t *testing.T) {
	if m := (Options{}).mode(); m.InitialStatusBits != nil || m.BaudRate != 19200 {
		t.Errorf("mode by default %+v, want 19200 and no status bits", m)
	}
	off := false
	want := &serial.ModemOutputBits{DTR: false, RTS: false}
	if diff := cmp.Diff(want, Options{DTR: &off}.mode().InitialStatusBits); diff != "" {
		t.Errorf("dtr: false (-want +got):\n%s", diff)
	}
}

// A pseudo-terminal has no such lines: who asks for them is told so, not that the
// port is "invalid".
func TestPortWithoutControlLinesSaysSo(t *testing.T) {
	near, far, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	defer far.Close()
	off := false
	p, err := Open(far.Name(), Options{DTR: &off, LockDir: t.TempDir()})
	if err == nil {
		p.Close()
		t.Fatal("opened with lines that it has not")
	}
	if !strings.Contains(err.Error(), "leave dtr and rts out") || !strings.Contains(err.Error(), far.Name()) {
		t.Errorf("error %v does not say what to do", err)
	}
}

// A program that this one starts must not hold the port open after it: its
// descriptor would outlive an unplugged module or a killed daemon.
func TestStartedProgramsDoNotInheritThePort(t *testing.T) {
	_, _, path := openPty(t)
	out, err := exec.Command("ls", "-l", "/proc/self/fd").Output()
	if err != nil {
		t.Skip("no /proc to look into:", err)
	}
	if strings.Contains(string(out), path+"\n") {
		t.Errorf("a child has %s open:\n%s", path, out)
	}
}

// A port that a terminal program has open is busy, and the message says whom to end. (The
// kernel refuses it to nobody who is root, so that the name alone is looked at.)
func TestForeignHolderIsNamed(t *testing.T) {
	_, _, path := openPty(t)
	terminal := exec.Command("sh", "-c", "exec 3<>"+path+"; echo open; read end")
	in, err := terminal.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := terminal.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := terminal.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = terminal.Wait() })
	if _, err := io.ReadFull(out, make([]byte, len("open"))); err != nil {
		t.Fatal(err)
	}
	if got, want := others(path), fmt.Sprintf("sh (pid %d)", terminal.Process.Pid); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := others("/dev/ttyUSB77"); got != "another program" {
		t.Errorf("of a port that nobody is seen to hold: %q", got)
	}
}

func TestPortDoesNotHangUpOnClose(t *testing.T) {
	far, _, _ := openPty(t)
	termios, err := unix.IoctlGetTermios(int(far.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	if termios.Cflag&unix.HUPCL != 0 {
		t.Error("hang-up on close is set; want it off")
	}
}

func TestLatencyTimerIsSetAndReported(t *testing.T) {
	sys := t.TempDir()
	dir := filepath.Join(sys, "bus/usb-serial/devices/ttyUSB0")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "latency_timer")
	if err := os.WriteFile(file, []byte("16\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if ms := tuneLatency(sys, "/dev/ttyUSB0"); ms != 1 {
		t.Errorf("timer that may be set: %d ms, want 1", ms)
	}
	if ms := tuneLatency(sys, "/dev/ttyACM0"); ms != 0 {
		t.Errorf("port without a timer: %d ms, want 0", ms)
	}
}

func TestListNamesEachPortOnceByItsStableName(t *testing.T) {
	dev := t.TempDir()
	byID := filepath.Join(dev, "serial/by-id")
	if err := os.MkdirAll(byID, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ttyUSB0", "ttyUSB1", "ttyACM0", "tty0"} {
		if err := os.WriteFile(filepath.Join(dev, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, device := range map[string]string{"usb-Bridge_A1": "ttyUSB1", "usb-Gone": "ttyUSB9"} {
		if err := os.Symlink(filepath.Join(dev, device), filepath.Join(byID, link)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := listIn(dev)
	if err != nil {
		t.Fatal(err)
	}
	want := []Candidate{
		{filepath.Join(dev, "ttyACM0"), filepath.Join(dev, "ttyACM0")},
		{filepath.Join(dev, "ttyUSB0"), filepath.Join(dev, "ttyUSB0")},
		{filepath.Join(byID, "usb-Bridge_A1"), filepath.Join(dev, "ttyUSB1")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
