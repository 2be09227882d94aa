package measure_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/powerd/internal/results"
	"powerd/quarch"
	"powerd/quarch/sim"
)

// What powerd reports under each fault of a bench. The drive is idle for 4 s (2.1 W
// from 5 V, 0.6 W from 12 V), then loaded for 4 s, during which it draws 1.5 W more from
// 5 V. Whatever is wrong, a figure that is given holds the truth within its ±; what
// cannot be supported is withheld with the reason; a run that cannot go on ends with
// the cause; and none of them hangs.
//
// Samples are 128 µs long, so that the module sends a frame of some 23 stripes every 3 ms.
func TestUnderEveryFault(t *testing.T) {
	const given = "" // the figure is given
	for _, c := range []struct {
		faults     string // separated by blanks
		idle, load string // given, or why it is withheld
		ends       string // the run fails, with these words
		warns      string // code of a warning that must be there
		loses      bool   // stripes, all of which are counted
	}{
		{faults: "", idle: given, load: given},

		// A byte or a length that is wrong costs the frame it is in, and no other.
		{faults: "lost-byte:at=2s", idle: given, load: given, warns: "lost_stripes", loses: true},
		{faults: "lost-byte:p=0.002", idle: given, load: given, warns: "lost_stripes", loses: true},
		{faults: "wrong-length:at=2s", idle: given, load: given, warns: "lost_stripes", loses: true},
		// One frame in twenty is lost: 5 % of a window are too much to say what it holds.
		{faults: "lost-byte:p=0.05", idle: "samples cover 9", load: "samples cover 9", warns: "lost_stripes", loses: true},

		// A frame that comes twice puts all that follow in the wrong place. By 3 ms it is
		// within what the start of the stream leaves open, and in the ±; by 15 ms stripes
		// arrive before they were asked for.
		{faults: "duplicated-block:at=2s", idle: given, load: given},
		{faults: "duplicated-block:at=2s,count=5", idle: "cannot be placed", load: "cannot be placed", warns: "alignment_none"},
		{faults: "duplicated-block:p=0.05", idle: "cannot be placed", load: "cannot be placed", warns: "alignment_none"},

		// How bytes are cut up, or how late they come, changes nothing but the ±.
		{faults: "split-writes:bytes=40", idle: given, load: given},
		{faults: "merged-writes", idle: given, load: given},
		{faults: "stall:at=2s,by=80ms", idle: given, load: given},
		{faults: "stall:p=0.01", idle: given, load: given},
		{faults: "delay:model=usbcdc", idle: given, load: given},
		{faults: "delay:model=tcp", idle: given, load: given},
		{faults: "delay:model=ftdi1", idle: given, load: given},
		{faults: "delay:model=ftdi16", idle: given, load: given},
		{faults: "delay:model=ftdi16-locked", idle: given, load: given, warns: "alignment_degraded"}, // 16 ms in step with the timer
		{faults: "delay:model=exp5+16", idle: given, load: given, warns: "alignment_degraded"},
		{faults: "delay:model=tcp stall:p=0.01 lost-byte:p=0.002 split-writes:bytes=100 warm-up:ppm=50", idle: given, load: given, warns: "lost_stripes", loses: true},

		// 12 bytes in 128 µs are 940 kbit/s.
		{faults: "slow-line:baud=1500000", idle: given, load: given},
		{faults: "slow-line:baud=115200", ends: "the line is too slow for one in 128 µs, raise the averaging"},

		// A clock that warms up is followed. Where one stood still, and for how long, the
		// arrivals tell: there are no samples of that time. 50 ms are 1.25 % of the idle, in
		// which it was.
		{faults: "warm-up:ppm=100", idle: given, load: given},
		{faults: "clock-step:at=2s", idle: "samples cover 98.7 %", load: given, warns: "uncounted_stripes"},
		{faults: "clock-step:at=2s,by=3s", idle: "placed within", load: given, warns: "uncounted_stripes"},

		// A stream that is not there to the end is the end of the run.
		{faults: "overrun:at=6s", idle: given, load: "cut short", ends: "module overrun after 46875 stripes; raise the averaging"}, // 6 s / 128 µs
		{faults: "early-end:at=6s", idle: given, load: "cut short", ends: "ended the stream early after 46875 stripes"},
		{faults: "early-end:at=6s,status=0", idle: given, load: "cut short", ends: "ended the stream unasked after 46875 stripes"},
		{faults: "unplug:at=6s", idle: given, load: "cut short", ends: "port unplugged"},
		{faults: "reset:at=6s", idle: given, load: "cut short", ends: "port unplugged"},
		{faults: "silent:at=6s", idle: given, load: "cut short", ends: "no answer from the module: the stream stalled"},
		{faults: "sync-ignored:at=6s", idle: given, load: "cut short", ends: "the stream stalled"},
		// A sync whose answer was lost holds the module up for 3 s; then it is answered
		// again, and all that had waited comes late.
		{faults: "sync-ignored:at=2s,for=1s", idle: "placed within", load: "placed within", warns: "alignment_degraded"},

		// What a header says is believed whole or not at all; what comes before it is skipped.
		{faults: "header-mismatch", ends: "the stream's header says a period of 131072 µs, rec:ave? said 128 µs: nothing of it is used"},
		{faults: "garbage", idle: given, load: given},
		{faults: "garbage:bytes=3", idle: given, load: given},

		// 13 A is where the module's readings end: at least so much flowed.
		{faults: "saturated:at=2s,for=100ms", idle: "5V reads 13 A in it, the end of the module's range", load: given},
		{faults: "saturated:at=2s,rail=12v", idle: "12V reads 13 A", load: "12V reads 13 A"},

		// Without a rail that the drive uses there is no total: of its idle power, of a load,
		// and none to divide IO by.
		{faults: "rail-missing", idle: "12V not measured", load: "12V not measured", warns: "partial_total"},
		{faults: "rail-missing:rail=5v", idle: "5V not measured", load: "5V not measured", warns: "partial_total"},
	} {
		t.Run(c.faults, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := runUnder(t, c.faults)
				switch {
				case c.ends == "" && r.err != nil:
					t.Errorf("the run ended with %v", r.err)
				case c.ends != "" && (r.err == nil || !strings.Contains(r.err.Error(), c.ends)):
					t.Errorf("the run ended with %v, want %q", r.err, c.ends)
				case c.ends != "" && r.doc.Run.Outcome != results.Failed:
					t.Errorf("outcome %s beside %v", r.doc.Run.Outcome, r.err)
				}
				if took := r.tookS; took > 30 {
					t.Errorf("it took %.0f s", took)
				}
				if c.idle != given || c.load != given || c.ends == "" {
					r.reports("idle.idle", r.idleGiven(), c.idle)
					r.reports("efficiency.load", r.loadGiven(), c.load)
				}
				r.nothingWrong()
				r.lost(c.loses)
				if c.warns != "" && !slices.ContainsFunc(r.doc.Warnings, func(w results.Warning) bool { return w.Code == c.warns }) {
					t.Errorf("no warning %s in %v", c.warns, r.doc.Warnings)
				}
			})
		})
	}
}

// The same on the terminal link, which is polled: four questions a reading.
func TestPolledUnderFaults(t *testing.T) {
	for _, c := range []struct {
		faults string
		idle   string // "": the figure is given; else why it is withheld
		ends   string // the run fails, with these words
	}{
		{"no-echo", "", ""},
		{"slow-line:baud=19200", "", ""},
		{"split-writes:bytes=1 delay:model=ftdi16", "", ""},
		{"delay:model=exp5+16 no-echo", "", ""},
		{"merged-writes:by=100ms", "", ""},
		// A question that is not heard costs the patience with its reply, 3 s of 8.
		{"silent:at=3s,for=1s", "samples cover 6", ""},
		// What was read until the end is given, as far as the end is near.
		{"silent:at=3s", "samples cover 3", "no answer"},
		{"unplug:at=3s", "", "unplugged"},
		{"reset:at=3s", "", "unplugged"},
	} {
		t.Run(c.faults, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := faultyBench(t, sim.Options{Link: quarch.LinkTerminal}, c.faults)
				r.run(idleStep("idle", 8*time.Second))
				switch {
				case c.ends == "" && r.err != nil:
					t.Errorf("the run ended with %v", r.err)
				case c.ends != "" && (r.err == nil || !strings.Contains(r.err.Error(), c.ends)):
					t.Errorf("the run ended with %v, want %q", r.err, c.ends)
				}
				if r.tookS > 30 {
					t.Errorf("it took %.0f s", r.tookS)
				}
				r.reports("idle.idle", r.idleGiven(), c.idle)
				for _, i := range r.doc.Idles {
					if i.Total.MeanW != nil && math.Abs(*i.Total.MeanW-2.7) > 1e-6 { // a drive whose power is the same all the time
						t.Errorf("idle draws %v W, want 2.7", *i.Total.MeanW)
					}
				}
			})
		})
	}
}
