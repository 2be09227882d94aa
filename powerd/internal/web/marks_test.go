package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// A host whose clock stands still at 2 s while this one's stands at 5 s marks at 1.5 s of
// its own: that is 4.5 s here, and is known exactly, as no time goes by on the way.
func TestMarkOfAnotherHost(t *testing.T) {
	f := &fake{}
	h := httptest.NewServer(newServer(t, f, "secret").handler)
	defer h.Close()
	c := Dial(h.URL+"/", "secret")
	now := func() quarch.Clock { return quarch.Clock{MonoNs: 2e9} }
	marked, from, err := c.Mark(t.Context(), "", results.UserMark{Mark: results.MarkStart, Name: "tpcc", MonoNs: 1.5e9}, now)
	if err != nil || marked.Run != "/runs/a" {
		t.Fatalf("%+v, %v", marked, err)
	}
	// 0.5 s before its round trips: clocks may run apart by 1000 ppm of that.
	if from.OffsetS != 3 || from.OffsetU95S < 0.0004 || from.OffsetU95S > 0.0006 || from.RoundTrips != roundTrips || from.Host == "" {
		t.Errorf("%+v", from)
	}
	if len(f.marks) != 1 || f.marks[0].MonoNs != 4.5e9 || f.marks[0].From == nil || *f.marks[0].From != from {
		t.Errorf("%+v", f.marks)
	}
	count := uint64(300)
	_, _, err = c.Mark(t.Context(), "", results.UserMark{Mark: results.MarkEnd, Name: "tpcc", MonoNs: 2e9, Count: &count, Unit: "transactions"}, now)
	if err != nil || len(f.marks) != 2 || *f.marks[1].Count != 300 || f.marks[1].MonoNs != 5e9 {
		t.Errorf("%+v, %v", f.marks, err)
	}
	if _, _, err = c.Mark(t.Context(), "", results.UserMark{Mark: results.MarkStart, Name: "tpcc", MonoNs: 2e9}, now); !errors.Is(err, results.ErrMark) {
		t.Errorf("a second start: %v", err)
	}
	if _, _, err = Dial(h.URL, "wrong").Mark(t.Context(), "", results.UserMark{Mark: results.MarkStart, Name: "b", MonoNs: 2e9}, now); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("a wrong token: %v", err)
	}
}

// What a mark over the network must not be: without a word on its host's clock, of a run
// that is not there, or later than now.
func TestMarksThatAreRefused(t *testing.T) {
	const from = `"from":{"host":"b","offset_s":0,"offset_u95_s":0.001,"round_trips":16,"least_round_trip_s":0}`
	for body, want := range map[string]struct {
		status int
		say    string
	}{
		`{"mark":"start","name":"a","mono_ns":5}`:                           {http.StatusUnprocessableEntity, "from"},
		`{"mark":"start","name":"a","mono_ns":5,"from":null}`:               {http.StatusUnprocessableEntity, "from"},
		`{"mark":"middle","name":"a","mono_ns":5,` + from + `}`:             {http.StatusUnprocessableEntity, "mark"},
		`{"mark":"start","name":"a","mono_ns":5100000000,` + from + `}`:     {http.StatusUnprocessableEntity, "100ms in the future"},
		`{"mark":"start","name":"a","mono_ns":5,"run":"../x",` + from + `}`: {http.StatusNotFound, "there is no run ../x"},
		`{"mark":"start","name":"a","mono_ns":5,"dir":"/etc",` + from + `}`: {http.StatusUnprocessableEntity, "dir"},
		`{"mark":"start","name":"a","mono_ns":5000500000,` + from + `}`:     {http.StatusOK, "/runs/a"},
		`{"mark":"start","name":"a","mono_ns":"soon",` + from + `}`:         {http.StatusUnprocessableEntity, "mono_ns"},
	} {
		f := &fake{}
		status, answer := ask(t, newServer(t, f, ""), request{method: "POST", path: "/api/v1/marks", body: body})
		if status != want.status || !strings.Contains(answer, want.say) {
			t.Errorf("%s: %d %s, want %d and %q", body, status, answer, want.status, want.say)
		}
		if (want.status == http.StatusOK) != (len(f.marks) == 1) {
			t.Errorf("%s: %d marks", body, len(f.marks))
		}
	}
}
