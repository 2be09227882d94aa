package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"powerd/configs"
	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/runs"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/systemd"
	"powerd/powerd/internal/web"
	"powerd/quarch"
)

// serveFlags are the flags of serve that are no settings.
type serveFlags struct {
	settings *settings
	json     bool
	verbose  bool
	unit     bool
	board    bool
}

func (a *app) serveCmd() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Record all benches without end, and answer programs",
		Long: `serve owns the modules of all benches of the settings and records what they send, in
segments whose oldest are deleted when serve.disk_max is reached. A module that goes
away is recorded again as soon as it is back; the time between is kept with its cause.
It sends queries and stream control only: no power, rail or mode command.

Programs ask it over HTTP, on this machine only unless serve.token is set: GET /healthz,
/metrics (Prometheus), /api/v1/live, /api/v1/benches, /api/v1/runs; GET / lists all, and
/api/v1/openapi.json describes all. A POST of JSON to /api/v1/runs starts a suite, and a
DELETE of /api/v1/runs/ID interrupts it. ` + "`powerd run --bench NAME`" + ` uses the module of a
powerd that serves; power, pair and zero want it for themselves: stop powerd first; check looks at all else.

Samples are kept while the disk has 1 GiB free, and again once it has 1.25 GiB; 100 ms
means go on meanwhile.

Ctrl-C or SIGTERM ends it; what was recorded is on disk then.`,
		Example: `  powerd serve
  powerd serve --listen 127.0.0.1:9000 --out /data/recordings --log-json
  curl -s http://127.0.0.1:7780/api/v1/live
  curl -X POST -H 'Content-Type: application/json' -d '{"suite":"idle","bench":"left"}' http://127.0.0.1:7780/api/v1/runs
  powerd serve --print-unit > /etc/systemd/system/powerd.service`,
		Args: args(0, 0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case f.unit:
				return a.print(configs.Unit)
			case f.board:
				return a.print(configs.Board)
			}
			return a.serve(c.Context(), f)
		},
	}
	f.settings = addSettings(c, map[string]string{
		"listen": "serve.listen", "out": "serve.out", "db": "store.path", "influx": "influx.url",
	})
	c.Flags().BoolVar(&f.json, "log-json", false, "write the log as JSON, one object a line")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "log more of what happens")
	c.Flags().BoolVar(&f.unit, "print-unit", false, "print a systemd unit, and end")
	c.Flags().BoolVar(&f.board, "print-board", false, "print a Grafana board for the InfluxDB that powerd sends to, and end")
	return c
}

func (a *app) print(file []byte) error {
	_, err := a.out.Write(file)
	return err
}

// served is a daemon with its face.
type served struct {
	cfg    *config.Config
	log    *slog.Logger
	daemon *daemon.Daemon
	server *web.Server
	claim  *web.Claim
}

func (a *app) serve(ctx context.Context, f serveFlags) (err error) {
	cfg, err := f.settings.read()
	if err != nil {
		return err
	}
	if len(cfg.Benches) == 0 {
		return usage("serve records the benches of the settings, and there are none; `powerd init` writes one")
	}
	for _, dir := range []*string{&cfg.Out, &cfg.Serve.Out} { // others are told where they are
		if *dir, err = filepath.Abs(*dir); err != nil {
			return asUsage(err)
		}
	}
	s := &served{cfg: cfg, log: a.serveLog(f)}
	if err := s.prepare(); err != nil {
		return asUsage(err)
	}
	if s.claim, err = web.NewClaim(cfg.State); err != nil {
		return asUsage(err)
	}
	defer func() { err = errors.Join(err, s.claim.Close()) }()
	return s.run(ctx)
}

func (a *app) serveLog(f serveFlags) *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	if f.verbose {
		o.Level = slog.LevelDebug
	}
	if f.json {
		return slog.New(slog.NewJSONHandler(a.err, o))
	}
	return slog.New(slog.NewTextHandler(a.err, o))
}

// prepare wires the daemon and its face, and opens nothing.
func (s *served) prepare() (err error) {
	c := s.cfg
	s.daemon, err = daemon.New(daemon.Options{
		Benches: s.benches(), Dir: c.Serve.Out, DiskMax: int64(c.Serve.DiskMax),
		Segment: c.Serve.Segment, Sampling: c.Serve.Sampling, Keep: c.Serve.Keep,
		Open: s.open, OpenStore: s.openStore, Prepare: s.prepareRun,
		Meta: func(name string, info quarch.Info) (results.Meta, error) {
			return bench.RecordingMeta(c, name, info, version())
		},
		Left: func(ctx context.Context, name string, m quarch.Module) (string, error) {
			return bench.Left(ctx, c, name, m)
		},
		Now: clock.Mono, Clock: clock.Read, Log: s.log,
	})
	if err != nil {
		return err
	}
	s.server, err = web.New(web.Options{
		Daemon: s.daemon, Runs: func() ([]runs.Run, error) { return runs.List(c.Out) }, Open: runs.Open,
		Mark: markIn(c.Out), Clock: clock.Read,
		Listen: c.Serve.Listen, Token: c.Serve.Token, Version: version(), Log: s.log,
	})
	return err
}

// benches returns those of the settings, by name.
func (s *served) benches() []config.Bench {
	var out []config.Bench
	for _, name := range slices.Sorted(maps.Keys(s.cfg.Benches)) {
		out = append(out, s.cfg.Benches[name])
	}
	return out
}

// open opens a bench's module; link is how it spoke last.
func (s *served) open(ctx context.Context, b config.Bench, link string) (quarch.Module, quarch.Info, error) {
	if link != "" {
		b.Module.Link = link
	}
	m, info, err := bench.OpenModule(ctx, b, s.log)
	if want := b.Module.Serial; err != nil && want != "" && info.Serial != "" && info.Serial != want {
		err = fmt.Errorf("%w: %w", daemon.ErrOther, err)
	}
	return m, info, err
}

func (s *served) openStore(ctx context.Context) (store.Store, error) {
	c := s.cfg
	return catalog.OpenStores(ctx, catalog.StoreOptions{
		Path: c.Store.Path, URL: c.Influx.URL, Token: c.Influx.Token, Org: c.Influx.Org, Bucket: c.Influx.Bucket,
		Timeout: c.Influx.Timeout, Batch: c.Influx.Batch, RetryMax: c.Influx.RetryMax, Log: s.log,
	})
}

// run serves until ctx is done. Requests are answered until the recordings are on disk,
// so that whoever follows a run hears of its end.
func (s *served) run(ctx context.Context) error {
	listener, err := s.server.Listen(ctx)
	if err != nil {
		return asUsage(err)
	}
	recording, stop := context.WithCancel(ctx)
	defer stop()
	answering, hush := context.WithCancel(context.WithoutCancel(ctx))
	defer hush()
	ended := make(chan error, 1)
	go func() {
		defer stop() // without a face there is nobody to stop it but a signal
		ended <- s.server.Serve(answering, listener)
	}()
	told := make(chan struct{})
	go func() {
		defer close(told)
		s.tell(recording, listener.Addr().String())
	}()
	err = s.daemon.Run(recording)
	stop()
	<-told
	s.farewell()
	hush()
	if err = errors.Join(err, <-ended); err != nil {
		return &codeError{exitFailed, err}
	}
	s.log.Info("stopped")
	return nil
}

// farewell lets those who follow a run hear how it ended.
func (s *served) farewell() {
	const heard = 1500 * time.Millisecond // they ask once a second
	for _, j := range s.daemon.Jobs() {
		if left := heard - time.Since(j.Ended); j.Over() && left > 0 {
			<-time.After(left)
			return
		}
	}
}

const (
	lookEvery = 50 * time.Millisecond
	readyMost = 10 * time.Second // then it is ready, whatever the modules do
)

// tell says where powerd serves, and to the service manager how it is, until ctx is done.
func (s *served) tell(ctx context.Context, address string) {
	m := systemd.FromEnv(os.Getenv, os.Getpid())
	warn := func(err error) {
		if err != nil {
			s.log.Warn("not told", "error", err)
		}
	}
	place := web.Place{URL: web.URLOf(address), Runs: s.cfg.Out}
	for _, b := range s.daemon.Benches() {
		place.Benches = append(place.Benches, b.Name)
	}
	s.looked(ctx)
	if ctx.Err() == nil {
		warn(s.claim.Publish(place, s.cfg.Serve.Token))
		s.log.Info("serving", "url", place.URL, "benches", strings.Join(place.Benches, " "), "recordings", s.cfg.Serve.Out, "runs", s.cfg.Out)
		warn(m.Tell(systemd.Ready))
	}
	warn(m.Watch(ctx, func() { s.daemon.Status() }))
	<-ctx.Done()
	warn(m.Tell(systemd.Stopping))
}

// looked returns once every module was looked for.
func (s *served) looked(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, readyMost)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for slices.ContainsFunc(s.daemon.Status(), func(b daemon.BenchStatus) bool { return b.Starting() }) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
