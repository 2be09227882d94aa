package ppm_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
	"powerd/quarch/quarchtest"
	"powerd/quarch/wire"
)

// A stream of 64 µs stripes, ten in 10 ms where 156 are due, breaks off after 5 frames or
// goes on at that. The reader stops it 9 s after its start. What the module says then
// tells why: each cause has its own cure, and only the line that carries less than the
// module makes is cured by a longer period.
func TestWhyStripesDidNotCome(t *testing.T) {
	says := func(text string) []quarchtest.Piece {
		return []quarchtest.Piece{{Text: string(wire.AppendFrame(nil, []byte(text+"\r\n>")))}}
	}
	nothing := []quarchtest.Piece{}
	for name, c := range map[string]struct {
		breaksOff bool
		answers   map[string][]quarchtest.Piece // to commands after that
		patience  time.Duration                 // of the reader
		want      []string
	}{
		"slow line": {
			answers:  map[string][]quarchtest.Piece{"rec stop": nothing},
			patience: 9 * time.Second,
			want:     []string{"the line is too slow for one in 64 µs, raise the averaging"},
		},
		"gone": {
			breaksOff: true, patience: time.Minute,
			answers: map[string][]quarchtest.Piece{"rec stop": nothing, "rec:ave?": nothing},
			want:    []string{"50 stripes came in the 0.0", "nothing in the ", "does not answer now either", "its cable"},
		},
		"gone, and stopped before that is noticed": {
			breaksOff: true, patience: time.Second,
			answers: map[string][]quarchtest.Piece{"rec stop": nothing, "rec:ave?": nothing},
			want:    []string{"50 stripes came in the 0.0", "does not answer now either"},
		},
		"restarted": {
			breaksOff: true, patience: time.Minute,
			answers: map[string][]quarchtest.Piece{"rec stop": says("FAIL: 0x03 -Not running"), "conf:runtimes?": says("4s")},
			want:    []string{"it answers now, and has been on for 4 s: it restarted", "look at its supply"},
		},
		"restarted, and does not say how long ago": {
			breaksOff: true, patience: time.Minute,
			answers: map[string][]quarchtest.Piece{"rec stop": says("FAIL: 0x03 -Not running"), "rec:ave?": says("32k")},
			want:    []string{"an averaging of 32768 where 16 was set: it restarted"},
		},
		"stood still": {
			breaksOff: true, patience: time.Minute,
			answers: map[string][]quarchtest.Piece{"rec stop": nothing, "conf:runtimes?": says("4000s")},
			want:    []string{"it answers now", "stood still for a while", "run again"},
		},
		"an answer got lost": {
			breaksOff: true, patience: time.Minute,
			want: []string{"the stream stalled for", "it answered rec stop at once", "look at cable"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := quarchtest.NewFake(quarch.LinkFramed)
				f.SyncEvery = 0
				var broken atomic.Bool
				f.Damage = func(frame int, b []byte) []byte {
					if frame < 5 || !c.breaksOff && frame > 5 {
						return b
					}
					broken.Store(true)
					if frame > 5 {
						return nil
					}
					return b
				}
				f.Answer = func(cmd string) []quarchtest.Piece {
					if !broken.Load() {
						return nil
					}
					return c.answers[cmd]
				}
				m := open(t, f)
				ctx, cancel := context.WithTimeout(t.Context(), c.patience)
				defer cancel()
				var err error
				for _, e := range m.Stream(ctx) {
					err = e
				}
				if err == nil {
					t.Fatal("the stream ended well")
				}
				if !errors.Is(err, quarch.ErrTimeout) {
					t.Errorf("%v is no timeout", err)
				}
				for _, part := range c.want {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%v\nwant %q in it", err, part)
					}
				}
				if slow := strings.Contains(err.Error(), "too slow"); slow != !c.breaksOff {
					t.Errorf("too slow, it says: %v; %v", slow, err)
				}
			})
		})
	}
}
