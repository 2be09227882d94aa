package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/runs"
	"powerd/powerd/internal/watch"
)

func (a *app) watchCmd() *cobra.Command {
	var set *settings
	var out string
	var once, asJSON bool
	c := &cobra.Command{
		Use:   "watch [DIR]",
		Short: "Watch a run from another shell",
		Long: `watch shows where a run stands: its steps with the time left, what the rails carry,
the watts of the last ten minutes, and warnings. It reads the run's files only, and
ends with the run: with 0 if that completed, else with 1. DIR is the run's folder;
without it, the one that is under way.

On a terminal the picture is written over once a second; elsewhere it is a line
every ten seconds.`,
		Example: `  powerd watch
  powerd watch runs/20261130T201500.000Z-first-look-X1 --once
  powerd watch --json`,
		Args: args(0, 1, "the folder of a run"),
		RunE: func(c *cobra.Command, dirs []string) error {
			dir, err := a.watched(set, out, dirs)
			if err != nil {
				return asUsage(err)
			}
			w := watch.New(dir)
			if once || asJSON {
				return a.watchOnce(w, asJSON)
			}
			return a.watch(c.Context(), w)
		},
	}
	set = addSettings(c, nil)
	c.Flags().StringVar(&out, "out", "", "folder of runs (default that of the settings)")
	c.Flags().BoolVar(&once, "once", false, "show it once and end")
	c.Flags().BoolVar(&asJSON, "json", false, "print the status as JSON, once")
	return c
}

// watched returns the folder of the run that is meant.
func (a *app) watched(set *settings, out string, dirs []string) (string, error) {
	if len(dirs) > 0 {
		r, err := runs.Open(dirs[0])
		return r.Dir, err
	}
	root, err := runsFolder(set, out)
	if err != nil {
		return "", err
	}
	r, err := runs.Current(root)
	return r.Dir, err
}

// runsFolder is the folder of runs: as the flag says, else the settings.
func runsFolder(set *settings, out string) (string, error) {
	if out != "" {
		return out, nil
	}
	cfg, err := set.read()
	if err != nil {
		return "", err
	}
	return cfg.Out, nil
}

func (a *app) watchOnce(w *watch.Watcher, asJSON bool) error {
	v, err := w.Look()
	if err != nil {
		return asUsage(err)
	}
	if asJSON {
		return a.json(v.Status)
	}
	width, height := screenSize(a.out)
	for _, line := range watch.Screen(v, width, height) {
		fmt.Fprintln(a.out, line)
	}
	if v.Ended() {
		fmt.Fprintln(a.out, watch.Outcome(v))
	}
	return nil
}

func (a *app) watch(ctx context.Context, w *watch.Watcher) error {
	show := (&watchLines{w: a.out, warned: map[string]bool{}}).show
	resized := make(chan os.Signal, 1)
	if isTerminal(a.out) {
		show = (&watchScreen{w: a.out}).show
		signal.Notify(resized, unix.SIGWINCH)
		defer signal.Stop(resized)
	}
	v, err := w.Follow(ctx, resized, show)
	switch {
	case err != nil:
		return quiet(ctx, err)
	case v.Status.Outcome != results.Completed:
		return errors.New(watch.Outcome(v))
	}
	_, err = fmt.Fprintln(a.out, watch.Outcome(v))
	return err
}

// watchScreen writes a run over itself.
type watchScreen struct {
	w             io.Writer
	lines         int // of the last picture
	width, height int // it was drawn for
}

func (s *watchScreen) show(v watch.View) error {
	width, height := screenSize(s.w)
	lines := watch.Screen(v, width, height-1) // the cursor has the last one
	var b bytes.Buffer
	switch {
	case s.lines > 0 && (width != s.width || height != s.height): // what was drawn is wrapped anyhow
		b.WriteString("\x1b[H\x1b[2J")
	case s.lines > 0:
		fmt.Fprintf(&b, "\x1b[%dA\r", s.lines)
	}
	for _, line := range lines {
		b.WriteString(line + "\x1b[K\r\n")
	}
	b.WriteString("\x1b[J")
	s.lines, s.width, s.height = len(lines), width, height
	_, err := s.w.Write(b.Bytes())
	return err
}

// watchLines writes a run as lines: a log stays a log.
type watchLines struct {
	w      io.Writer
	next   time.Time
	warned map[string]bool // what was told already
}

const watchLineEvery = 10 * time.Second

func (l *watchLines) show(v watch.View) error {
	var b bytes.Buffer
	for _, w := range v.Status.Warnings {
		if !l.warned[w.Text] {
			l.warned[w.Text] = true
			fmt.Fprintln(&b, "warning:", watch.Clean(w.Text))
		}
	}
	if now := time.Now(); !now.Before(l.next) && !v.Ended() {
		l.next = now.Add(watchLineEvery)
		if v.Silent > 0 {
			fmt.Fprintln(&b, watch.Silence(v))
		} else {
			fmt.Fprintln(&b, watch.Line(v.Status))
		}
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := l.w.Write(b.Bytes())
	return err
}

// screenSize is that of the terminal w, or that of a page.
func screenSize(w io.Writer) (width, height int) {
	if width, height, ok := terminalSize(w); ok {
		return width, height
	}
	return 100, 40
}
