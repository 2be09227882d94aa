package supply

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// insist keeps this process from being ended by signals that people and services send
// to programs that take long: a drive would stay without power. What cannot be waited for
// is bounded by a time of its own, and SIGQUIT and SIGKILL end it as ever.
func insist() (done func()) {
	asks := []os.Signal{os.Interrupt, unix.SIGTERM}
	if !signal.Ignored(unix.SIGHUP) { // under nohup it stays ignored
		asks = append(asks, unix.SIGHUP)
	}
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, asks...)
	return func() { signal.Stop(heard) }
}
