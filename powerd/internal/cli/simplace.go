package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"powerd/powerd/internal/catalog"
)

// simPlace is where an emulated module shows itself beside its pseudo-terminal.
type simPlace struct {
	link, log string

	port atomic.Pointer[string] // the pseudo-terminal that the link leads to
}

// show makes the link, if one is wanted, and returns what clients open.
func (p *simPlace) show(port string) (shown string, unlink func(), err error) {
	if p.link == "" {
		return port, func() {}, nil
	}
	if err := p.make(port); err != nil {
		return port, func() {}, err
	}
	p.port.Store(&port)
	return p.link, func() {
		if to, err := os.Readlink(p.link); err == nil && to == *p.port.Load() { // not somebody else's by now
			os.Remove(p.link)
		}
	}, nil
}

// make makes the link. One that leads nowhere is what an emulated module left that was
// killed, and gives way.
func (p *simPlace) make(port string) error {
	err := os.Symlink(port, p.link)
	if !errors.Is(err, fs.ErrExist) {
		if err != nil {
			return usage("link to the module: %w; is there a folder that it may be made in?", err)
		}
		return nil
	}
	to, isLink := os.Readlink(p.link)
	if isLink != nil {
		return usage("link to the module: %s is there already, and is no link; name another place with --symlink", p.link)
	}
	if _, err := os.Stat(p.link); !errors.Is(err, fs.ErrNotExist) {
		return usage("link to the module: %s is there already, and leads to %s; if nobody uses that any more: rm %s", p.link, to, p.link)
	}
	if err := os.Remove(p.link); err != nil {
		return usage("link to the module: %w", err)
	}
	return asUsage(os.Symlink(port, p.link))
}

// moved lets the link point to where the module came back.
func (p *simPlace) moved(port string) {
	if p.link == "" {
		return
	}
	next := p.link + ".moved"
	if os.Symlink(port, next) != nil || os.Rename(next, p.link) != nil { // nothing is lost but the link
		os.Remove(next)
		return
	}
	p.port.Store(&port)
}

// keepLog lets o write every command to a file, each line at once: a reader looks while
// the module runs.
func (p *simPlace) keepLog(o *catalog.SimOptions) (closeLog func() error, err error) {
	if p.log == "" {
		return func() error { return nil }, nil
	}
	f, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, usage("log of commands: %w", err)
	}
	var mu sync.Mutex
	var failed error
	o.Log = func(c catalog.SimCommand) {
		line, err := json.Marshal(struct {
			MonoNs  int64  `json:"mono_ns"`
			Command string `json:"command"`
			Reply   string `json:"reply"`
		}{c.AtNs, c.Text, c.Reply})
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			_, err = f.Write(append(line, '\n'))
		}
		if err != nil && failed == nil {
			failed = fmt.Errorf("log of commands: %w", err)
		}
	}
	return func() error {
		mu.Lock()
		defer mu.Unlock()
		return errors.Join(failed, f.Close())
	}, nil
}
