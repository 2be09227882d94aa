package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"powerd/quarch"
	"powerd/quarch/lan"
	"powerd/quarch/ppm"
	"powerd/quarch/tty"
)

// ModuleOptions say where a module is and how to talk to it.
type ModuleOptions struct {
	Port    string // device path, or "tcp:HOST[:PORT]"
	Link    string // quarch.LinkTerminal, quarch.LinkFramed, "" = find out
	Baud    int    // of a serial port; 0 = 19200
	DTR     *bool  // of a serial port while it is opened; both nil = left alone
	RTS     *bool
	Timeout time.Duration
	Now     func() int64
	Log     *slog.Logger
}

// OpenModule opens the module on a serial port, a pseudo-terminal or the network.
// It sends queries only.
func OpenModule(ctx context.Context, o ModuleOptions) (quarch.Module, error) {
	conn, budget, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	link := o.Link
	if _, isTCP := tcpHost(o.Port); isTCP {
		link = quarch.LinkFramed
	}
	m, err := ppm.Open(ctx, ppm.Options{
		Conn: conn, Port: o.Port, Link: link, Now: o.Now, Log: o.Log, Timeout: o.Timeout, BaudForBudget: budget,
	})
	if err != nil {
		return nil, err // not a Module that holds none
	}
	return m, nil
}

// connect opens what carries the bytes; budget is the line's speed in bits per
// second where it is one.
func connect(ctx context.Context, o ModuleOptions) (conn io.ReadWriteCloser, budget int, err error) {
	if host, ok := tcpHost(o.Port); ok {
		conn, err = lan.Dial(ctx, host)
		return conn, 0, err
	}
	baud := o.Baud
	if baud == 0 {
		baud = tty.DefaultBaud
	}
	port, err := tty.Open(o.Port, tty.Options{Baud: baud, DTR: o.DTR, RTS: o.RTS})
	if err != nil {
		return nil, 0, err
	}
	if real, err := filepath.EvalSymlinks(o.Port); err == nil && strings.HasPrefix(real, "/dev/pts/") {
		baud = 0 // a pseudo-terminal has no speed
	}
	return port, baud, nil
}

func tcpHost(port string) (string, bool) { return strings.CutPrefix(port, "tcp:") }

// Found is a module that answered, or a port that nothing known answers on.
type Found struct {
	Port string
	Info quarch.Info
	Err  error // why there is no Info
}

// FindModules asks who is there: on o.Port if one is named, else on every serial
// port that may be one, and by broadcast on the network. It sends queries only.
func FindModules(ctx context.Context, o ModuleOptions, broadcast string) ([]Found, error) {
	if o.Port != "" {
		return []Found{ask(ctx, o)}, nil
	}
	ports, err := tty.List()
	if err != nil {
		return nil, fmt.Errorf("list serial ports: %w", err)
	}
	var found []Found
	for _, p := range ports {
		o.Port = p.Path
		found = append(found, ask(ctx, o))
	}
	hosts, err := lan.Discover(ctx, broadcast)
	if err != nil {
		return found, err
	}
	for _, h := range hosts {
		o.Port = "tcp:" + h.Address
		found = append(found, ask(ctx, o))
	}
	return found, nil
}

func ask(ctx context.Context, o ModuleOptions) Found {
	f := Found{Port: o.Port}
	m, err := OpenModule(ctx, o)
	if err != nil {
		f.Err = err
		return f
	}
	f.Info, f.Err = m.Info(ctx)
	f.Err = errors.Join(f.Err, m.Close())
	return f
}
