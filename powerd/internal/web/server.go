package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"powerd/powerd/internal/config"
	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/runs"
	"powerd/quarch"
)

// Daemon is what the API tells of and asks. daemon.Daemon is one.
type Daemon interface {
	Benches() []config.Bench
	Status() []daemon.BenchStatus
	Waiting(ctx context.Context) (points int64, err error)
	Submit(q daemon.RunRequest) (daemon.Job, error)
	Jobs() []daemon.Job
	Job(id string) (daemon.Job, error)
	Cancel(id string) (daemon.Job, error)
}

// Options of a server.
type Options struct {
	Daemon  Daemon
	Runs    func() ([]runs.Run, error)         // in the folder of runs
	Open    func(dir string) (runs.Run, error) // one of them
	Mark    Mark                               // for hosts that load a drive which is measured here
	Clock   func() quarch.Clock                // this host's
	Listen  string                             // host:port
	Token   string                             // "" = none, on loopback only
	Version string                             // of powerd
	Log     *slog.Logger
}

// Server answers requests.
type Server struct {
	o       Options
	handler http.Handler
	there   []address // what may be asked for
}

const (
	headerTimeout   = 5 * time.Second
	requestTimeout  = 10 * time.Second
	answerTimeout   = 30 * time.Second
	idleTimeout     = time.Minute
	shutdownTimeout = time.Second
	maxHeaderBytes  = 64 << 10
	maxBodyBytes    = 512 << 10
)

// New returns a server, and refuses to be reached by others without a token.
func New(o Options) (*Server, error) {
	if o.Token == "" && !isLoopback(o.Listen) {
		return nil, fmt.Errorf("serve.listen %s can be reached by others, who could load and overwrite drives: set serve.token (best as POWERD_SERVE_TOKEN), or listen on 127.0.0.1", o.Listen)
	}
	mux := http.NewServeMux()
	c := huma.DefaultConfig("powerd", o.Version)
	c.Info.Description = "Benches that powerd records, and runs on them. Figures are previews: results stand in a run's results.json."
	c.OpenAPIPath, c.SchemasPath = "/api/v1/openapi", "/api/v1/schemas"
	c.DocsPath = ""     // its page loads scripts from elsewhere
	c.CreateHooks = nil // no $schema in answers
	s := &Server{o: o}
	s.register(humago.New(mux, c))
	for _, path := range []string{"/{$}", "/api/v1/{$}"} {
		mux.Handle("GET "+path, s.index())
	}
	mux.Handle("GET /metrics", metrics(o.Daemon, o.Version))
	s.handler = guard(o.Token, mux)
	return s, nil
}

// Listen takes the address.
func (s *Server) Listen(ctx context.Context) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.o.Listen)
	if err != nil {
		return nil, fmt.Errorf("answer requests: %w; is another powerd serving there? Choose another address with serve.listen", err)
	}
	return l, nil
}

// Serve answers on l until ctx is done.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: requestTimeout, WriteTimeout: answerTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("answer requests: %w", err)
	case <-ctx.Done():
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if h.Shutdown(soon) != nil { // somebody reads slowly
		h.Close() //nolint:errcheck // the listener is closed already
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("answer requests: %w", err)
	}
	return nil
}

// problem answers with an error outside the API's own operations, in its form.
func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: detail}) // who asked may be gone
}
