package web

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/runs"
)

// Health says whether every bench's samples come and are kept, and its drive's supply is
// as it should be.
type Health struct {
	Status  string            `json:"status" enum:"ok,degraded"`
	Reasons map[string]string `json:"reasons,omitempty" doc:"by bench, what is the matter"`
}

// Live is how all benches are now.
type Live struct {
	UpdatedUTC time.Time            `json:"updated_utc"`
	Benches    []daemon.BenchStatus `json:"benches"`
}

// Bench is a bench as the settings have it.
type Bench struct {
	Name    string   `json:"name"`
	Module  string   `json:"module,omitempty" doc:"serial number"`
	Port    string   `json:"port"`
	Target  string   `json:"target,omitempty"`
	Drive   string   `json:"drive,omitempty" doc:"drive file"`
	Rails   []string `json:"rails,omitempty"`
	Fixture string   `json:"fixture,omitempty"`
	Consent []string `json:"consent,omitempty" doc:"what a run may do to the drive"`
}

// Benches lists them.
type Benches struct {
	Benches []Bench `json:"benches"`
}

// Runs lists what this daemon was asked for, and the folder of runs.
type Runs struct {
	Asked []daemon.Job `json:"asked" doc:"of this daemon since it began, newest first"`
	Runs  []runs.Run   `json:"runs" doc:"in the folder of runs, newest first"`
}

// OneRun is one run: what was asked for, what its folder tells, or both.
type OneRun struct {
	Asked *daemon.Job `json:"asked,omitempty"`
	Run   *runs.Run   `json:"run,omitempty"`
}

// answer is what an operation returns.
type answer[T any] struct {
	Status int
	Body   T
}

// byID names a run.
type byID struct {
	ID string `path:"id" maxLength:"300" doc:"of what was asked for, or of a run, or its folder's name"`
}

// register adds the operations.
func (s *Server) register(api huma.API) {
	add(api, s.operation(http.MethodGet, "/healthz", "health", "Do samples of every bench come?"), s.health)
	add(api, s.operation(http.MethodGet, "/api/v1/live", "live", "How the benches are now"), s.live)
	add(api, s.operation(http.MethodGet, "/api/v1/benches", "benches", "The benches of the settings"), s.benches)
	add(api, s.operation(http.MethodGet, "/api/v1/runs", "runs", "List runs"), s.runs)
	add(api, s.operation(http.MethodGet, "/api/v1/runs/{id}", "run", "Look at a run"), s.run)
	add(api, s.operation(http.MethodPost, "/api/v1/runs", "start", "Run a suite on a bench"), s.start)
	add(api, s.operation(http.MethodGet, "/api/v1/clock", "clock", "This host's clock, for one that loads a drive which is measured here"), s.clock)
	add(api, s.operation(http.MethodPost, "/api/v1/marks", "mark", "Mark in a run where something on another host begins or ends"), s.mark)
	add(api, s.operation(http.MethodDelete, "/api/v1/runs/{id}", "interrupt", "Interrupt a run that was asked for"), s.interrupt)
}

func (s *Server) operation(method, path, id, summary string) huma.Operation {
	s.there = append(s.there, address{method, path, summary})
	return huma.Operation{Method: method, Path: path, OperationID: id, Summary: summary, MaxBodyBytes: maxBodyBytes}
}

// add registers an operation whose answer is of type T.
func add[I, T any](api huma.API, op huma.Operation, f func(*I) (int, T, error)) {
	huma.Register(api, op, func(_ context.Context, in *I) (*answer[T], error) {
		status, body, err := f(in)
		if err != nil {
			return nil, failed(err)
		}
		return &answer[T]{Status: status, Body: body}, nil
	})
}

// failed gives an error of the daemon its status.
func failed(err error) error {
	for _, c := range []struct {
		err    error
		status int
	}{
		{daemon.ErrUnknown, http.StatusNotFound},
		{daemon.ErrTaken, http.StatusConflict},
		{daemon.ErrNotReady, http.StatusServiceUnavailable},
		{daemon.ErrRefused, http.StatusUnprocessableEntity},
	} {
		if errors.Is(err, c.err) {
			return huma.NewError(c.status, err.Error())
		}
	}
	return huma.NewError(http.StatusInternalServerError, err.Error())
}

func (s *Server) health(*struct{}) (int, Health, error) {
	h := Health{Status: "ok", Reasons: map[string]string{}}
	for _, b := range s.o.Daemon.Status() {
		if why := ailing(&b); why != "" {
			h.Status, h.Reasons[b.Bench] = "degraded", why
		}
	}
	if h.Status != "ok" {
		return http.StatusServiceUnavailable, h, nil
	}
	return http.StatusOK, h, nil
}

// ailing says what is the matter with a bench; "" = nothing.
func ailing(b *daemon.BenchStatus) string {
	var why []string
	if b.State != daemon.Lent && b.Why != "" {
		why = append(why, b.Why)
	}
	if b.Left != "" {
		why = append(why, b.Left)
	}
	return strings.Join(why, "; ")
}

func (s *Server) live(*struct{}) (int, Live, error) {
	return http.StatusOK, Live{UpdatedUTC: time.Now().UTC(), Benches: s.o.Daemon.Status()}, nil
}

func (s *Server) benches(*struct{}) (int, Benches, error) {
	out := Benches{Benches: []Bench{}}
	for _, b := range s.o.Daemon.Benches() {
		out.Benches = append(out.Benches, Bench{
			Name: b.Name, Module: b.Module.Serial, Port: b.Module.Port, Target: b.Target, Drive: b.Drive,
			Rails: b.Rails, Fixture: b.Fixture, Consent: b.Consent,
		})
	}
	return http.StatusOK, out, nil
}

func (s *Server) runs(*struct{}) (int, Runs, error) {
	list, err := s.o.Runs()
	if list == nil {
		list = []runs.Run{}
	}
	return http.StatusOK, Runs{Asked: s.o.Daemon.Jobs(), Runs: list}, err
}

// run looks into one folder only where it was asked for: whoever follows a run asks for it
// each second, while it measures.
func (s *Server) run(in *byID) (int, OneRun, error) {
	job, unknown := s.o.Daemon.Job(in.ID)
	if unknown == nil {
		out := OneRun{Asked: &job}
		if job.Dir != "" {
			if r, err := s.o.Open(job.Dir); err == nil || r.Outcome == runs.Unreadable { // else it has only just begun
				out.Run = &r
			}
		}
		return http.StatusOK, out, nil
	}
	list, err := s.o.Runs()
	if err != nil {
		return 0, OneRun{}, err
	}
	for i := range list {
		if r := &list[i]; r.ID == in.ID || filepath.Base(r.Dir) == in.ID {
			return http.StatusOK, OneRun{Run: r}, nil
		}
	}
	return 0, OneRun{}, unknown
}

// toStart is the body of a request for a run.
type toStart struct{ Body daemon.RunRequest }

func (s *Server) start(in *toStart) (int, daemon.Job, error) {
	job, err := s.o.Daemon.Submit(in.Body)
	return http.StatusAccepted, job, err
}

func (s *Server) interrupt(in *byID) (int, daemon.Job, error) {
	job, err := s.o.Daemon.Cancel(in.ID)
	return http.StatusAccepted, job, err
}
