package lan_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"powerd/quarch"
	"powerd/quarch/lan"
)

// An answer whose MAC holds CR LF (0d 0a) and whose IP holds LF: they are raw
// bytes, not line ends.
const answer = "QTL1999\r\n00-04-A3-0D-0A-01\r\n" +
	"\x02\x00\x04\xa3\x0d\x0a\x01\r\n" +
	"\x04PPM-5\r\n" +
	"\x05\x7f\x00\x00\x01\r\n" +
	"\x805.016\r\n" +
	"\x831944-02-123\r\n" +
	"\x859760\r\n" +
	"\x861999-05-005\r\n" +
	"\x89HD Programmable Power Module\r\n" +
	"\r\n"

func TestAnswerWithLineEndsInRawBytes(t *testing.T) {
	got, ok := lan.ParseAnswer([]byte(answer), "192.0.2.7")
	want := lan.Found{
		Address: "127.0.0.1:9760", Serial: "QTL1999-05-005", Product: "HD Programmable Power Module",
		Name: "PPM-5", MAC: "00-04-A3-0D-0A-01",
	}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("ok %v (-want +got):\n%s", ok, diff)
	}
	if f, ok := lan.ParseAnswer([]byte("printer\r\n00-00\r\n\x04laser\r\n"), "192.0.2.8"); ok {
		t.Errorf("another device is taken for %+v", f)
	}
}

func TestDiscoveryFindsWhoAnswers(t *testing.T) {
	module, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		buf := make([]byte, 100)
		n, from, err := module.ReadFromUDP(buf)
		if err != nil || string(buf[:n]) != "Discovery: Who is out there?\x00\n" {
			t.Errorf("the question was %q, %v", buf[:n], err)
		}
		for _, a := range []string{"noise", answer, answer} {
			if _, err := module.WriteToUDP([]byte(a), from); err != nil {
				t.Error(err)
			}
		}
	}()
	defer func() {
		module.Close()
		<-answered
	}()
	found, err := lan.Discover(t.Context(), module.LocalAddr().String()) // no deadline: one second
	if err != nil || len(found) != 1 || found[0].Serial != "QTL1999-05-005" {
		t.Errorf("found %+v, %v; want one module, once", found, err)
	}
	cancelled, stop := context.WithCancel(ctx)
	stop()
	if found, err := lan.Discover(cancelled, module.LocalAddr().String()); len(found) != 0 || err != nil && !errors.Is(err, net.ErrClosed) {
		t.Errorf("with an ended context: %v, %v", found, err)
	}
}

func listen(t *testing.T) (*net.TCPListener, string) {
	t.Helper()
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, l.Addr().String()
}

func TestConnectionCarriesEveryByte(t *testing.T) {
	l, address := listen(t)
	c, err := lan.Dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	if _, err := c.Write(all); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 256)
	if _, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, all) {
		t.Errorf("got % x, %v", got, err)
	}
	far.Close()
	if _, err := c.Read(got); !errors.Is(err, quarch.ErrUnplugged) || !strings.Contains(err.Error(), address) {
		t.Errorf("after the module went away: %v, want ErrUnplugged with %s", err, address)
	}
}

func TestCloseEndsABlockedRead(t *testing.T) {
	_, address := listen(t)
	c, err := lan.Dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := c.Read(make([]byte, 1))
		ended <- err
	}()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, quarch.ErrClosed) {
		t.Errorf("read ended with %v, want ErrClosed", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

// A module would answer two of us and mix their commands: the second is told who has it,
// by whatever name it asks, and has it once the first is done.
func TestOneAtATime(t *testing.T) {
	_, address := listen(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	first, err := lan.Dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{address, net.JoinHostPort("localhost", port)} {
		_, err := lan.Dial(t.Context(), name)
		if !errors.Is(err, quarch.ErrBusy) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", os.Getpid())) {
			t.Errorf("%s: %v, want ErrBusy with this process", name, err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := lan.Dial(t.Context(), address)
	if err != nil {
		t.Fatalf("after the first has closed: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

func TestNobodyListens(t *testing.T) {
	l, address := listen(t)
	l.Close()
	if _, err := lan.Dial(t.Context(), address); err == nil || !strings.Contains(err.Error(), address) {
		t.Errorf("error %v, want one that names %s", err, address)
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add([]byte(answer))
	f.Add([]byte("\r\n\r\n\x05\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, ok := lan.ParseAnswer(b, "192.0.2.1"); ok && got.Serial == "" {
			t.Errorf("% x: a module without a serial number", b)
		}
	})
}
