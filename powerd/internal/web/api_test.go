package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/runs"
)

// One of two benches has no module: the machine is not healthy, and the answer names the
// bench and the reason, and not the other bench.
func TestHealthNamesTheBench(t *testing.T) {
	status, body := ask(t, newServer(t, &fake{}, ""), request{method: "GET", path: "/healthz"})
	h := into[Health](t, body)
	if status != http.StatusServiceUnavailable || h.Status != "degraded" || len(h.Reasons) != 1 || h.Reasons["right"] != "no module" {
		t.Errorf("%d %s", status, body)
	}
}

// A drive whose power a killed run has left off is the matter with a bench though its
// samples come: 0 W would look like a drive that draws nothing.
func TestHealthTellsOfASupplyThatWasLeft(t *testing.T) {
	const left = "run x has left it off"
	s := newServer(t, &fake{left: left}, "")
	status, body := ask(t, s, request{method: "GET", path: "/healthz"})
	if h := into[Health](t, body); status != http.StatusServiceUnavailable || h.Reasons["left"] != left {
		t.Errorf("%d %s", status, body)
	}
	if _, body = ask(t, s, request{method: "GET", path: "/api/v1/live"}); into[Live](t, body).Benches[0].Left != left {
		t.Errorf("%s", body)
	}
	_, body = ask(t, s, request{method: "GET", path: "/metrics"})
	for _, want := range []string{`powerd_supply_left{bench="left",module="M1"} 1`, `powerd_bench_simulated{bench="left",module="M1"} 1`, `powerd_bench_simulated{bench="right",module="M2"} 0`, `powerd_supply_left{bench="right",module="M2"} 0`} {
		if !strings.Contains(body, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

// Who comes without knowing the addresses is told them; what is not there, and a method that
// an address does not take, are answered in the API's form, whatever is sent.
func TestAddressesAreListed(t *testing.T) {
	s := newServer(t, &fake{}, "")
	for _, path := range []string{"/", "/api/v1/"} {
		status, body := ask(t, s, request{method: "GET", path: path})
		for _, want := range []string{"/healthz", "POST    /api/v1/runs", "DELETE  /api/v1/runs/{id}", "/api/v1/openapi.json", "/metrics", `{"suite":"idle","bench":"NAME"}`} {
			if status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s: %d, lacks %s: %s", path, status, want, body)
			}
		}
	}
	for _, c := range []struct {
		request
		want int
	}{
		{request{method: "GET", path: "/nowhere"}, 404},
		{request{method: "POST", path: "/nowhere", kind: "text/plain"}, 404},
		{request{method: "PUT", path: "/api/v1/runs"}, 405},
		{request{method: "POST", path: "/api/v1/live", kind: "text/plain"}, 405},
	} {
		status, body := ask(t, s, c.request)
		if p := into[huma.ErrorModel](t, body); status != c.want || p.Status != c.want || !strings.Contains(p.Detail, "GET / lists") {
			t.Errorf("%s %s: %d, want %d: %s", c.method, c.path, status, c.want, body)
		}
	}
}

// A daemon on all addresses is told by one that leads to it.
func TestWhereItIsReached(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:7780": "http://127.0.0.1:7780", "[::]:7797": "http://127.0.0.1:7797", "0.0.0.0:1": "http://127.0.0.1:1",
		"[::1]:5": "http://[::1]:5", "192.168.1.5:80": "http://192.168.1.5:80", ":9": "http://127.0.0.1:9", "bench.example:80": "http://bench.example:80",
	} {
		if got := URLOf(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// What the daemon refuses is answered with a status that a program can go by, and with
// the daemon's own words for a person.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{daemon.ErrTaken, http.StatusConflict},
		{daemon.ErrUnknown, http.StatusNotFound},
		{daemon.ErrNotReady, http.StatusServiceUnavailable},
		{daemon.ErrRefused, http.StatusUnprocessableEntity},
		{errors.New("disk"), http.StatusInternalServerError},
	} {
		f := &fake{err: fmt.Errorf("bench left: %w by run left-0", c.err)}
		status, body := ask(t, newServer(t, f, ""), request{method: "POST", path: "/api/v1/runs", body: aRun})
		if status != c.want || !strings.Contains(body, "by run left-0") {
			t.Errorf("%v: %d, want %d: %s", c.err, status, c.want, body)
		}
	}
}

// A request that is not what the API says is refused before the daemon hears of it: a
// mistyped key would else mean more than its sender wanted.
func TestBadRequests(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":        ``,
		"no JSON":        `suite: idle`,
		"no bench":       `{"suite":"idle"}`,
		"empty suite":    `{"suite":"","bench":"left"}`,
		"mistyped allow": `{"suite":"idle","bench":"left","alow":["write"]}`,
		"allow as text":  `{"suite":"idle","bench":"left","allow":"write"}`,
	} {
		f := &fake{}
		status, answer := ask(t, newServer(t, f, ""), request{method: "POST", path: "/api/v1/runs", body: body})
		if status/100 != 4 || len(f.jobs) != 0 {
			t.Errorf("%s: %d, %d runs: %s", name, status, len(f.jobs), answer)
		}
	}
}

// A run is asked for, looked at by its id and by its folder, and interrupted.
func TestRunsOfTheAPI(t *testing.T) {
	s := newServer(t, &fake{}, "")
	status, body := ask(t, s, request{method: "POST", path: "/api/v1/runs", body: aRun})
	if status != http.StatusAccepted || into[daemon.Job](t, body).ID != "left-0" {
		t.Fatalf("%d %s", status, body)
	}
	_, body = ask(t, s, request{method: "GET", path: "/api/v1/runs/left-0"})
	if r := into[OneRun](t, body); r.Asked == nil || r.Asked.Suite != "idle" || r.Run == nil || r.Run.ID != "ra" {
		t.Errorf("the run and its folder: %s", body)
	}
	_, body = ask(t, s, request{method: "GET", path: "/api/v1/runs/r1"})
	if r := into[OneRun](t, body); r.Asked != nil || r.Run == nil || r.Run.Dir != "/runs/r1" {
		t.Errorf("an older run: %s", body)
	}
	if status, body = ask(t, s, request{method: "GET", path: "/api/v1/runs/none"}); status != http.StatusNotFound {
		t.Errorf("%d %s", status, body)
	}
	status, body = ask(t, s, request{method: "DELETE", path: "/api/v1/runs/left-0"})
	if status != http.StatusAccepted || into[daemon.Job](t, body).Outcome != "interrupted" {
		t.Errorf("%d %s", status, body)
	}
	_, body = ask(t, s, request{method: "GET", path: "/api/v1/runs"})
	if l := into[Runs](t, body); len(l.Asked) != 1 || len(l.Runs) != 2 {
		t.Errorf("%s", body)
	}
	_, body = ask(t, s, request{method: "GET", path: "/api/v1/benches"})
	if b := into[Benches](t, body); len(b.Benches) != 2 || b.Benches[0].Consent[0] != "power" || strings.Contains(body, "token") {
		t.Errorf("%s", body)
	}
}

// A run that is asked for each second, while it measures, costs no look at all the others.
func TestFollowingReadsOneFolder(t *testing.T) {
	s := newServer(t, &fake{}, "")
	s.o.Runs = func() ([]runs.Run, error) { t.Error("all runs are read"); return nil, nil }
	ask(t, s, request{method: "POST", path: "/api/v1/runs", body: aRun})
	for name, c := range map[string]struct {
		run  runs.Run
		err  error
		want bool
	}{
		"under way":            {runs.Run{ID: "ra", Outcome: "running"}, nil, true},
		"has only just begun":  {runs.Run{}, errors.New("no run has begun there"), false},
		"one cannot read that": {runs.Run{ID: "ra", Outcome: runs.Unreadable, Why: "torn"}, errors.New("torn"), true},
	} {
		s.o.Open = func(string) (runs.Run, error) { return c.run, c.err }
		status, body := ask(t, s, request{method: "GET", path: "/api/v1/runs/left-0"})
		if r := into[OneRun](t, body); status != http.StatusOK || r.Asked == nil || (r.Run != nil) != c.want {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

// The description that programs are generated from is of OpenAPI 3.1 and has all paths.
func TestOpenAPI(t *testing.T) {
	_, body := ask(t, newServer(t, &fake{}, ""), request{method: "GET", path: "/api/v1/openapi.json"})
	var d struct {
		OpenAPI string                                `json:"openapi"`
		Paths   map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(d.OpenAPI, "3.1.") {
		t.Errorf("it is of %q", d.OpenAPI)
	}
	for path, methods := range map[string][]string{
		"/healthz": {"get"}, "/api/v1/live": {"get"}, "/api/v1/benches": {"get"},
		"/api/v1/runs": {"get", "post"}, "/api/v1/runs/{id}": {"get", "delete"},
	} {
		for _, m := range methods {
			if d.Paths[path][m] == nil {
				t.Errorf("%s %s is not described", m, path)
			}
		}
	}
}

// Whoever looks on is told how well the samples are placed, and why where that is not well.
func TestLiveTellsTheAlignment(t *testing.T) {
	_, body := ask(t, newServer(t, &fake{}, ""), request{method: "GET", path: "/api/v1/live"})
	benches := into[Live](t, body).Benches
	if a := benches[0].Alignment; a == nil || a.Brief() != "alignment degraded: offset 12.500 ms ± 6.00 ms, rate +40.0 ± 0.5 ppm: wide" {
		t.Errorf("%+v", a)
	}
	if benches[1].Alignment != nil {
		t.Errorf("of a bench without samples: %+v", benches[1].Alignment)
	}
}

// Names and helps are as Prometheus wants them: base units, counters that end in _total.
// Energy is none: a rail without a drive reads a little below zero at times, and a counter
// that falls counts as begun anew, so that rates over it would be far too high.
// Values are those of the daemon; what is not known has no line.
func TestMetrics(t *testing.T) {
	c := newCollector(&fake{}, "1.2.3")
	problems, err := testutil.CollectAndLint(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	err = testutil.CollectAndCompare(c, strings.NewReader(`
# HELP powerd_rail_watts Mean power of a rail over the last second.
# TYPE powerd_rail_watts gauge
powerd_rail_watts{bench="left",module="M1",rail="5v"} 2.5
# HELP powerd_rail_joules Energy of a rail in the samples that came since powerd was started, summed exactly; it falls while current is negative.
# TYPE powerd_rail_joules gauge
powerd_rail_joules{bench="left",module="M1",rail="5v"} 2.5
# HELP powerd_lost_stripes_total Stripes that are known to be lost inside a stream.
# TYPE powerd_lost_stripes_total counter
powerd_lost_stripes_total{bench="left",module="M1"} 3
powerd_lost_stripes_total{bench="right",module="M2"} 0
# HELP powerd_module_up 1 while a bench's module delivers samples or is lent to a run, else 0.
# TYPE powerd_module_up gauge
powerd_module_up{bench="left",module="M1"} 1
powerd_module_up{bench="right",module="M2"} 0
# HELP powerd_alignment_ok 1 while samples are placed in the host's time as well as they should be, else 0.
# TYPE powerd_alignment_ok gauge
powerd_alignment_ok{bench="left",module="M1"} 0
# HELP powerd_alignment_offset_u95_seconds Half-width of the 95 % interval of the time at which the stream under way began.
# TYPE powerd_alignment_offset_u95_seconds gauge
powerd_alignment_offset_u95_seconds{bench="left",module="M1"} 0.006
# HELP powerd_module_clock_drift_ratio How far off the module's clock is; positive where its period is long, 1e-6 is 1 ppm.
# TYPE powerd_module_clock_drift_ratio gauge
powerd_module_clock_drift_ratio{bench="left",module="M1"} 4e-05
# HELP powerd_outbox_points Points that InfluxDB has not taken yet.
# TYPE powerd_outbox_points gauge
powerd_outbox_points 7
`), "powerd_rail_watts", "powerd_rail_joules", "powerd_lost_stripes_total", "powerd_module_up",
		"powerd_alignment_ok", "powerd_alignment_offset_u95_seconds", "powerd_module_clock_drift_ratio", "powerd_outbox_points")
	if err != nil {
		t.Error(err)
	}
	if status, body := ask(t, newServer(t, &fake{}, ""), request{method: "GET", path: "/metrics"}); status != http.StatusOK || !strings.Contains(body, `version="1.2.3"`) {
		t.Errorf("%d %s", status, body)
	}
}
