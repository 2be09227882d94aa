package sim

import (
	"context"
	"io"
	"sync"
	"time"

	"powerd/quarch/wire"
)

// client is one visit to the module.
type client struct {
	m             *Module
	framed        bool // the link of the last request
	streamEnabled bool
	mine          *stream // the last one that this client started
	broken        bool    // a fault broke the link

	// out carries what is to be written, in order, to the one goroutine that
	// writes: so requests are read even while a write is held up.
	out chan item
}

// item is one thing for the writer to do.
type item struct {
	bytes  []byte
	stream *stream // begin to send it
	resume bool    // the client answered a sync
}

// pendingItems bounds replies that a client has asked for and does not read.
const pendingItems = 64

// Serve serves one client over rw until it goes away, resets the module, or ctx
// is done; then it closes rw. link is quarch.LinkTerminal, quarch.LinkFramed, or
// empty to accept both.
func (m *Module) Serve(ctx context.Context, rw io.ReadWriteCloser, link string) {
	beganNs := m.opts.Now()
	m.catchUp(beganNs)
	if m.away() {
		rw.Close()
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	c := &client{m: m, out: make(chan item, pendingItems)}
	m.enter(c, cancel)
	out := m.newLine(ctx.Done(), rw)
	var wg sync.WaitGroup
	wg.Go(func() {
		<-ctx.Done()
		rw.Close()
	})
	wg.Go(func() { c.strike(ctx, beganNs, cancel) })
	wg.Go(func() {
		defer cancel()
		c.write(ctx, out)
	})
	wg.Go(func() {
		if out.run() != nil {
			cancel()
		}
	})
	c.read(ctx, rw, link, &wg)
	cancel()
	wg.Wait()
	m.leave(c)
}

// leave forgets the stream of a client that has gone.
func (m *Module) leave(c *client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.clients, c)
	if s := c.mine; s != nil {
		s.fifo.drop()
		if c.broken {
			s.missing.held(whyBroken)
		} else {
			s.missing.end(m.opts.Now())
		}
	}
	if m.active != nil && m.active == c.mine {
		m.active = nil
	}
}

// read takes requests until there are no more.
func (c *client) read(ctx context.Context, r io.Reader, link string, wg *sync.WaitGroup) {
	in := newRequests(r, link, c.m.opts.HalfFrameNs, c.m.opts.Now)
	for {
		q, err := in.next()
		if err != nil {
			return
		}
		it, drop := c.handle(q)
		switch {
		case drop:
			return
		case it == nil:
			continue
		}
		if it.stream != nil {
			c.mine = it.stream
			wg.Go(func() { it.stream.run(ctx) })
		}
		select {
		case c.out <- *it:
		case <-ctx.Done():
			return
		}
	}
}

// handle runs one request. There is no item if nothing is to be done, and the
// link drops if drop is true.
func (c *client) handle(q request) (it *item, drop bool) {
	if c.m.silent() {
		c.m.held(whySilent)
		return nil, false
	}
	if c.m.restarting.lasts(c.m.opts.Now()) {
		return nil, false
	}
	if q.framed {
		switch q.text {
		case wire.Ack[2:]:
			return nil, false
		case wire.SyncAnswer[2:]:
			if c.m.ignoresSync() {
				c.m.held(whySync)
				return nil, false
			}
			return &item{resume: true}, false
		}
	}
	c.framed = q.framed
	a := c.execute(q.text)
	if log := c.m.opts.Log; log != nil {
		log(Command{AtNs: c.m.opts.Now(), Text: q.text, Reply: a.text})
	}
	return &item{bytes: c.reply(q, a.text), stream: a.stream}, a.drop
}

// reply returns a reply as it goes over the link: a frame, or after the echo.
func (c *client) reply(q request, text string) []byte {
	if q.framed {
		return wire.AppendFrame(nil, []byte(text+wire.Prompt))
	}
	s := ""
	if !c.m.opts.NoEcho {
		s = q.text + c.m.echoEnd()
	}
	if text == "" {
		return []byte(s + ">")
	}
	return []byte(s + text + wire.Prompt)
}

func (m *Module) echoEnd() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.setting.script {
		return "\n"
	}
	return "\r\n"
}

// write writes replies and the stream's frames, one Write each.
func (c *client) write(ctx context.Context, w *line) {
	var p sender
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Stop()
		if atNs, ok := p.dueNs(); ok {
			timer.Reset(time.Duration(max(0, atNs-c.m.opts.Now())))
		}
		var err error
		select {
		case <-ctx.Done():
			return
		case it := <-c.out:
			err = c.do(it, w, &p)
		case <-p.ready():
			err = p.send(w, c.m.opts.Now())
		case <-timer.C:
			err = p.send(w, c.m.opts.Now())
		}
		if err != nil {
			return
		}
	}
}

// do writes a reply, and after it the header of the stream that it announced.
func (c *client) do(it item, w *line, p *sender) error {
	if it.resume {
		p.resume(c.m.opts.Now())
		return nil
	}
	if _, err := w.Write(it.bytes); err != nil {
		return err
	}
	if it.stream == nil {
		return nil
	}
	p.begin(it.stream, c.m.opts.Now())
	return w.header(it.stream.header)
}
