package systemd_test

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	"powerd/powerd/internal/systemd"
)

// manager is a service manager that listens on a socket.
func manager(t *testing.T) (path string, hear func() string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "n") // a socket's path is short
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return path, func() string {
		b := make([]byte, 4096)
		if err := l.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		n, err := l.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
}

func env(m map[string]string) func(string) string { return func(k string) string { return m[k] } }

// The manager hears that powerd is ready and that it stops; with a watchdog of 20 ms it
// hears that powerd lives, and before each time powerd was asked whether it does.
func TestManagerHears(t *testing.T) {
	path, hear := manager(t)
	m := systemd.FromEnv(env(map[string]string{"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "42"}), 42)
	if err := m.Tell(systemd.Ready, "STATUS=two benches"); err != nil {
		t.Fatal(err)
	}
	if got, want := hear(), "READY=1\nSTATUS=two benches"; got != want {
		t.Errorf("heard %q, want %q", got, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	asked, ended := make(chan struct{}, 100), make(chan error, 1)
	go func() { ended <- m.Watch(ctx, func() { asked <- struct{}{} }) }()
	if got := hear(); got != "WATCHDOG=1" {
		t.Errorf("heard %q", got)
	}
	if len(asked) == 0 {
		t.Error("powerd was not asked whether it lives")
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Without a manager, or where its watchdog is for another process, nothing is told.
func TestNobodyHears(t *testing.T) {
	for name, e := range map[string]map[string]string{
		"no manager":                {"WATCHDOG_USEC": "20000"},
		"watchdog of another child": {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "41"},
		"no watchdog":               {"NOTIFY_SOCKET": "/nowhere"},
	} {
		if err := systemd.FromEnv(env(e), 42).Watch(t.Context(), func() { t.Errorf("%s: asked", name) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (systemd.Manager{}).Tell(systemd.Stopping); err != nil {
		t.Error(err)
	}
}
