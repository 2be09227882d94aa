package web

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

const aRun = `{"suite":"idle","bench":"left"}`

// Every user of the machine, and every page that its browser shows, can send something to
// a port on loopback. A page can send it under a name of its own that leads here, and it
// can send a form; it cannot send JSON to a foreign host unasked.
func TestPagesAreKeptOut(t *testing.T) {
	for name, c := range map[string]struct {
		request
		want int
	}{
		"loopback":              {request{method: "GET", path: "/api/v1/live"}, 200},
		"loopback, version 6":   {request{method: "GET", path: "/api/v1/live", host: "[::1]:7780"}, 200},
		"localhost":             {request{method: "GET", path: "/api/v1/live", host: "localhost:7780"}, 200},
		"a name that was bound": {request{method: "GET", path: "/api/v1/live", host: "attacker.example:7780"}, 403},
		"its metrics":           {request{method: "GET", path: "/metrics", host: "attacker.example"}, 403},
		"looks like loopback":   {request{method: "GET", path: "/api/v1/live", host: "127.0.0.1.attacker.example"}, 403},
		"JSON":                  {request{method: "POST", path: "/api/v1/runs", body: aRun}, 202},
		"JSON with charset":     {request{method: "POST", path: "/api/v1/runs", body: aRun, kind: "application/json; charset=utf-8"}, 202},
		"a form":                {request{method: "POST", path: "/api/v1/runs", body: aRun, kind: "text/plain"}, 415},
		"JSON in a form":        {request{method: "POST", path: "/api/v1/runs", body: aRun, kind: "text/plain; application/json"}, 415},
	} {
		if got, body := ask(t, newServer(t, &fake{}, ""), c.request); got != c.want {
			t.Errorf("%s: %d, want %d: %s", name, got, c.want, body)
		}
	}
}

// With a token each request must bear it, whatever it asks for; then any host will do.
func TestToken(t *testing.T) {
	s := newServer(t, &fake{}, "secret")
	for token, want := range map[string]int{
		"": 401, "Bearer secreT": 401, "Bearer ": 401, "secret": 401, "Basic secret": 401, "Bearer secret ": 401, "Bearer secret": 200,
	} {
		for _, path := range []string{"/metrics", "/api/v1/runs", "/api/v1/openapi.json"} {
			if got, _ := ask(t, s, request{method: "GET", path: path, host: "bench.example", token: token}); got != want {
				t.Errorf("token %q on %s: %d, want %d", token, path, got, want)
			}
		}
	}
}

// An address that others reach is refused without a token; an address that nothing says
// of is one.
func TestAddressThatOthersReach(t *testing.T) {
	for listen, local := range map[string]bool{
		"127.0.0.1:7780": true, "127.8.8.8:1": true, "[::1]:7780": true, "localhost:7780": true, "[::ffff:127.0.0.1]:1": true,
		"0.0.0.0:7780": false, ":7780": false, "[::]:7780": false, "192.168.1.5:7780": false, "bench.example:7780": false,
	} {
		o := Options{Daemon: &fake{}, Listen: listen, Log: slog.New(slog.DiscardHandler)}
		_, err := New(o)
		if (err == nil) != local {
			t.Errorf("%s: %v, want it to be taken: %v", listen, err, local)
		}
		if err != nil && !strings.Contains(err.Error(), "serve.token") {
			t.Errorf("%s: %v does not say what to do", listen, err)
		}
		o.Token = "secret"
		if _, err := New(o); err != nil {
			t.Errorf("%s with a token: %v", listen, err)
		}
	}
}

// What is too large is not read to its end.
func TestLargeBody(t *testing.T) {
	body := `{"bench":"left","suite":"` + strings.Repeat("x", maxBodyBytes) + `"}`
	if got, _ := ask(t, newServer(t, &fake{}, ""), request{method: "POST", path: "/api/v1/runs", body: body}); got != http.StatusRequestEntityTooLarge {
		t.Errorf("%d, want %d", got, http.StatusRequestEntityTooLarge)
	}
}
