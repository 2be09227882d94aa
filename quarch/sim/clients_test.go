package sim

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// overTCP serves m over real TCP until the test ends. link is that of ServeTCP, or one
// that a serial server in front of a module would carry.
func overTCP(t *testing.T, m *Module, link string) (dial func() *net.TCPConn) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { m.Serve(ctx, conn, link) })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		cancel()
		wg.Wait()
	})
	return dialer(t, ln.Addr().String())
}

func dialer(t *testing.T, addr string) func() *net.TCPConn {
	return func() *net.TCPConn {
		t.Helper()
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		return conn.(*net.TCPConn)
	}
}

// heapBytes returns what is in use.
func heapBytes() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// awaitGoroutines waits until there are no more than before.
func awaitGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left, before there were %d", runtime.NumGoroutine(), before)
}

// A hundred clients come. Eight places there are: who has one is served, everybody else
// finds the connection closed, and a place that somebody left is taken by the next.
func TestHundredConnections(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	before := runtime.NumGoroutine()
	m := New(Options{Now: monotonic}, oneDrive())
	addr, wait, err := m.ServeTCP(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dial := dialer(t, addr)
	var served []*net.TCPConn
	for i := range 100 {
		conn := dial()
		_, _ = conn.Write([]byte("\x07\x00*tst?\r\n")) // may be closed already
		reply := make([]byte, 7)
		switch _, err := io.ReadFull(conn, reply); {
		case err == nil && string(reply) == "\x05\x00OK\r\n>":
			served = append(served, conn)
		case err == nil:
			t.Errorf("connection %d was answered %q", i, reply)
		}
	}
	if len(served) != 8 {
		t.Errorf("%d of 100 connections were served, want 8", len(served))
	}
	if got := runtime.NumGoroutine() - before; got > 8*8 {
		t.Errorf("%d goroutines for 8 clients", got)
	}
	served[3].Close()
	for i := 0; ; i++ { // the module has to notice
		conn := dial()
		_, _ = conn.Write([]byte("\x07\x00*tst?\r\n"))
		if _, err := io.ReadFull(conn, make([]byte, 7)); err == nil {
			break
		}
		if i == 500 {
			t.Fatal("the place of a client that left is not free after 5 s")
		}
		<-time.After(10 * time.Millisecond)
	}
	cancel()
	if err := wait(); err != nil {
		t.Error(err)
	}
	awaitGoroutines(t, before)
}

// 10 MB without a line end are one line that is too long: no more of it is kept than of
// any other, and it is answered when it ends.
func TestTenMegabytesWithoutALineEnd(t *testing.T) {
	dial := overTCP(t, New(Options{Now: monotonic}, oneDrive()), quarch.LinkTerminal)
	conn := dial()
	before := heapBytes()
	chunk := bytes.Repeat([]byte("run:power up "), 1<<20/13)
	for range 10 {
		if _, err := conn.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if grown := heapBytes() - before; grown > 4<<20 {
		t.Errorf("the module holds %d bytes more after 10 MB without a line end", grown)
	}
	if _, err := io.WriteString(conn, "\r\nrun:power?\r\n"); err != nil {
		t.Fatal(err)
	}
	want := string(chunk)[:longestLine+1] + "\r\nFAIL: 0x02 -Line too long\r\n>run:power?\r\nOFF\r\n>"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
		t.Errorf("the answer ends %q (%v), want %q", got[longestLine:], err, want[longestLine:])
	}
}

// Bytes at random, over either link: whatever they lead to, the next client is served as
// if nothing had been.
func TestGarbageDoesNoHarm(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, link := range []string{quarch.LinkTerminal, quarch.LinkFramed, ""} {
		t.Run("link "+link, func(t *testing.T) {
			dial := overTCP(t, New(Options{Now: monotonic}, oneDrive()), link)
			source := rand.NewChaCha8([32]byte{1})
			for range 5 {
				conn := dial()
				go io.Copy(io.Discard, conn) // ends when conn is closed
				if _, err := io.CopyN(conn, source, 200_000); err != nil {
					t.Fatal(err)
				}
				conn.Close()
			}
			conn := dial()
			sent, want := "\x07\x00*tst?\r\n", "\x05\x00OK\r\n>"
			if link == quarch.LinkTerminal {
				sent, want = "*tst?\r\n", "*tst?\r\nOK\r\n>"
			}
			exchange(t, conn, sent, want)
		})
	}
	awaitGoroutines(t, before)
}

// Clients that stop in the middle of a frame, and stay: each costs one frame's room, and
// nobody else waits for them.
func TestHalfAFrame(t *testing.T) {
	m := New(Options{Now: monotonic}, oneDrive())
	dial := overTCP(t, m, quarch.LinkFramed)
	before := heapBytes()
	for range 20 {
		if _, err := dial().Write([]byte("\xff\xffhello?")); err != nil {
			t.Fatal(err)
		}
	}
	exchange(t, dial(), "\x07\x00*tst?\r\n", "\x05\x00OK\r\n>")
	if grown := heapBytes() - before; grown > 4<<20 {
		t.Errorf("20 half frames of 65535 bytes cost %d bytes", grown)
	}
}

// A client that asks and does not read is not read either once what is under way is full.
// Others are served meanwhile.
func TestSlowReaderIsHeldBack(t *testing.T) {
	m := New(Options{Dialect: Dialect{Supports: true}, Now: monotonic}, oneDrive())
	dial := overTCP(t, m, quarch.LinkFramed)
	slow := dial()
	before := heapBytes()
	if err := slow.SetWriteDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	asked := bytes.Repeat(wire.AppendFrame(nil, []byte("config:supports?\r\n")), 5_000)
	var err error
	sent := 0
	for err == nil && sent < 200 { // a million questions, with a reply of 2 kB each
		_, err = slow.Write(asked)
		sent++
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a million questions were taken without a reply being read: %v", err)
	}
	if grown := heapBytes() - before; grown > 8<<20 {
		t.Errorf("the module holds %d bytes for a client that does not read", grown)
	}
	exchange(t, dial(), "\x07\x00*tst?\r\n", "\x05\x00OK\r\n>")
}

// A stream has a memory of 1 MiB while it runs. Who begins five hundred of them, one after
// another, does not make the module hold five hundred.
func TestEndedStreamsLeaveTheirTruthOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Averaging: "32k", Now: virtualNow()}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		before := heapBytes()
		for range 500 {
			h.start()
			h.must("rec stop")
			h.end()
		}
		if grown := heapBytes() - before; grown > 50<<20 {
			t.Errorf("500 streams left %d bytes", grown)
		}
		if n := len(m.Streams()); n != 500 {
			t.Errorf("%d streams are known of, want 500", n)
		}
	})
}

// Nor can power be switched without end: each change is remembered. It stays off then.
func TestChangesOfPowerAreBounded(t *testing.T) {
	m := New(Options{Now: func() int64 { return 1 }}, NewConstantLoad(nil, nil))
	c := &client{m: m}
	refused := 0
	for i := range mostChangesEver + 10 {
		if a := c.execute([]string{"run:power up", "run:power down"}[i%2]); strings.HasPrefix(a.text, "FAIL") {
			refused++
		}
	}
	if refused != 5 || len(m.PowerEvents()) != mostChangesEver {
		t.Errorf("%d changes were refused, %d are known of; want 5, %d", refused, len(m.PowerEvents()), mostChangesEver)
	}
}

// However requests are cut into packets, the same ones come out, and none is longer than a
// frame can be.
func FuzzRequests(f *testing.F) {
	for _, link := range []string{quarch.LinkTerminal, quarch.LinkFramed, ""} {
		f.Add(link, []byte("*tst?\r\nrun:power?\r"))
		f.Add(link, []byte("\x07\x00*tst?\r\n\x02\x00\xff\xff\x02\x00\xff\x01"))
		f.Add(link, []byte("\xff\xffhello"))
		f.Add(link, []byte("\n\r\n\x00\x00\x00\x00"))
	}
	all := func(r io.Reader, link string) (requests []request) {
		br := newRequests(r, link, 1, func() int64 { return 0 })
		for {
			q, err := br.next()
			if err != nil {
				return requests
			}
			requests = append(requests, q)
		}
	}
	f.Fuzz(func(t *testing.T, link string, sent []byte) {
		whole, bytewise := all(bytes.NewReader(sent), link), all(iotest.OneByteReader(bytes.NewReader(sent)), link)
		if len(whole) != len(bytewise) {
			t.Fatalf("%d requests at once, %d byte by byte", len(whole), len(bytewise))
		}
		for i, q := range whole {
			if q != bytewise[i] {
				t.Errorf("request %d is %+v at once, %+v byte by byte", i, q, bytewise[i])
			}
			if q.framed && len(q.text) > 0xffff || !q.framed && len(q.text) > longestLine+1 {
				t.Errorf("request %d has %d bytes", i, len(q.text))
			}
		}
	})
}
