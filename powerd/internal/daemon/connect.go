package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"powerd/quarch"
)

const (
	portPoll   = 200 * time.Millisecond // how often a port is looked for
	firstPause = 250 * time.Millisecond // after an attempt that failed; doubled each time
	mostPause  = 5 * time.Second
)

// connect waits for the bench's module and opens it. It returns false when ctx is done.
// While the port is not there it is looked for, and tried as soon as it is. While it is
// there and the module does not answer, or is another one, attempts become rarer; a
// path that leads elsewhere now is tried at once.
func (w *worker) connect(ctx context.Context) (quarch.Module, quarch.Info, bool) {
	poll := time.NewTicker(portPoll)
	defer poll.Stop()
	for ctx.Err() == nil {
		at, err := lookAt(w.bench.Module.Port)
		if err != nil {
			w.tried = ""
			w.waiting(CauseUnplugged, err)
		} else if at != w.tried || w.o.Now() >= w.nextNs {
			if at != w.tried {
				w.afresh(at)
			}
			m, info, err := w.open(ctx)
			if err == nil {
				return m, info, true
			}
			if ctx.Err() == nil {
				w.waiting(causeOf(err), err)
				w.later()
			}
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
		}
	}
	return nil, quarch.Info{}, false
}

// afresh forgets earlier attempts: something else is at the port now.
func (w *worker) afresh(at string) {
	w.tried = at
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pause = 0
}

// later puts the next attempt off. After a stream that brought samples it is due at once.
func (w *worker) later() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nextNs = w.o.Now() + w.pause.Nanoseconds()
	w.pause = min(max(firstPause, 2*w.pause), mostPause)
}

// open tries once. How the module spoke last is tried first, since asking takes longer.
func (w *worker) open(ctx context.Context) (quarch.Module, quarch.Info, error) {
	m, info, err := w.o.Open(ctx, w.bench, w.link)
	w.link = ""
	if err == nil {
		w.link = info.Link
	}
	return m, info, err
}

// lookAt says what is at a port now, so that something else there is told from it; an
// error if nothing is.
func lookAt(port string) (string, error) {
	if strings.HasPrefix(port, "tcp:") {
		return port, nil
	}
	real, err := filepath.EvalSymlinks(port)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("port %s: %w (is the module plugged in?)", port, fs.ErrNotExist)
	}
	if err != nil {
		return "", fmt.Errorf("look at port: %w", err)
	}
	var st unix.Stat_t
	if err := unix.Stat(real, &st); err != nil {
		return "", fmt.Errorf("look at port %s: %w", port, &os.PathError{Op: "stat", Path: real, Err: err})
	}
	return fmt.Sprintf("%s %d %d %d", real, st.Dev, st.Ino, st.Rdev), nil
}
