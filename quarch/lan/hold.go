package lan

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"powerd/quarch"
)

// hold keeps other processes of this machine from a module, which would answer them too
// and mix their commands with ours: names among the kernel's sockets, which go with the
// process that has them.
type hold []net.Listener

// acquire takes an address under all numbers that it has. One that cannot be looked up
// is left to Dial to complain of.
func acquire(ctx context.Context, address string) (hold, error) {
	host, port, split := net.SplitHostPort(address)
	numbers, lookup := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if split != nil || lookup != nil {
		numbers = nil
	}
	var h hold
	for _, ip := range numbers {
		name := "@powerd-module/" + net.JoinHostPort(ip.Unmap().String(), port)
		var lc net.ListenConfig
		l, err := lc.Listen(ctx, "unix", name)
		switch {
		case errors.Is(err, unix.EADDRINUSE):
			h.release()
			return nil, fmt.Errorf("connect to module %s: %w%s", address, quarch.ErrBusy, holder(ctx, name, address))
		case err != nil:
			h.release()
			return nil, fmt.Errorf("connect to module %s: keep others from it: %w", address, err)
		}
		h = append(h, l)
	}
	return h, nil
}

func (h hold) release() {
	for _, l := range h {
		_ = l.Close()
	}
}

// holder asks the kernel who has a name.
func holder(ctx context.Context, name, address string) string {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", name)
	if err != nil {
		return ": another powerd holds " + address
	}
	defer c.Close()
	pid := 0
	if u, ok := c.(*net.UnixConn); ok {
		if raw, err := u.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) {
				if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
					pid = int(cred.Pid)
				}
			})
		}
	}
	switch pid {
	case 0:
		return ": another powerd holds " + address
	case os.Getpid():
		return fmt.Sprintf(": this process (pid %d) already holds %s", pid, address)
	}
	return fmt.Sprintf(": pid %d holds %s", pid, address)
}
