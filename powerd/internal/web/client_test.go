package web

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"powerd/powerd/internal/daemon"
)

// serve answers on a real port until the test ends, and is found by its folder of state.
func serve(t *testing.T, f *fake, state, token string) {
	t.Helper()
	s := newServer(t, f, token)
	claim, err := NewClaim(state)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, claim.Close()); err != nil {
			t.Error(err)
		}
		if _, err := Find(state); !errors.Is(err, ErrNotServing) {
			t.Errorf("it is found after its end: %v", err)
		}
	})
	if _, err := Find(state); !errors.Is(err, ErrNotServing) {
		t.Errorf("it is found before it says where it is: %v", err)
	}
	if err := claim.Publish(Place{URL: "http://" + l.Addr().String(), Benches: []string{"left", "right"}, Runs: "/runs"}, token); err != nil {
		t.Fatal(err)
	}
}

// Another powerd of the machine finds the daemon, with its token where it has one, asks
// for a run, follows it, and, when its user has had enough, interrupts it.
func TestClientFollowsARun(t *testing.T) {
	for _, token := range []string{"", "secret"} {
		state, f := t.TempDir(), &fake{}
		serve(t, f, state, token)
		c, err := Find(state)
		if err != nil {
			t.Fatal(err)
		}
		if !c.Has("left") || c.Has("middle") || c.Place().Pid != os.Getpid() {
			t.Errorf("%+v", c.Place())
		}
		job, err := c.Submit(t.Context(), daemon.RunRequest{Suite: "idle", Bench: "left"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, enough := context.WithCancel(t.Context())
		shown := 0
		last, err := c.Follow(ctx, job.ID, func(j daemon.Job) {
			shown++
			enough() // its user has seen it run
		})
		if err != nil || last.Outcome != "interrupted" || !last.Over() || shown < 2 {
			t.Errorf("%+v, shown %d times, %v", last, shown, err)
		}
	}
}

// What the daemon refuses comes to the client with its status and words.
func TestClientIsRefused(t *testing.T) {
	state := t.TempDir()
	serve(t, &fake{err: daemon.ErrTaken}, state, "")
	c, err := Find(state)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Submit(t.Context(), daemon.RunRequest{Suite: "idle", Bench: "left"})
	refused, ok := errors.AsType[*StatusError](err)
	if !ok || refused.Status != http.StatusConflict || refused.Detail != daemon.ErrTaken.Error() {
		t.Errorf("%v", err)
	}
	_, err = c.Submit(t.Context(), daemon.RunRequest{Suite: "", Bench: "left"})
	if err == nil || !strings.Contains(err.Error(), "suite") {
		t.Errorf("it is not told what is wrong: %v", err)
	}
}

// The token's file is for the daemon's user alone, and goes with it.
func TestTokenFileIsPrivate(t *testing.T) {
	state := t.TempDir()
	serve(t, &fake{}, state, "secret")
	st, err := os.Stat(filepath.Join(state, tokenFile))
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want 0600", st.Mode(), err)
	}
	if place, err := os.ReadFile(filepath.Join(state, placeFile)); err != nil || strings.Contains(string(place), "secret") {
		t.Errorf("the place tells the token: %s %v", place, err)
	}
}

// A folder of state has one daemon. A second one is told which; the files of one that was
// killed hinder nobody.
func TestOneDaemonAFolder(t *testing.T) {
	state := t.TempDir()
	left := `{"pid": 1, "url": "http://127.0.0.1:1", "benches": ["left"]}`
	if err := os.WriteFile(filepath.Join(state, placeFile), []byte(left), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(state); !errors.Is(err, ErrNotServing) {
		t.Errorf("one that was killed is taken for alive: %v", err)
	}
	first, err := NewClaim(state)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if _, err := Find(state); !errors.Is(err, ErrNotServing) {
		t.Errorf("what one left that was killed is taken for the place of the next, which starts: %v", err)
	}
	if err := first.Publish(Place{URL: "http://127.0.0.1:7"}, ""); err != nil {
		t.Fatal(err)
	}
	_, err = NewClaim(state)
	if err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:7") {
		t.Errorf("the second one is told %v", err)
	}
}

// A port that somebody else has is told with what to do.
func TestPortInUse(t *testing.T) {
	s := newServer(t, &fake{}, "")
	l, err := s.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s.o.Listen = l.Addr().String()
	if _, err := s.Listen(t.Context()); err == nil || !strings.Contains(err.Error(), "serve.listen") {
		t.Errorf("%v", err)
	}
}
