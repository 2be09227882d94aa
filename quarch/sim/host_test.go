package sim

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"powerd/quarch/wire"
)

// virtualNow returns a host clock that follows time.Now, which stands still in a
// synctest bubble while anything runs. It begins at one hour.
func virtualNow() func() int64 {
	began := time.Now()
	return func() int64 { return int64(time.Hour) + time.Since(began).Nanoseconds() }
}

// pass lets virtual time pass.
func pass(d time.Duration) { <-time.After(d) }

// host is the client's side of a framed link, as plain as it can be.
type host struct {
	t       *testing.T
	conn    io.ReadWriter
	dec     wire.Decoder
	cols    wire.Columns
	buf     []byte
	frames  int         // with data
	syncs   int         // answered
	header  wire.Header // of the stream
	hold    bool        // leave the next sync unanswered
	lenient bool        // damage is expected
	lost    uint64      // stripes, by damage
}

// connect serves m over a pipe until the test ends and returns the other end.
func connect(t *testing.T, m *Module, link string) net.Conn {
	near, far := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { m.Serve(ctx, far, link) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
		near.Close()
	})
	return near
}

func newHost(t *testing.T, conn io.ReadWriter) *host {
	return &host{t: t, conn: conn, buf: make([]byte, 64<<10)}
}

func (h *host) send(payload string) {
	h.t.Helper()
	if _, err := h.conn.Write(wire.AppendFrame(nil, []byte(payload))); err != nil {
		h.t.Fatalf("send %q: %v", payload, err)
	}
}

// next returns the next frame and answers it as a client must.
func (h *host) next() wire.Frame {
	h.t.Helper()
	for {
		f, ok, err := h.dec.Next(&h.cols)
		if err != nil {
			h.t.Fatalf("decode: %v", err)
		}
		if !ok {
			h.read()
			continue
		}
		h.lost += f.Lost
		if f.Damage != nil && !h.lenient {
			h.t.Fatalf("the module sent nonsense: %v", f.Damage)
		}
		h.answer(f)
		return f
	}
}

// read feeds the decoder, or tells it of silence where it is in doubt.
func (h *host) read() {
	h.t.Helper()
	conn, timed := h.conn.(net.Conn)
	if timed {
		deadline := time.Time{}
		if h.dec.Doubt() {
			deadline = time.Now().Add(300 * time.Millisecond)
		}
		if err := conn.SetReadDeadline(deadline); err != nil {
			h.t.Fatal(err)
		}
	}
	n, err := h.conn.Read(h.buf)
	switch {
	case timed && errors.Is(err, os.ErrDeadlineExceeded):
		h.dec.Silence()
	case err != nil:
		h.t.Fatalf("read: %v", err)
	}
	h.dec.Feed(h.buf[:n])
}

func (h *host) answer(f wire.Frame) {
	h.t.Helper()
	switch f.Kind {
	case wire.KindHeader:
		h.header = f.Header
	case wire.KindData:
		if f.N > 0 {
			h.frames++
		}
		if !f.Status.Ends() {
			h.send(wire.Ack[2:])
		}
		if f.Status == wire.StatusSync && !h.hold {
			h.syncs++
			h.send(wire.SyncAnswer[2:])
		}
	}
}

// ask sends a command and returns its reply. Frames of a stream that come before
// it are decoded.
func (h *host) ask(command string) string {
	h.t.Helper()
	h.send(command + "\r\n")
	return h.reply()
}

func (h *host) reply() string {
	h.t.Helper()
	for {
		if f := h.next(); f.Kind == wire.KindReply {
			text := string(f.Text)
			if len(text) < 3 || text[len(text)-3:] != wire.Prompt {
				h.t.Fatalf("reply %q does not end in CR LF and the prompt", text)
			}
			return text[:len(text)-3]
		}
	}
}

// must asks for something that has to be answered OK.
func (h *host) must(commands ...string) {
	h.t.Helper()
	for _, c := range commands {
		if got := h.ask(c); got != "OK" {
			h.t.Fatalf("%s was answered %q, want OK", c, got)
		}
	}
}

// start begins a stream.
func (h *host) start() {
	h.t.Helper()
	h.must("conf stream enable on")
	h.dec.ExpectStream()
	h.dec.ExpectEnd() // whenever the module says so
	h.must("rec stream")
}

// stripes returns how many stripes were decoded.
func (h *host) stripes() int { return len(h.cols[0]) }

// until reads the stream until enough stripes came.
func (h *host) until(stripes int) {
	h.t.Helper()
	for h.stripes() < stripes {
		if f := h.next(); f.Kind == wire.KindData && f.Status.Ends() {
			h.t.Fatalf("the stream ended with status %d after %d stripes, want %d", f.Status, h.stripes(), stripes)
		}
	}
}

// end reads the stream to its end and returns the status.
func (h *host) end() wire.Status {
	h.t.Helper()
	for {
		if f := h.next(); f.Kind == wire.KindData && f.Status.Ends() {
			return f.Status
		}
	}
}
