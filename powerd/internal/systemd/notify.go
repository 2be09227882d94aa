package systemd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// Words for the manager.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
	alive    = "WATCHDOG=1"
)

// Manager is the service manager that started this process.
type Manager struct {
	socket string        // "" = there is none
	watch  time.Duration // how often it wants to hear that we live; 0 = never
}

// FromEnv finds the manager in the environment.
func FromEnv(get func(string) string, pid int) Manager {
	m := Manager{socket: get("NOTIFY_SOCKET")}
	if p := get("WATCHDOG_PID"); p != "" && p != strconv.Itoa(pid) {
		return m
	}
	if us, err := strconv.ParseInt(get("WATCHDOG_USEC"), 10, 64); err == nil && us > 0 {
		m.watch = time.Duration(us) * time.Microsecond
	}
	return m
}

// Tell sends words to the manager, one a line.
func (m Manager) Tell(words ...string) error {
	if m.socket == "" {
		return nil
	}
	name := m.socket
	if rest, ok := strings.CutPrefix(name, "@"); ok { // the abstract name space
		name = "\x00" + rest
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("tell the service manager: %w", err)
	}
	_, err = c.Write([]byte(strings.Join(words, "\n")))
	if err := errors.Join(err, c.Close()); err != nil {
		return fmt.Errorf("tell the service manager: %w", err)
	}
	return nil
}

// Watch tells the manager that we live, as often as it wants to know, until ctx is done.
// Each time lives is called first: if it does not return, nothing is told.
func (m Manager) Watch(ctx context.Context, lives func()) error {
	if m.socket == "" || m.watch == 0 {
		return nil
	}
	t := time.NewTicker(m.watch / 2)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			lives()
			if err := m.Tell(alive); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}
