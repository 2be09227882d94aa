package web

import (
	"fmt"
	"net/http"
	"strings"
)

// address is something that may be asked for.
type address struct{ method, path, summary string }

// index lists the addresses, for who has come with a browser or curl.
func (s *Server) index() http.Handler {
	var b strings.Builder
	fmt.Fprintf(&b, "powerd %s: benches that it records, and runs on them\n\n", s.o.Version)
	for _, a := range append(s.there,
		address{http.MethodGet, "/metrics", "For Prometheus"},
		address{http.MethodGet, "/api/v1/openapi.json", "All of this for programs, with what is sent and answered"},
	) {
		fmt.Fprintf(&b, "%-6s  %-22s  %s\n", a.method, a.path, a.summary)
	}
	b.WriteString(`
A run is asked for with a suite (the name of a built-in one, or a suite file's text) and a
bench; its id is in the answer, and interrupts it:

  curl -X POST -H 'Content-Type: application/json' -d '{"suite":"idle","bench":"NAME"}' http://HOST:PORT/api/v1/runs
  curl -X DELETE http://HOST:PORT/api/v1/runs/ID

Where a token is set, each request bears it: -H 'Authorization: Bearer TOKEN'
`)
	text := b.String()
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text)) // who asked may be gone
	})
}
