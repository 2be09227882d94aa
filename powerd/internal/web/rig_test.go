package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"powerd/powerd/internal/config"
	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/live"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/runs"
	"powerd/quarch"
)

// fake is a daemon of two benches: left records, right waits for its module. A run that
// is asked for is under way until it is canceled.
type fake struct {
	mu   sync.Mutex
	jobs []daemon.Job
	err  error  // what Submit says
	left string // of the supply of bench left

	marks []results.UserMark
}

// fakeNowNs is the clock of the fake's host.
const fakeNowNs = 5e9

// mark takes every mark but a second start.
func (f *fake) mark(run string, m results.UserMark) (Marked, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case run != "":
		return Marked{}, fmt.Errorf("%w: there is no run %s", daemon.ErrUnknown, run)
	case len(f.marks) > 0 && m.Mark == results.MarkStart:
		return Marked{}, fmt.Errorf("%w: %s was started already", results.ErrMark, m.Name)
	}
	f.marks = append(f.marks, m)
	return Marked{Run: "/runs/a"}, nil
}

func (f *fake) Benches() []config.Bench {
	return []config.Bench{
		{Name: "left", Module: config.Module{Port: "/dev/left", Serial: "M1"}, Target: "/dev/disk/by-id/x", Consent: []string{"power"}},
		{Name: "right", Module: config.Module{Port: "/dev/right", Serial: "M2"}},
	}
}

func (f *fake) Status() []daemon.BenchStatus {
	return []daemon.BenchStatus{
		{
			Bench: "left", State: daemon.Recording, Left: f.left, Module: daemon.ModuleStatus{Serial: "M1", Simulated: true},
			Rails: map[quarch.Rail]live.VA{quarch.Rail5V: {Volts: 5, Amps: 0.5, Watts: 2.5}},

			Alignment: &results.StreamAlignment{Status: "degraded", Why: "wide", OffsetS: new(0.0125), OffsetU95S: new(0.006), DriftPPM: new(40.0), DriftU95PPM: new(0.5)},

			Counters: daemon.Counters{Samples: 1000, LostStripes: 3, Reconnects: 2, Gaps: 1, Joules: map[quarch.Rail]float64{quarch.Rail5V: 2.5}},
		},
		{Bench: "right", State: daemon.Waiting, Why: "no module", Module: daemon.ModuleStatus{Serial: "M2"}},
	}
}

func (f *fake) Waiting(context.Context) (int64, error) { return 7, nil }

func (f *fake) Submit(q daemon.RunRequest) (daemon.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return daemon.Job{}, f.err
	}
	j := daemon.Job{ID: fmt.Sprintf("%s-%d", q.Bench, len(f.jobs)), Bench: q.Bench, Suite: q.Suite, Outcome: "running", Dir: "/runs/a"}
	f.jobs = append(f.jobs, j)
	return j, nil
}

func (f *fake) Jobs() []daemon.Job {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]daemon.Job{}, f.jobs...)
}

func (f *fake) Job(id string) (daemon.Job, error) {
	for _, j := range f.Jobs() {
		if j.ID == id {
			return j, nil
		}
	}
	return daemon.Job{}, daemon.ErrUnknown
}

func (f *fake) Cancel(id string) (daemon.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.jobs {
		if f.jobs[i].ID == id {
			f.jobs[i].Outcome, f.jobs[i].Ended = "interrupted", time.Unix(1, 0)
			return f.jobs[i], nil
		}
	}
	return daemon.Job{}, daemon.ErrUnknown
}

// newServer is a server of the fake; token "" = none.
func newServer(t *testing.T, f *fake, token string) *Server {
	t.Helper()
	s, err := New(Options{
		Daemon: f, Runs: func() ([]runs.Run, error) {
			return []runs.Run{{ID: "r1", Dir: "/runs/r1"}, {ID: "ra", Dir: "/runs/a"}}, nil
		},
		Open: func(dir string) (runs.Run, error) { return runs.Run{ID: "r" + filepath.Base(dir), Dir: dir}, nil },
		Mark: f.mark, Clock: func() quarch.Clock { return quarch.Clock{MonoNs: fakeNowNs} },
		Listen: "127.0.0.1:0", Token: token, Version: "1.2.3", Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// request is one with what a test wants to vary.
type request struct {
	method, path, body string
	host               string // "" = 127.0.0.1
	kind               string // of content; "" = application/json
	token              string
}

// ask answers a request without a network.
func ask(t *testing.T, s *Server, q request) (status int, body string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), q.method, q.path, strings.NewReader(q.body))
	r.Host = "127.0.0.1:7780"
	if q.host != "" {
		r.Host = q.host
	}
	if q.method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.kind != "" {
		r.Header.Set("Content-Type", q.kind)
	}
	if q.token != "" {
		r.Header.Set("Authorization", q.token)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	data, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(data)
}

// into decodes an answer.
func into[T any](t *testing.T, body string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return v
}
