package influx_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"powerd/analysis"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/influx"
	"powerd/powerd/internal/store/storetest"
)

// The server answers 503 for the last 10 s of a run of 20 s. The run's tail stands
// in the outbox with its count in the error that ends powerd; the next start sends
// it, nothing twice. Of 20 s at 10 Hz, the first 10 s are 100 points.
func TestServerAwayAtTheEnd(t *testing.T) {
	server, box := newStub(t), outbox(t, t.TempDir())
	s := open(t, influx.Options{URL: server.URL, Outbox: box})
	must(t, s.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
	seconds(t, s, 0, 10)
	wait(t, s, func(r store.Report) bool { return r.Sent == 100 })
	server.answers(http.StatusServiceUnavailable, "shutting down")
	seconds(t, s, 10, 20)
	must(t, s.End(t.Context(), store.Completed, 20_000_000_000))
	report := closeStore(t, s)
	if report.Sent != 100 || report.Pending != 100 {
		t.Errorf("report %+v; want 100 sent, 100 pending", report)
	}
	for _, words := range []string{"100 waiting in the outbox", "503", "shutting down"} {
		if err := report.Err(); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("error %v does not say %q", err, words)
		}
	}

	server.answersWith(nil)
	s = open(t, influx.Options{URL: server.URL, Outbox: box})
	if report := closeStore(t, s); report.Sent != 100 || report.Err() != nil {
		t.Errorf("next start: %+v; want 100 sent", report)
	}
	once(t, server, 200)
}

// Nothing listens on the port; three modules are measured for 10 s at 10 Hz. No
// point counts as sent, all of them are kept.
func TestNothingListens(t *testing.T) {
	url, box := deadURL(t), outbox(t, t.TempDir())
	var wg sync.WaitGroup
	for i := range 3 {
		s := open(t, influx.Options{URL: url, Outbox: box, Dest: fmt.Sprintf("influx-%d", i)})
		wg.Go(func() {
			run := storetest.Drive(fmt.Sprintf("run-%d", i), "Model A", "SN1")
			if err := s.Begin(t.Context(), run); err != nil {
				t.Error(err)
			}
			for sec := range int64(10) {
				if err := s.Live(t.Context(), storetest.Rails(sec*1_000_000_000, 10), nil); err != nil {
					t.Error(err)
				}
			}
			report := closeStore(t, s)
			if report.Sent != 0 || report.Pending != 100 || !strings.Contains(report.Reason, "connection refused") {
				t.Errorf("module %d: report %+v; want 0 sent, 100 pending, and why", i, report)
			}
		})
	}
	wg.Wait()
}

// A batch that the server refuses for good is parked alone, with the server's
// words, though it was sent together with good ones; the good ones arrive.
func TestRefusedBatchIsParkedAlone(t *testing.T) {
	for _, status := range []int{400, 413, 422} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			server, box := newStub(t), outbox(t, t.TempDir())
			for i, m := range []string{"good_1", "good_2", "odd", "good_3"} {
				put(t, box, fmt.Sprintf("%s,run=r v=1 %d\n%[1]s,run=r v=1 9%[2]d\n", m, i), 2)
			}
			server.answersWith(func(body string) (int, map[string]string, string) {
				if strings.Contains(body, "odd") {
					return status, nil, "partial write: field type conflict"
				}
				return http.StatusNoContent, nil, ""
			})
			report := closeStore(t, open(t, influx.Options{URL: server.URL, Outbox: box}))
			if report.Sent != 6 || report.Parked != 2 || report.Pending != 0 {
				t.Errorf("report %+v; want 6 sent, 2 parked", report)
			}
			for _, word := range []string{"powerd/raw30d", "odd", "2 points", fmt.Sprint(status), "field type conflict"} {
				if !strings.Contains(report.Reason, word) {
					t.Errorf("reason %q does not say %q", report.Reason, word)
				}
			}
			once(t, server, 6)
		})
	}
}

// A bucket that does not exist refuses everything: one request shows it, and all
// that was in it waits for the next start.
func TestMissingBucketIsNotAskedAgainAndAgain(t *testing.T) {
	server, box := newStub(t), outbox(t, t.TempDir())
	for i := range 100 {
		put(t, box, fmt.Sprintf("m,run=r v=1 %d\n", i), 1)
	}
	server.answers(http.StatusNotFound, `database not found: "powert"`)
	report := closeStore(t, open(t, influx.Options{URL: server.URL, Bucket: "powert", Outbox: box}))
	if report.Parked != 100 || server.asked() != 1 || !strings.Contains(report.Reason, "next start") {
		t.Errorf("report %+v after %d requests; want 100 parked after 1", report, server.asked())
	}
	server.answersWith(nil)
	if report := closeStore(t, open(t, influx.Options{URL: server.URL, Outbox: box})); report.Sent != 100 || report.Err() != nil {
		t.Errorf("next start: report %+v; want 100 sent", report)
	}
}

// A server that is away or busy is asked again after pauses that double from 1 s
// to 60 s; Retry-After may make one longer, up to 10 minutes, never shorter.
func TestPauses(t *testing.T) {
	s, m, h := time.Second, time.Minute, time.Hour
	for name, c := range map[string]struct {
		status     int
		retryAfter string
		want       []time.Duration
	}{
		"500":                       {500, "", []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, m, m, m}},
		"503":                       {503, "", []time.Duration{s, 2 * s, 4 * s}},
		"429, after 7 s":            {429, "7", []time.Duration{7 * s, 7 * s, 7 * s, 8 * s, 16 * s}},
		"503, after a day":          {503, fmt.Sprint(int((24 * h).Seconds())), []time.Duration{10 * m, 10 * m}},
		"429, after what it cannot": {429, "soon", []time.Duration{s, 2 * s}},
	} {
		t.Run(name, func(t *testing.T) {
			server, box, clock := newStub(t), outbox(t, t.TempDir()), newClock(len(c.want))
			server.answersWith(func(string) (int, map[string]string, string) {
				return c.status, map[string]string{"Retry-After": c.retryAfter}, "not now"
			})
			put(t, box, "m,run=r v=1 1\n", 1)
			st := open(t, influx.Options{URL: server.URL, Outbox: box, After: clock.after})
			<-clock.enough
			if got := clock.pauses(); !slices.Equal(got, c.want) {
				t.Errorf("pauses %v; want %v", got, c.want)
			}
			server.answersWith(nil)
			if report := closeStore(t, st); report.Sent != 1 || report.Err() != nil || report.Reason != "" {
				t.Errorf("report %+v; want 1 sent and nothing to complain of", report)
			}
		})
	}
}

// A refused token: one request, no second one in this run, all points kept, and
// more of them may be queued.
func TestRefusedToken(t *testing.T) {
	for _, status := range []int{401, 403} {
		server, box := newStub(t), outbox(t, t.TempDir())
		server.answers(status, "unauthorized access")
		s := open(t, influx.Options{URL: server.URL, Token: "secret", Outbox: box})
		must(t, s.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
		seconds(t, s, 0, 1)
		must(t, s.Step(t.Context(), store.StepRow{Name: "idle"})) // queues what is held back
		wait(t, s, func(r store.Report) bool { return r.Reason != "" })
		seconds(t, s, 1, 10)
		report := closeStore(t, s)
		if report.Pending != 100 || report.Parked != 0 || !strings.Contains(report.Reason, "influx.token") {
			t.Errorf("%d: report %+v; want 100 pending and the token named", status, report)
		}
		if n := server.asked(); n != 1 {
			t.Errorf("%d: %d requests; want 1", status, n)
		}
	}
}

// A server that never answers does not keep powerd from ending.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does a server notice that the other side has gone
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	box := outbox(t, t.TempDir())
	put(t, box, "m,run=r v=1 1\n", 1)

	t.Run("its own limit", func(t *testing.T) {
		s := open(t, influx.Options{URL: server.URL, Outbox: box, CloseTimeout: time.Millisecond})
		<-asked
		report := closeStore(t, s)
		if report.Pending != 1 || report.Sent != 0 || !strings.Contains(report.Reason, "no answer before the end") {
			t.Errorf("report %+v; want 1 pending, and why", report)
		}
	})
	t.Run("the caller's", func(t *testing.T) {
		s := open(t, influx.Options{URL: server.URL, Outbox: box, CloseTimeout: time.Hour})
		<-asked
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if report, err := s.Close(ctx); err != nil || report.Pending != 1 {
			t.Errorf("report %+v, %v; want 1 pending", report, err)
		}
	})
}

// A request holds at most as many points as are allowed, in the order they came.
func TestBatchesAreBounded(t *testing.T) {
	server, box := newStub(t), outbox(t, t.TempDir())
	for i := range 25 {
		put(t, box, fmt.Sprintf("m,run=r v=1 %d\nm,run=r v=2 1%02d\n", i, i), 2)
	}
	report := closeStore(t, open(t, influx.Options{URL: server.URL, Outbox: box, BatchPoints: 10}))
	if report.Sent != 50 || server.asked() != 5 {
		t.Errorf("%d points in %d requests; want 50 in 5", report.Sent, server.asked())
	}
	for i, body := range server.requests {
		if !strings.HasPrefix(body, fmt.Sprintf("m,run=r v=1 %d\n", i*5)) {
			t.Errorf("request %d begins %.20q; want point %d", i, body, i*5)
		}
	}
}

// Results are handed over after every step; what is in the outbox already is not
// put there again, what has changed is.
func TestResultsAreQueuedOnce(t *testing.T) {
	server, box := newStub(t), outbox(t, t.TempDir())
	s := open(t, influx.Options{URL: server.URL, Outbox: box})
	must(t, s.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
	for range 3 {
		must(t, s.Results(t.Context(), nil, tables(20)))
	}
	must(t, s.Results(t.Context(), nil, tables(25))) // one of the two cells is another now
	if report := closeStore(t, s); report.Sent != 3 {
		t.Errorf("%d points sent; want 2 and then 1", report.Sent)
	}
}

// What was mistyped is told at once, with the key, and without the password.
func TestOptionsThatAreWrong(t *testing.T) {
	box := outbox(t, t.TempDir())
	for name, c := range map[string]struct {
		opts influx.Options
		want string
	}{
		"no scheme":   {influx.Options{URL: "127.0.0.1:8086", Bucket: "b", Outbox: box}, "influx.url"},
		"no host":     {influx.Options{URL: "http://", Bucket: "b", Outbox: box}, "influx.url"},
		"serial port": {influx.Options{URL: "/dev/ttyUSB0", Bucket: "b", Outbox: box}, "influx.url"},
		"password":    {influx.Options{URL: "ftp://u:secret@h", Bucket: "b", Outbox: box}, "influx.url"},
		"control":     {influx.Options{URL: "http://u:secret@h\n", Bucket: "b", Outbox: box}, "influx.url"},
		"no bucket":   {influx.Options{URL: "http://h", Outbox: box}, "influx.bucket"},
		"no outbox":   {influx.Options{URL: "http://h", Bucket: "b"}, "outbox"},
		"batch":       {influx.Options{URL: "http://h", Bucket: "b", Outbox: box, BatchPoints: 5001}, "5000"},
	} {
		_, err := influx.New(t.Context(), c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v; want one that names %s", name, err, c.want)
		}
	}
}

// Two summaries of one rail at one time contradict one another: refused, and
// those before and after are taken.
func TestContradictingSummaries(t *testing.T) {
	server := newStub(t)
	s := open(t, influx.Options{URL: server.URL, Outbox: outbox(t, t.TempDir())})
	must(t, s.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
	must(t, s.Live(t.Context(), storetest.Rails(0, 1), nil))
	if err := s.Live(t.Context(), storetest.Rails(0, 1), nil); err == nil || !strings.Contains(err.Error(), "powerd_rail") {
		t.Errorf("error %v; want one that names the series", err)
	}
	must(t, s.Live(t.Context(), storetest.Rails(100_000_000, 1), nil))
	closeStore(t, s)
	once(t, server, 2)
}

// seconds hands over the summaries of one rail, 10 a second.
func seconds(t *testing.T, s *influx.Store, from, to int64) {
	t.Helper()
	for sec := from; sec < to; sec++ {
		must(t, s.Live(t.Context(), storetest.Rails(sec*1_000_000_000, 10), nil))
	}
}

func put(t *testing.T, box store.Outbox, lines string, points int64) {
	t.Helper()
	if _, err := box.Put(t.Context(), "influx", []store.Batch{{Lines: lines, Points: points}}); err != nil {
		t.Fatal(err)
	}
}

// once checks that the stub acknowledged n different lines, each once.
func once(t *testing.T, s *stub, n int) {
	t.Helper()
	if got := s.stored(); got != n {
		t.Errorf("%d lines acknowledged; want %d", got, n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for line, times := range s.lines {
		if times != 1 {
			t.Errorf("acknowledged %d times: %s", times, line)
		}
	}
}

// clock is a virtual timer: the first n pauses are over at once, the rest never.
type clock struct {
	enough chan struct{} // closed at the n-th pause

	mu   sync.Mutex
	n    int
	seen []time.Duration
}

func newClock(n int) *clock { return &clock{enough: make(chan struct{}), n: n} }

func (c *clock) after(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) == c.n {
		return nil
	}
	c.seen = append(c.seen, d)
	if len(c.seen) == c.n {
		close(c.enough)
		return nil
	}
	over := make(chan time.Time, 1)
	over <- time.Time{}
	return over
}

func (c *clock) pauses() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.seen)
}

// A table that claims two things of one series at one time is refused and named;
// the other tables are queued.
func TestContradictingTable(t *testing.T) {
	server := newStub(t)
	s := open(t, influx.Options{URL: server.URL, Outbox: outbox(t, t.TempDir())})
	must(t, s.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
	row := analysis.Row{Cells: []analysis.Cell{analysis.Word("spin-up"), analysis.Val(1)}}
	odd := &analysis.Table{
		Name: "limits", Columns: []analysis.Column{{Name: "name", Kind: analysis.Key}, {Name: "value"}},
		Rows: []analysis.Row{row, row},
	}
	err := s.Results(t.Context(), nil, append([]*analysis.Table{odd}, tables(20)...))
	if err == nil || !strings.Contains(err.Error(), "limits") || !strings.Contains(err.Error(), "spin-up") {
		t.Errorf("error %v; want one that names the table and the series", err)
	}
	if report := closeStore(t, s); report.Sent != 2 {
		t.Errorf("%d points sent; want the 2 of the other table", report.Sent)
	}
}
