package emu

import (
	"encoding/json"
	"reflect"
	"testing"

	"powerd/engine/twin/model"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/twinfile"
	"powerd/quarch/sim"
)

// Streams are counted from the run's start, as its results count them; what a fault took
// of them is named with its stream.
func TestStreamsOfTheRun(t *testing.T) {
	var got Truth
	got.streams([]catalog.StreamTruth{
		{StartNs: 4e9, Stripes: 100, Losses: []sim.Loss{{Index: 5, Stripes: 1, What: "before the run"}}},
		{StartNs: 11e9, DriftPPM: 50, Stripes: 300, Losses: []sim.Loss{{Index: 7, Stripes: 23, What: "a byte of its frame was lost"}}},
		{StartNs: 12e9, Stripes: 400, Overrun: true, Losses: []sim.Loss{{Index: 400, Stripes: 90, What: "overrun"}}},
	}, Request{StartedMonoNs: 10e9, Stream: 2})
	want := Truth{
		Clock:  Clock{Stream: 2, OffsetS: 2, Stripes: 400, Overrun: true},
		Clocks: []Clock{{Stream: 1, OffsetS: 1, DriftPPM: 50, Stripes: 300}, {Stream: 2, OffsetS: 2, Stripes: 400, Overrun: true}},
		Losses: []Loss{
			{Stream: 1, FromStripe: 7, Stripes: 23, What: "a byte of its frame was lost"},
			{Stream: 2, FromStripe: 400, Stripes: 90, What: "overrun"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A window without length has no mean: it is absent, and the rest of the truth is told.
func TestWindowsOfNoLength(t *testing.T) {
	c, err := twinfile.Find("seagate-1200-400")
	if err != nil {
		t.Fatal(err)
	}
	d, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	now := func() int64 { return 20e9 }
	twin := &catalog.Twin{Drive: d, Module: catalog.NewSim(catalog.SimOptions{}, d, now)}
	w := Window{Step: "idle", StartMonoNs: 15e9, EndMonoNs: 15e9}
	got := truth(twin, Request{StartedMonoNs: 10e9, Idle: &w, Windows: []Window{w}})
	if _, err := json.Marshal(got); err != nil || got.Idle != nil || len(got.Windows) != 1 || got.Windows[0].RailsW != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
