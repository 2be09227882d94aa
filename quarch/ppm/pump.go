package ppm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"powerd/quarch"
	"powerd/quarch/realtime"
	"powerd/quarch/wire"
)

const (
	readSize = 64 << 10
	// quiet is how long nothing must come before stale input counts as gone.
	quiet = 100 * time.Millisecond
)

// linkUnknown collects bytes until they tell which link they are of.
const linkUnknown = "unknown"

// pump owns the connection: its goroutine is the only reader.
type pump struct {
	conn io.ReadWriteCloser
	port string
	now  func() int64
	log  *slog.Logger

	done    chan struct{} // closed when the goroutine has ended
	closing chan struct{} // closed by close

	writing sync.Mutex // guards conn.Write

	mu      sync.Mutex // guards what follows
	link    string
	echoes  bool          // the terminal link is known to echo
	waiter  *waiter       // whose reply is awaited
	stale   bool          // an exchange was given up: input may belong to it
	stray   chan struct{} // of one: input came that nobody awaits
	session *session      // the stream in progress
	err     error         // why the goroutine ended

	decoding sync.Mutex   // guards what follows; taken before mu
	dec      wire.Decoder // of the framed link
	decoded  *session     // whose stream dec is set to
	reply    []byte       // of the framed link, so far
}

func startPump(o Options) *pump {
	p := &pump{
		conn: o.Conn, port: o.Port, now: o.Now, log: o.Log, link: linkUnknown,
		done: make(chan struct{}), closing: make(chan struct{}), stray: make(chan struct{}, 1),
	}
	go p.run()
	return p
}

func (p *pump) run() {
	defer close(p.done)
	if err := realtime.Thread(); err != nil {
		p.log.Debug("a busy machine may make the module overrun", "port", p.port, "error", err)
	}
	buf := make([]byte, readSize)
	for {
		n, err := p.conn.Read(buf)
		atNs := p.now()
		if n > 0 {
			p.dispatch(buf[:n], atNs)
		}
		if err != nil {
			p.fail(err)
			return
		}
	}
}

func (p *pump) dispatch(b []byte, atNs int64) {
	p.mu.Lock()
	link, s := p.link, p.session
	p.mu.Unlock()
	switch link {
	case quarch.LinkFramed:
		p.framed(b, atNs, s)
	default:
		p.text(b, atNs, link)
	}
}

// text takes input of the terminal link, or of one that is not known yet.
func (p *pump) text(b []byte, atNs int64, link string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.waiter
	if w == nil {
		notify(p.stray)
		return
	}
	w.got = append(w.got, b...)
	if link == linkUnknown {
		if _, done := whichLink(w.got); done {
			p.deliver(answer{string(w.got), atNs})
			return
		}
	}
	reply, echoed, done := wire.TerminalReply(w.got, w.cmd, p.echoes)
	if done && link != linkUnknown {
		p.echoes = p.echoes || echoed
		p.deliver(answer{reply, atNs})
		return
	}
	w.replied = len(w.got)
	if _, rest, found := bytes.Cut(w.got, []byte("\n")); found && bytes.HasPrefix(w.got, []byte(w.cmd)) {
		w.replied = len(rest)
	}
	notify(w.progress)
}

// deliver hands a reply to its waiter; p.mu is held.
func (p *pump) deliver(a answer) {
	p.waiter.answer <- a
	p.waiter = nil
}

// replyPart takes text of the framed link.
func (p *pump) replyPart(text []byte, atNs int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reply = append(p.reply, text...)
	complete := bytes.HasSuffix(p.reply, []byte(wire.Prompt))
	switch {
	case p.waiter == nil:
		notify(p.stray)
	case complete:
		p.deliver(answer{string(bytes.TrimRight(p.reply[:len(p.reply)-1], "\r\n")), atNs})
	default:
		if p.session != nil {
			p.waiter.replied += len(text) // between streams heard counts
		}
		notify(p.waiter.progress)
	}
	if complete {
		p.reply = p.reply[:0]
	}
}

// setLink says how to read the connection from now on.
func (p *pump) setLink(link string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.link = link
}

// expect makes w the receiver of the next reply.
func (p *pump) expect(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiter = w
}

// giveUp withdraws w, unless its reply came just now. What still comes is stale.
func (p *pump) giveUp(w *waiter) (answer, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case a := <-w.answer:
		return a, true
	default:
	}
	if p.waiter == w {
		p.waiter = nil
	}
	p.stale = true
	return answer{}, false
}

// drain waits, if an exchange was given up, until nothing more comes of it.
func (p *pump) drain(ctx context.Context, most time.Duration) {
	p.mu.Lock()
	stale := p.stale
	p.stale = false
	p.mu.Unlock()
	if !stale {
		return
	}
	silence, limit := time.NewTimer(quiet), time.NewTimer(most)
	defer silence.Stop()
	defer limit.Stop()
	for {
		select {
		case <-p.stray:
			silence.Reset(quiet)
		case <-silence.C:
			return
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		case <-p.done:
			return
		}
	}
}

// send writes one command in the form of the link.
func (p *pump) send(cmd string) error {
	p.mu.Lock()
	link := p.link
	p.mu.Unlock()
	line := []byte(cmd + "\r\n")
	if link != quarch.LinkTerminal {
		line = wire.AppendFrame(nil, line)
	}
	return p.write(line)
}

func (p *pump) write(b []byte) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	if _, err := p.conn.Write(b); err != nil {
		return p.wrap("writing", err)
	}
	return nil
}

func (p *pump) wrap(doing string, err error) error {
	select {
	case <-p.closing:
		return fmt.Errorf("module %s: %s: %w", p.port, doing, quarch.ErrClosed)
	default:
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		return fmt.Errorf("module %s: %s: %w: %w", p.port, doing, quarch.ErrUnplugged, err)
	}
	return fmt.Errorf("module %s: %s: %w", p.port, doing, err)
}

// fail ends everything that waits for input.
func (p *pump) fail(err error) {
	err = p.wrap("reading", err)
	p.mu.Lock()
	p.err = err
	s := p.session
	p.session = nil
	p.mu.Unlock()
	if s != nil {
		p.silence(s) // nothing will come any more
		s.finish(item{err: err})
	}
}

// failure says why cmd can have no answer, after done.
func (p *pump) failure(cmd string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Errorf("%s: %w", cmd, p.err)
}

func (p *pump) close() error {
	close(p.closing)
	err := p.conn.Close()
	<-p.done
	return err
}
