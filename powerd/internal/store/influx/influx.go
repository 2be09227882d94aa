package influx

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	influxdb2 "github.com/influxdata/influxdb-client-go/v2"
	"github.com/influxdata/influxdb-client-go/v2/api"
	"github.com/influxdata/influxdb-client-go/v2/domain"

	"powerd/analysis"
	"powerd/powerd/internal/store"
)

// Options of a server. URL, Bucket and Outbox are needed.
type Options struct {
	URL    string // "http://127.0.0.1:8086"
	Token  string // InfluxDB 1.8: "user:password"; may be empty
	Org    string // InfluxDB 1.8: empty
	Bucket string // InfluxDB 1.8: "database" or "database/policy"
	GZip   bool   // compress requests

	Outbox store.Outbox
	Dest   string // names this server in the outbox; "" = "influx"

	BatchPoints  int           // most points in a request, 1 … 5000; 0 = 5000
	Timeout      time.Duration // of one request; 0 = 10 s
	CloseTimeout time.Duration // of the last attempt in Close; 0 = 10 s
	RetryMin     time.Duration // first pause after a failure; 0 = 1 s
	RetryMax     time.Duration // longest; 0 = 60 s

	Log   *slog.Logger                         // nil = silent
	UTC   func() int64                         // ns since 1970, for the outbox's notes; nil = the system's
	After func(time.Duration) <-chan time.Time // nil = time.After
}

// Store is a store.Store that sends to one bucket of one server.
type Store struct {
	opts   Options
	where  string // the address, without a password in it
	client influxdb2.Client
	http   doer
	api    api.WriteAPIBlocking

	wake    chan struct{} // something new is in the outbox
	closing chan struct{} // closed by Close: try once more, then end
	cancel  context.CancelFunc
	done    chan struct{} // closed by the goroutine that sends

	mu           sync.Mutex // guards all below
	run          *store.Run // nil: none under way
	gather       store.Gather
	queued       map[string]bool // lines of results that this run put into the outbox
	emptyResults int64
	counts       store.Report // Sent, Dropped, Empty
	trouble      string       // why sending does not go on, "" if it does
	parkedWhy    string       // why the last batch was parked
	closed       bool

	once   sync.Once // guards the outcome of Close
	final  store.Report
	failed error
}

var (
	_ store.Store  = (*Store)(nil)
	_ store.Waiter = (*Store)(nil)
)

// New checks the options and starts to send what an earlier run left. It does not
// wait for the server, which may be away.
func New(ctx context.Context, opts Options) (*Store, error) {
	where, err := opts.complete()
	if err != nil {
		return nil, err
	}
	if err := opts.Outbox.Unpark(ctx, opts.Dest, http.StatusNotFound); err != nil {
		return nil, fmt.Errorf("open influx outbox: %w", err)
	}
	s := &Store{
		opts: opts, where: where,
		http: newDoer(),
		wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
	}
	how := influxdb2.DefaultOptions().SetUseGZip(opts.GZip).SetPrecision(time.Nanosecond).SetApplicationName("powerd")
	how.HTTPOptions().SetHTTPDoer(s.http)
	s.client = influxdb2.NewClientWithOptions(opts.URL, opts.Token, how)
	s.api = s.client.WriteAPIBlocking(opts.Org, opts.Bucket)
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	go s.drain(sending)
	return s, nil
}

// complete checks o, fills in what was left to us, and returns the address as it
// may be shown.
func (o *Options) complete() (where string, err error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return "", errors.New("open influx: influx.url cannot be read as an address; it looks like http://127.0.0.1:8086")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", fmt.Errorf("open influx: influx.url %q is no http or https address; it looks like http://127.0.0.1:8086", u.Redacted())
	case o.Bucket == "":
		return "", errors.New("open influx: influx.bucket is empty; give a bucket, or database/policy of InfluxDB 1.8")
	case o.Outbox == nil:
		return "", errors.New("open influx: no outbox")
	case o.BatchPoints < 0 || o.BatchPoints > 5000:
		return "", fmt.Errorf("open influx: batches of %d points; 1 … 5000 are allowed", o.BatchPoints)
	}
	setDefault(&o.Dest, "influx")
	setDefault(&o.BatchPoints, 5000)
	setDefault(&o.Timeout, 10*time.Second)
	setDefault(&o.CloseTimeout, 10*time.Second)
	setDefault(&o.RetryMin, time.Second)
	setDefault(&o.RetryMax, time.Minute)
	setDefault(&o.Log, slog.New(slog.DiscardHandler))
	if o.UTC == nil {
		o.UTC = func() int64 { return time.Now().UnixNano() }
	}
	if o.After == nil {
		o.After = time.After
	}
	return u.Redacted(), nil
}

func setDefault[T comparable](p *T, v T) {
	var zero T
	if *p == zero {
		*p = v
	}
}

// Waiting implements store.Waiter.
func (s *Store) Waiting(ctx context.Context) (points int64, err error) {
	t, err := s.opts.Outbox.Totals(ctx, s.opts.Dest)
	if err != nil {
		return 0, fmt.Errorf("count what waits for influx: %w", err)
	}
	return t.Pending.Points + t.Parked.Points, nil
}

// Health asks the server whether it is well.
func (s *Store) Health(ctx context.Context) error {
	h, err := s.client.Health(ctx)
	if err == nil && h.Status == domain.HealthCheckStatusPass {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("its health is %q", h.Status)
	}
	return fmt.Errorf("ask influx at %s: %w; start the server, or correct influx.url", s.where, err)
}

// Begin implements store.Store.
func (s *Store) Begin(ctx context.Context, run store.Run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("begin run %s for influx: %w", run.ID, err)
	}
	switch {
	case s.closed:
		return fmt.Errorf("begin run %s for influx: %w", run.ID, store.ErrClosed)
	case s.run != nil:
		return fmt.Errorf("begin run %s for influx: %w", run.ID, store.ErrBegun)
	case run.ID == "":
		return errors.New("begin run for influx: it has no ID")
	}
	s.run, s.queued = &run, make(map[string]bool)
	return nil
}

// Step implements store.Store: steps are tags of the points.
func (s *Store) Step(ctx context.Context, step store.StepRow) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return fmt.Errorf("store step %s for influx: %w", step.Name, err)
	}
	return s.flush(ctx)
}

// Live implements store.Store: what came is queued once it spans a second.
func (s *Store) Live(ctx context.Context, rails []store.Rail100ms, engines []store.Engine100ms) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return fmt.Errorf("queue live summaries for influx: %w", err)
	}
	more := append(s.run.RailPoints(rails), s.run.EnginePoints(engines)...)
	if err := store.Check(append(s.livePoints(), more...)); err != nil {
		return fmt.Errorf("queue live summaries for influx: %w", err)
	}
	due, err := s.gather.Add(rails, engines)
	if due {
		err = errors.Join(err, s.flush(ctx))
	}
	return err
}

// Results implements store.Store. Only rows that are new or have changed are
// queued. A row or figure that a later call leaves out stays in the database. A
// table whose rows contradict one another is an error and keeps no other out.
func (s *Store) Results(ctx context.Context, _ []byte, tables []*analysis.Table) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return fmt.Errorf("queue results for influx: %w", err)
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	fresh, empty, odd := s.freshLines(tables)
	if err := s.put(ctx, fresh); err != nil {
		return errors.Join(odd, err)
	}
	for _, line := range fresh {
		s.queued[line] = true
	}
	s.emptyResults = empty
	return odd
}

// End implements store.Store.
func (s *Store) End(ctx context.Context, _ string, _ int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return fmt.Errorf("end run for influx: %w", err)
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	s.end()
	return nil
}

func (s *Store) end() {
	s.counts.Empty += s.emptyResults
	s.run, s.queued, s.emptyResults = nil, nil, 0
}

// Close implements store.Store. Live summaries that were held back are put into
// the outbox, then what waits there is tried once more.
func (s *Store) Close(ctx context.Context) (store.Report, error) {
	s.once.Do(func() {
		keep := context.WithoutCancel(ctx)
		flushed := s.shut(keep)
		close(s.closing)
		select {
		case <-s.done:
		case <-s.opts.After(s.opts.CloseTimeout):
		case <-ctx.Done():
		}
		s.cancel()
		<-s.done
		s.client.Close()
		s.http.CloseIdleConnections()
		var err error
		s.final, err = s.Report(keep)
		s.failed = errors.Join(flushed, err)
	})
	return s.final, s.failed
}

// shut ends the run and takes no more calls.
func (s *Store) shut(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.run != nil {
		err = s.flush(ctx)
		s.end()
	}
	return err
}

// Report says how things stand. The outbox must be open.
func (s *Store) Report(ctx context.Context) (store.Report, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	totals, err := s.opts.Outbox.Totals(ctx, s.opts.Dest)
	r := s.counts
	r.Store = s.opts.Dest
	r.Empty += s.emptyResults
	r.Pending, r.Parked = totals.Pending.Points, totals.Parked.Points
	r.Reason = s.trouble
	switch {
	case r.Reason == "":
		r.Reason = s.parkedWhy
	case s.parkedWhy != "":
		r.Reason += "; " + s.parkedWhy
	}
	return r, err
}

func (s *Store) ready(ctx context.Context) error {
	switch {
	case s.closed:
		return store.ErrClosed
	case s.run == nil:
		return store.ErrNotBegun
	}
	return ctx.Err()
}
