package emu

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/hostcmd"
)

const (
	startTimeout = 20 * time.Second
	truthTimeout = 60 * time.Second
	stopTimeout  = 10 * time.Second
)

// Twin is a running child.
type Twin struct {
	Ready
	dir   string
	child *hostcmd.Child
	lines *bufio.Reader
}

// Start starts `powerd ARGS…`, which must run Serve with its drive in dir, and
// returns when the twin is there.
func Start(ctx context.Context, dir string, args ...string) (*Twin, error) {
	child, err := hostcmd.Self(args...)
	if err != nil {
		return nil, err
	}
	t := &Twin{dir: dir, child: child, lines: bufio.NewReader(child.Out)}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := t.receive(ctx, &t.Ready); err != nil {
		_ = child.Stop(ctx) // err has its last words
		return nil, errors.Join(err, catalog.ClearTwin(dir))
	}
	return t, nil
}

// Truth asks what really happened.
func (t *Twin) Truth(ctx context.Context, q Request) (Truth, error) {
	ctx, cancel := context.WithTimeout(ctx, truthTimeout)
	defer cancel()
	var out Truth
	b, err := json.Marshal(q)
	if err != nil {
		return out, fmt.Errorf("ask the twin: %w", err)
	}
	if _, err := t.child.In.Write(append(b, '\n')); err != nil {
		return out, t.gone(ctx, err)
	}
	return out, t.receive(ctx, &out)
}

// receive reads one line of the child.
func (t *Twin) receive(ctx context.Context, v any) error {
	type answer struct {
		line []byte
		err  error
	}
	got := make(chan answer, 1)
	go func() { // ends with the child's output at the latest
		line, err := t.lines.ReadBytes('\n')
		got <- answer{line, err}
	}()
	select {
	case a := <-got:
		if a.err != nil {
			return t.gone(ctx, a.err)
		}
		return json.Unmarshal(a.line, v)
	case <-ctx.Done():
		return fmt.Errorf("wait for the twin: %w", context.Cause(ctx))
	}
}

// gone says why the child takes no questions or gives no answers any more: what it
// died of, or err if that cannot be known.
func (t *Twin) gone(ctx context.Context, err error) error {
	select {
	case <-t.child.Done():
		if died := t.child.Err(); died != nil {
			return fmt.Errorf("the twin has ended: %w", died)
		}
		return errors.New("the twin has ended by itself")
	case <-ctx.Done():
		return fmt.Errorf("talk to the twin: %w", err)
	}
}

// Close ends the child, which takes the drive's file away; where it could not,
// Close does. It is idempotent.
func (t *Twin) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	return errors.Join(t.child.Stop(ctx), catalog.ClearTwin(t.dir))
}
