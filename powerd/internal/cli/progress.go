package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/watch"
)

// progress shows a run while it runs: one line that is written over on a
// terminal, else a plain line at each step and once a minute.
type progress struct {
	w     io.Writer
	tty   bool
	width int

	mu       sync.Mutex
	step     string
	lastLine time.Duration
	shown    bool
}

func newProgress(w io.Writer) *progress {
	return &progress{w: w, tty: isTerminal(w), width: terminalWidth(w)}
}

// show is called once a second.
func (p *progress) show(s measure.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := watch.Line(s)
	if p.tty {
		if r := []rune(line); len(r) > p.width-1 {
			line = string(r[:p.width-1])
		}
		fmt.Fprintf(p.w, "\r\x1b[2K%s", line)
		p.shown = true
		return
	}
	elapsed := time.Duration(s.ElapsedS * float64(time.Second))
	switch {
	case s.Step != p.step: // what the last second drew was of the step before
		line = watch.Head(s)
	case elapsed-p.lastLine < time.Minute:
		return
	}
	p.step, p.lastLine = s.Step, elapsed
	fmt.Fprintln(p.w, line)
}

// end leaves the live line so that what follows starts on its own.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprintln(p.w)
		p.shown = false
	}
}

// about is a duration as a person wants to know it.
func about(d time.Duration) string { return watch.About(d) }
