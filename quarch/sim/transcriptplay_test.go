package sim

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// player plays one section of a transcript.
type player struct {
	t    *testing.T
	path string

	m       *Module
	load    *ConstantLoad
	link    string
	clients map[string]net.Conn
	now     string // the client that speaks
	answer  string // to the last datagram
}

func (p *player) play(s section) {
	for i := 0; i < len(s.turns); i++ {
		st := s.turns[i]
		for st.kind == "<" && i+1 < len(s.turns) && s.turns[i+1].kind == "<" {
			i++
			st.text += s.turns[i].text
		}
		if err := p.take(st); err != nil {
			p.t.Fatalf("%s:%d: %v", p.path, st.line, err)
		}
	}
	for name, conn := range p.clients {
		if rest, err := p.read(conn, make([]byte, 64<<10), time.Millisecond); len(rest) > 0 {
			p.t.Errorf("%s: at the end %q was left over for client %q (%v)", p.path, rest, name, err)
		}
	}
}

func (p *player) take(s turn) error {
	switch s.kind {
	case "@":
		words := strings.Fields(s.text)
		return p.directive(words[0], strings.TrimSpace(strings.TrimPrefix(s.text, words[0])))
	case ">":
		return p.write(s.text)
	case ">>":
		return p.write(string(wire.AppendFrame(nil, []byte(s.text))))
	case "<":
		return p.expect(s.text)
	}
	return p.expectFrame(string(wire.AppendFrame(nil, []byte(s.text))))
}

// directive carries out the words of an "@" line.
func (p *player) directive(verb, rest string) (err error) {
	switch verb {
	case "module":
		return p.newModule(rest)
	case "link":
		p.link, p.now = rest, ""
		delete(p.clients, "")
	case "client":
		p.now = rest
	case "wait":
		d, err := time.ParseDuration(rest)
		pass(d)
		return err
	case "quiet":
		return p.quiet(rest)
	case "closed":
		if got, err := p.read(p.client(), make([]byte, 64<<10), time.Second); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
			return errors.Join(fmt.Errorf("got %q, want the link closed", got), err)
		}
		delete(p.clients, p.now)
	case "load":
		rail, values, _ := strings.Cut(rest, "=")
		var mv, ua int
		_, err = fmt.Sscanf(values, "%d,%d", &mv, &ua)
		p.m.mu.Lock()
		defer p.m.mu.Unlock()
		p.load.become(p.m.opts.Now(), rail, mv, ua)
	default:
		return fmt.Errorf("no directive %q", verb)
	}
	return err
}

// become makes a rail carry something else from atNs on.
func (l *ConstantLoad) become(atNs int64, rail string, milliVolts, microAmps int) {
	s := l.steps[len(l.steps)-1]
	s.atNs, s.mv, s.ua = atNs, maps.Clone(s.mv), maps.Clone(s.ua)
	s.mv[rail], s.ua[rail] = milliVolts, microAmps
	l.steps = append(l.steps, s)
}

func (p *player) newModule(words string) error {
	o, err := moduleOf(words)
	if err != nil {
		return err
	}
	o.Now = virtualNow()
	p.load = oneDrive()
	p.m, p.link, p.clients = New(o, p.load), "terminal", map[string]net.Conn{}
	return nil
}

// client returns the connection of the client that speaks.
func (p *player) client() net.Conn {
	if conn := p.clients[p.now]; conn != nil {
		return conn
	}
	link := map[string]string{"terminal": quarch.LinkTerminal, "framed": quarch.LinkFramed}[p.link]
	p.clients[p.now] = connect(p.t, p.m, link)
	return p.clients[p.now]
}

// answerTime is how long an answer is waited for, in virtual time.
const answerTime = 10 * time.Second

func (p *player) write(text string) error {
	if p.link == "discovery" {
		p.answer = string(p.m.discovered([]byte(text)))
		return nil
	}
	conn := p.client()
	if err := conn.SetWriteDeadline(time.Now().Add(answerTime)); err != nil {
		return err
	}
	_, err := io.WriteString(conn, text)
	return err
}

// read reads once.
func (p *player) read(conn net.Conn, buf []byte, patience time.Duration) ([]byte, error) {
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	n, err := conn.Read(buf)
	return buf[:n], err
}

// expect expects bytes, in any number of writes.
func (p *player) expect(want string) error {
	if p.link == "discovery" {
		if p.answer != want {
			return fmt.Errorf("the module sent\n\t%q, want\n\t%q", p.answer, want)
		}
		return nil
	}
	var got []byte
	buf := make([]byte, 64<<10)
	for len(got) < len(want) {
		b, err := p.read(p.client(), buf[:len(want)-len(got)], answerTime)
		got = append(got, b...)
		if err != nil || !strings.HasPrefix(want, string(got)) {
			return errors.Join(fmt.Errorf("the module sent\n\t%q, want\n\t%q", got, want), err)
		}
	}
	return nil
}

// expectFrame expects bytes in one write.
func (p *player) expectFrame(want string) error {
	got, err := p.read(p.client(), make([]byte, 64<<10), answerTime)
	if string(got) != want {
		return errors.Join(fmt.Errorf("the module wrote\n\t%q, want at once\n\t%q", got, want), err)
	}
	return nil
}

func (p *player) quiet(span string) error {
	d, err := time.ParseDuration(span)
	if err != nil {
		return err
	}
	if got, err := p.read(p.client(), make([]byte, 64<<10), d); !errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.Join(fmt.Errorf("the module sent %q, want nothing", got), err)
	}
	return nil
}
