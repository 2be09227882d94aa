package influx_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"powerd/analysis"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/influx"
	"powerd/powerd/internal/store/sqlite"
	"powerd/powerd/internal/store/storetest"
)

func TestConformance(t *testing.T) {
	t.Run("server takes all", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Store {
			return open(t, influx.Options{URL: newStub(t).URL, Outbox: outbox(t, t.TempDir())})
		})
	})
	t.Run("nothing listens", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Store {
			return open(t, influx.Options{URL: deadURL(t), Outbox: outbox(t, t.TempDir())})
		})
	})
}

// open opens a store that ends with the test.
func open(t *testing.T, opts influx.Options) *influx.Store {
	t.Helper()
	if opts.Bucket == "" {
		opts.Bucket = "powerd/raw30d"
	}
	s, err := influx.New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, s) })
	return s
}

func closeStore(t *testing.T, s store.Store) store.Report {
	t.Helper()
	report, err := s.Close(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Errorf("close: %v", err)
	}
	return report
}

// outbox opens the outbox that stands in dir.
func outbox(t *testing.T, dir string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), dir+"/powerd.db", sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, db) })
	return db
}

// deadURL returns an address on which nothing listens.
func deadURL(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	return s.URL
}

// stub is a server that keeps the lines it acknowledged, each once.
type stub struct {
	*httptest.Server
	mu       sync.Mutex
	answer   func(body string) (status int, header map[string]string, words string) // nil: 204
	requests []string                                                               // bodies, in order
	lines    map[string]int                                                         // acknowledged lines, and how often
}

func newStub(t *testing.T) *stub {
	t.Helper()
	s := &stub{lines: make(map[string]int)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *stub) serve(w http.ResponseWriter, r *http.Request) {
	var b strings.Builder
	if _, err := io.Copy(&b, r.Body); err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, b.String())
	if s.answer != nil {
		status, header, words := s.answer(b.String())
		for k, v := range header {
			w.Header().Set(k, v)
		}
		if status != http.StatusNoContent {
			w.Header().Set("X-Influxdb-Error", words)
			http.Error(w, words, status)
			return
		}
	}
	for line := range strings.Lines(b.String()) {
		s.lines[strings.TrimSpace(line)]++
	}
	w.WriteHeader(http.StatusNoContent)
}

// answers makes the stub answer so from now on.
func (s *stub) answers(status int, words string) {
	s.answersWith(func(string) (int, map[string]string, string) { return status, nil, words })
}

func (s *stub) answersWith(f func(body string) (int, map[string]string, string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// stored returns how many different lines were acknowledged.
func (s *stub) stored() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines)
}

func (s *stub) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// tables is a results table whose first cell has so many IOPS/mW.
func tables(ratio float64) []*analysis.Table {
	return []*analysis.Table{storetest.Efficiency(ratio)}
}
