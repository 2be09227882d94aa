package sim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"powerd/quarch"
)

// DefaultAddr is where ServeTCP listens unless told otherwise: the port of the
// native protocol.
const DefaultAddr = "127.0.0.1:9760"

// ServeTCP listens on addr (empty = DefaultAddr, port 0 = any) and serves framed
// clients until ctx is done. It returns the address at once; wait returns when
// the last client has been left. More clients at once than Dialect.Clients, and those
// that come while the module starts, are closed unanswered.
func (m *Module) ServeTCP(ctx context.Context, addr string) (bound string, wait func() error, err error) {
	if addr == "" {
		addr = DefaultAddr
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("serve the emulated module: %w; choose another address", err)
	}
	m.mu.Lock()
	m.tcpAddr = ln.Addr().String()
	m.mu.Unlock()
	var wg sync.WaitGroup
	var failed error
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	wg.Go(func() {
		defer stop()
		defer ln.Close()
		failed = m.accept(ctx, ln, &wg)
	})
	return ln.Addr().String(), func() error {
		wg.Wait()
		return failed
	}, nil
}

func (m *Module) accept(ctx context.Context, ln net.Listener, wg *sync.WaitGroup) error {
	for {
		conn, err := ln.Accept()
		switch {
		case ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			if err == nil {
				conn.Close()
			}
			return nil
		case err != nil:
			return fmt.Errorf("accept on %s: %w", ln.Addr(), err)
		}
		if !m.connected() {
			conn.Close()
			continue
		}
		wg.Go(func() {
			defer m.disconnected()
			m.Serve(ctx, conn, quarch.LinkFramed)
		})
	}
}

// connected takes a place for a TCP client; ok is false if there is none.
func (m *Module) connected() (ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.connections >= m.opts.Dialect.Clients || m.restarting.lasts(m.opts.Now()) {
		return false
	}
	m.connections++
	return true
}

func (m *Module) disconnected() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.connections--
}
