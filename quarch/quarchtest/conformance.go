package quarchtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
)

// Subject is an opened module under test. The suite closes it.
type Subject struct {
	Module quarch.Module
	Sent   func() []string // commands that reached the module so far; nil = not known
}

// patience bounds every wait of the suite: a driver that needs it has failed.
const patience = 30 * time.Second

// Run checks a driver. Each case opens a module of its own, which must stream at
// least five blocks within 30 s.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) { c.run(t, opened(t, open)) })
	}
}

// RunInBubble is Run in virtual time. open and what it starts must end with the
// module's Close and t's cleanup.
func RunInBubble(t *testing.T, open func(t *testing.T) Subject) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.run(t, opened(t, open)) })
		})
	}
}

func opened(t *testing.T, open func(t *testing.T) Subject) Subject {
	s := open(t)
	t.Cleanup(func() { closed(t, s) })
	return s
}

func closed(t *testing.T, s Subject) {
	if err := s.Module.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

type testCase struct {
	name string
	run  func(t *testing.T, s Subject)
}

func cases() []testCase {
	return []testCase{
		{"blocks follow each other", blocksFollow},
		{"blocks are lent for one iteration", blocksAreLent},
		{"the end of the context ends the stream without an error", contextEnds},
		{"a context that has ended starts nothing", endedContext},
		{"leaving the loop stops the module, and it streams again", leaveAndStreamAgain},
		{"one stream at a time", oneStream},
		{"info while streaming", infoWhileStreaming},
		{"close ends a stream that waits", closeEndsStream},
		{"close twice", closeTwice},
		{"looking never touches the drive", neverTouches},
	}
}

// collect takes n blocks as they should be kept: cloned.
func collect(t *testing.T, m quarch.Module, n int) []*quarch.Block {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var kept []*quarch.Block
	for b, err := range m.Stream(ctx) {
		if err != nil {
			t.Fatalf("stream: %v", err)
		}
		kept = append(kept, b.Clone())
		if len(kept) == n {
			break
		}
	}
	if len(kept) < n {
		t.Fatalf("stream ended after %d blocks without an error, want %d", len(kept), n)
	}
	return kept
}

func blocksFollow(t *testing.T, s Subject) {
	next, readAtNs := uint64(0), int64(0)
	for i, b := range collect(t, s.Module, 5) {
		if b.First != next+b.Lost {
			t.Errorf("block %d starts at stripe %d, want %d after %d lost", i, b.First, next+b.Lost, b.Lost)
		}
		next = b.End()
		if b.ReadAtNs < readAtNs {
			t.Errorf("block %d was read at %d ns, before the one before it (%d ns)", i, b.ReadAtNs, readAtNs)
		}
		readAtNs = b.ReadAtNs
		checkShape(t, i, b)
	}
}

func checkShape(t *testing.T, i int, b *quarch.Block) {
	t.Helper()
	if b.Len() == 0 || len(b.Traces) == 0 {
		t.Fatalf("block %d has %d stripes on %d rails", i, b.Len(), len(b.Traces))
	}
	for _, tr := range b.Traces {
		if len(tr.V) != b.Len() || len(tr.A) != b.Len() {
			t.Errorf("block %d, rail %s: %d volts and %d amperes, want %d", i, tr.Rail, len(tr.V), len(tr.A), b.Len())
		}
		if tr.LSBVolts <= 0 || tr.LSBAmps <= 0 {
			t.Errorf("block %d, rail %s: LSB %g V, %g A, want positive ones", i, tr.Rail, tr.LSBVolts, tr.LSBAmps)
		}
	}
	polled := b.PeriodNs == 0
	if polled != (len(b.AtNs) == b.Len()) {
		t.Errorf("block %d: period %d ns and %d poll times for %d stripes", i, b.PeriodNs, len(b.AtNs), b.Len())
	}
}

// The suite writes over each block after its iteration. What it writes must not
// come back.
func blocksAreLent(t *testing.T, s Subject) {
	const scribble = 0x5a5a5a5a
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	n := 0
	for b, err := range s.Module.Stream(ctx) {
		if err != nil {
			t.Fatalf("stream: %v", err)
		}
		for _, tr := range b.Traces {
			for _, col := range [][]int32{tr.V, tr.A} {
				if slices.Contains(col, scribble) {
					t.Fatalf("block %d holds what was written into an earlier one", n)
				}
				for i := range col {
					col[i] = scribble
				}
			}
		}
		b.First, b.Lost = scribble, scribble
		if n++; n == 5 {
			break
		}
	}
}

func contextEnds(t *testing.T, s Subject) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	n := 0
	for _, err := range s.Module.Stream(ctx) {
		if err != nil {
			t.Fatalf("after %d blocks: %v", n, err)
		}
		if n++; n == 3 {
			cancel()
		}
	}
	if n < 3 {
		t.Errorf("%d blocks before the end, want 3 at least", n)
	}
}

func endedContext(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for b, err := range s.Module.Stream(ctx) {
		t.Errorf("got block %v, error %v; want nothing", b, err)
	}
}

func leaveAndStreamAgain(t *testing.T, s Subject) {
	collect(t, s.Module, 2)
	if b := collect(t, s.Module, 1)[0]; b.First != b.Lost {
		t.Errorf("the second stream starts at stripe %d with %d lost, want 0", b.First, b.Lost)
	}
}

func oneStream(t *testing.T, s Subject) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, err := range s.Module.Stream(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		refused := false
		for _, err := range s.Module.Stream(ctx) {
			refused = err != nil
			break
		}
		if !refused {
			t.Error("a second stream began beside the first")
		}
		break
	}
}

func infoWhileStreaming(t *testing.T, s Subject) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var wait sync.WaitGroup
	defer wait.Wait()
	asked := make(chan error, 1)
	n := 0
	for b, err := range s.Module.Stream(ctx) {
		if err != nil {
			t.Fatalf("after %d blocks: %v", n, err)
		}
		if n++; n == 1 {
			rails := len(b.Traces)
			wait.Go(func() {
				info, err := s.Module.Info(ctx)
				if err == nil && (info.Driver == "" || len(info.Rails) != rails) {
					t.Errorf("info %+v for %d rails", info, rails)
				}
				asked <- err
			})
		}
		select {
		case err := <-asked:
			if err != nil {
				t.Errorf("info: %v", err)
			}
			cancel()
		default:
		}
	}
}

func closeEndsStream(t *testing.T, s Subject) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var wait sync.WaitGroup
	defer wait.Wait()
	n := 0
	for _, err := range s.Module.Stream(ctx) {
		if err != nil {
			if !errors.Is(err, quarch.ErrClosed) {
				t.Errorf("the stream ended with %v, want ErrClosed", err)
			}
			return
		}
		if n++; n == 1 {
			wait.Go(func() { closed(t, s) })
		}
	}
	t.Error("the stream ended without an error, want ErrClosed")
}

func closeTwice(t *testing.T, s Subject) {
	if err := s.Module.Close(); err != nil {
		t.Errorf("first close: %v", err)
	}
	if err := s.Module.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if _, err := s.Module.Info(t.Context()); err == nil {
		t.Error("info after close: no error")
	}
}

func neverTouches(t *testing.T, s Subject) {
	if s.Sent == nil {
		t.Skip("what this module was sent is not known")
	}
	if _, err := s.Module.Info(t.Context()); err != nil {
		t.Fatal(err)
	}
	collect(t, s.Module, 2)
	if err := s.Module.Close(); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range s.Sent() {
		if !harmless(cmd) {
			t.Errorf("the module was sent %q", cmd)
		}
	}
}

// harmless reports whether a command is a query or stream control.
func harmless(cmd string) bool {
	cmd = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(cmd), ":", " "))
	return cmd == "" || strings.HasSuffix(cmd, "?") ||
		cmd == "conf stream enable on" || cmd == "rec stream" || cmd == "rec stop" || strings.HasPrefix(cmd, "rec ave ")
}
