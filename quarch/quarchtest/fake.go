package quarchtest

import (
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// Piece is a part of what a module sends, after a pause.
type Piece struct {
	After time.Duration
	Text  string
}

// Fake is a module made of memory. Set its fields before Connect. It streams the
// counts of Stripe on the framed link.
type Fake struct {
	Link    string            // quarch.LinkTerminal or quarch.LinkFramed
	Replies map[string]string // by command, in lower case; others are refused

	// Answer, if set, answers a command in its own way, bytes as on the wire;
	// nil leaves it to Replies.
	Answer func(cmd string) []Piece

	Averaging      string        // reply to rec:ave?
	Exponent       byte          // of the header
	PerFrame       int           // stripes in a frame
	Every          time.Duration // between two frames
	SyncEvery      int           // frames; 0 = never
	EndAfter       int           // frames; 0 = not by itself
	EndStatus      wire.Status
	LateOK         time.Duration                    // pause before the reply to rec stop
	Damage         func(frame int, b []byte) []byte // changes the bytes of a frame
	StreamsAlready bool                             // a stream runs from the start

	mu   sync.Mutex
	sent []string
}

// NewFake returns a fake of an HD module with both rails on.
func NewFake(link string) *Fake {
	return &Fake{
		Link: link, Averaging: "16", Exponent: 4, PerFrame: 10, Every: 10 * time.Millisecond, SyncEvery: 4,
		Replies: map[string]string{
			"hello?":              "HD Programmable Power Module",
			"*idn?":               "Family: HD PPM\r\nName: HD Programmable Power Module\r\nPart#: QTL1944\r\nProcessor: QTL1944-02,5.016\r\nSerial#: 1944-02-123\r\nEnclosure#: 1999-05-005",
			"*tst?":               "OK",
			"run:power?":          "ON",
			"run:power up":        "OK",
			"run:power down":      "OK",
			"config:output:mode?": "5V",
			"meas:volt 5v?":       "5010 mV", "meas:cur 5v?": "123.456 mA",
			"meas:volt 12v?": "11990 mV", "meas:cur 12v?": "-0.983 mA",
		},
	}
}

// Stripe returns the counts of the fake's stripe n: mV, µA, mV, µA.
func Stripe(n uint64) [wire.Channels]int32 {
	i := int32(n % 1000)
	return [wire.Channels]int32{5000 + i%7, 500_000 + i, 12_000 - i%5, 250_000 - i}
}

// Sent returns the commands that came so far.
func (f *Fake) Sent() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sent)
}

// Connect returns the host's end of a new connection. The fake ends when it is
// closed.
func (f *Fake) Connect() io.ReadWriteCloser {
	host, module := net.Pipe()
	c := &connection{f: f, conn: module, commands: make(chan string), control: make(chan string), out: make(chan []byte)}
	queue := make(chan []byte)
	go c.read()
	go c.queue(queue)
	go c.write(queue)
	go c.run()
	return host
}

// connection is one connection of a fake. Reading, answering and writing are
// goroutines of their own: a host that writes while it is written to must not
// lock both.
type connection struct {
	f        *Fake
	conn     net.Conn
	commands chan string // closed when the host has gone
	control  chan string // payloads that are no command
	out      chan []byte

	streaming, paused bool
	frames            int
	stripes           uint64
}

func (c *connection) read() {
	defer close(c.commands)
	var frames wire.Deframer
	var line []byte
	buf := make([]byte, 4096)
	for {
		n, err := c.conn.Read(buf)
		if err != nil {
			return
		}
		if c.f.Link == quarch.LinkTerminal {
			line = append(line, buf[:n]...)
			for before, after, found := strings.Cut(string(line), "\n"); found; before, after, found = strings.Cut(after, "\n") {
				c.commands <- strings.TrimRight(before, "\r")
				line = []byte(after)
			}
			continue
		}
		frames.Feed(buf[:n])
		for p, ok := frames.Next(); ok; p, ok = frames.Next() {
			if len(p) == 2 && p[0] == 0xff {
				c.control <- string(p)
			} else {
				c.commands <- strings.TrimRight(string(p), "\r\n")
			}
		}
	}
}

// queue takes what is to be sent without ever blocking its sender.
func (c *connection) queue(to chan<- []byte) {
	defer close(to)
	var waiting [][]byte
	for in := c.out; in != nil || len(waiting) > 0; {
		var send chan<- []byte
		var first []byte
		if len(waiting) > 0 {
			send, first = to, waiting[0]
		}
		select {
		case b, ok := <-in:
			if !ok {
				in = nil
				waiting = nil
				continue
			}
			waiting = append(waiting, b)
		case send <- first:
			waiting = waiting[1:]
		}
	}
}

func (c *connection) write(from <-chan []byte) {
	for b := range from {
		if _, err := c.conn.Write(b); err != nil {
			continue // the host has gone: run ends by the reader
		}
	}
	c.conn.Close()
}

func (c *connection) run() {
	defer close(c.out)
	tick := time.NewTicker(c.f.Every)
	defer tick.Stop()
	c.streaming = c.f.StreamsAlready
	for {
		select {
		case cmd, ok := <-c.commands:
			if !ok {
				return
			}
			c.command(cmd)
		case p := <-c.control:
			if p == wire.SyncAnswer[2:] {
				c.paused = false
			}
		case <-tick.C:
			if c.streaming && !c.paused {
				c.frame()
			}
		}
	}
}

func (c *connection) command(cmd string) {
	if cmd == "" {
		return
	}
	c.f.mu.Lock()
	c.f.sent = append(c.f.sent, cmd)
	c.f.mu.Unlock()
	if c.f.Answer != nil {
		if pieces := c.f.Answer(cmd); pieces != nil {
			for _, p := range pieces {
				<-time.After(p.After)
				c.out <- []byte(p.Text)
			}
			return
		}
	}
	switch low := strings.ToLower(cmd); {
	case low == "rec:ave?":
		c.reply(cmd, c.f.Averaging)
	case strings.HasPrefix(low, "rec:ave "):
		c.f.Averaging = low[len("rec:ave "):]
		c.f.Exponent, _ = wire.ParseAveraging(c.f.Averaging)
		c.reply(cmd, "OK")
	case c.f.Link == quarch.LinkFramed && c.streamControl(low):
	default:
		reply, known := c.f.Replies[low]
		if !known {
			reply = "FAIL: 0x12 -Unknown command"
		}
		c.reply(cmd, reply)
	}
}

// streamControl takes the commands of a stream.
func (c *connection) streamControl(cmd string) bool {
	switch cmd {
	case "conf stream enable on":
		c.reply(cmd, "OK")
	case "rec stream?":
		c.reply(cmd, map[bool]string{true: "Running", false: "Stopped"}[c.streaming])
	case "rec stream":
		c.reply(cmd, "OK")
		c.streaming, c.paused, c.frames, c.stripes = true, false, 0, 0
		c.out <- wire.AppendFrame(nil, wire.AppendHeader(nil, wire.Header{Version: 5, Mask: wire.MaskAll, Exponent: c.f.Exponent}))
	case "rec stop":
		<-time.After(c.f.LateOK)
		c.reply(cmd, "OK")
		c.streaming = false
		c.out <- wire.AppendFrame(nil, []byte{byte(wire.StatusEnd)})
	default:
		return false
	}
	return true
}

func (c *connection) frame() {
	var payload []byte
	for range c.f.PerFrame {
		x := Stripe(c.stripes)
		payload = wire.AppendStripe(payload, wire.MaskAll, x[0], x[1], x[2], x[3])
		c.stripes++
	}
	c.frames++
	switch {
	case c.frames == c.f.EndAfter:
		payload = append(payload, byte(c.f.EndStatus))
		c.streaming = false
	case c.f.SyncEvery > 0 && c.frames%c.f.SyncEvery == 0:
		payload = append(payload, byte(wire.StatusSync))
		c.paused = true
	}
	b := wire.AppendFrame(nil, payload)
	if c.f.Damage != nil {
		b = c.f.Damage(c.frames, b)
	}
	c.out <- b
}

func (c *connection) reply(cmd, text string) {
	if c.f.Link == quarch.LinkTerminal {
		c.out <- []byte(cmd + "\r\n" + text + "\r\n>")
		return
	}
	c.out <- wire.AppendFrame(nil, []byte(text+"\r\n>"))
}
