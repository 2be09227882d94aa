package lan

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"powerd/quarch"
)

// Port is the TCP port of a module.
const Port = "9760"

// Conn is a connection to a module: an io.ReadWriteCloser.
type Conn struct {
	tcp      net.Conn
	address  string
	hold     hold
	closing  sync.Once
	closeErr error
}

// Dial connects to host or host:port. A module that another process of this machine (or
// this one) has is quarch.ErrBusy.
func Dial(ctx context.Context, address string) (*Conn, error) {
	address = withPort(address)
	h, err := acquire(ctx, address)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		h.release()
		return nil, fmt.Errorf("connect to module %s: %w", address, err)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		if err := tcp.SetNoDelay(true); err != nil {
			h.release()
			return nil, errors.Join(fmt.Errorf("connect to module %s: %w", address, err), c.Close())
		}
	}
	return &Conn{tcp: c, address: address, hold: h}, nil
}

func withPort(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return net.JoinHostPort(address, Port)
}

// Name returns host:port.
func (c *Conn) Name() string { return c.address }

// Read blocks until bytes came, the connection was closed, or it broke.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.tcp.Read(b)
	return n, c.wrap("read", err)
}

// Write writes all of b at once.
func (c *Conn) Write(b []byte) (int, error) {
	n, err := c.tcp.Write(b)
	return n, c.wrap("write", err)
}

func (c *Conn) wrap(verb string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, net.ErrClosed):
		return fmt.Errorf("%s module %s: %w", verb, c.address, quarch.ErrClosed)
	}
	return fmt.Errorf("%s module %s: %w: %w", verb, c.address, quarch.ErrUnplugged, err)
}

// Close unblocks Read. A second call does nothing.
func (c *Conn) Close() error {
	c.closing.Do(func() {
		c.closeErr = c.tcp.Close()
		c.hold.release()
	})
	return c.closeErr
}
