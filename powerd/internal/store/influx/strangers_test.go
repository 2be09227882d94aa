package influx_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"powerd/powerd/internal/store/influx"
)

// A server that is no InfluxDB answers a write with a page, at once or after a
// redirect to its login. Nothing was stored: every point stays in the outbox.
func TestAnswerOfAnotherServer(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>Log in</html>") }
	login := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			page(w, r)
			return
		}
		http.Redirect(w, r, "/login", http.StatusFound)
	}
	nothing := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // as the follower of a redirect would ask
			w.WriteHeader(http.StatusNoContent)
			return
		}
		http.Redirect(w, r, "/login", http.StatusSeeOther)
	}
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		says  string
	}{
		"a page":               {page, "200"},
		"redirect to a page":   {login, `302 Found to "/login"`},
		"redirect to nothing":  {nothing, "303"},
		"accepted, some day":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }, "202"},
		"created, not written": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) }, "201"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.serve)
			defer server.Close()
			box := outbox(t, t.TempDir())
			put(t, box, "m,run=r v=1 1\n", 1)
			report := closeStore(t, open(t, influx.Options{URL: server.URL, Outbox: box}))
			if report.Sent != 0 || report.Pending != 1 || report.Parked != 0 {
				t.Errorf("report %+v; want 1 pending", report)
			}
			for _, words := range []string{c.says, "is this an InfluxDB?", "influx.url"} {
				if !strings.Contains(report.Reason, words) {
					t.Errorf("reason %q does not say %q", report.Reason, words)
				}
			}
		})
	}
}

// A request that is too large for the server can be made smaller by who reads so.
func TestTooLargeNamesTheKey(t *testing.T) {
	server, box := newStub(t), outbox(t, t.TempDir())
	put(t, box, "m,run=r v=1 1\n", 1)
	server.answers(http.StatusRequestEntityTooLarge, "too large")
	if report := closeStore(t, open(t, influx.Options{URL: server.URL, Outbox: box})); !strings.Contains(report.Reason, "influx.batch") {
		t.Errorf("reason %q does not name influx.batch", report.Reason)
	}
}
