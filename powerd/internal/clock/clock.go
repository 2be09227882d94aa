// Package clock is the one reader of the host's real clocks. Everything else
// takes a now func() int64, so that it can live in virtual time.
//
// All times inside powerd are CLOCK_MONOTONIC in nanoseconds. CLOCK_MONOTONIC_RAW
// is kept beside it to judge a module's rate against a clock that nobody slews,
// CLOCK_REALTIME to name an instant for people; a step of the latter moves
// nothing that was measured.
package clock

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"powerd/quarch"
)

// Mono returns CLOCK_MONOTONIC in nanoseconds.
func Mono() int64 { return get(unix.CLOCK_MONOTONIC) }

// Read returns the three clocks. MONOTONIC is read before and after the others
// and the middle taken; of a few tries the tightest is kept, so that a stall in
// between does not look like a step of the wall clock.
func Read() quarch.Clock {
	best, width := quarch.Clock{}, int64(1<<62)
	for range 5 {
		before := Mono()
		raw, utc := get(unix.CLOCK_MONOTONIC_RAW), get(unix.CLOCK_REALTIME)
		after := Mono()
		if after-before < width {
			width = after - before
			best = quarch.Clock{MonoNs: before + (after-before)/2, RawNs: raw, UTCNs: utc}
		}
	}
	return best
}

// Continued is the host's clocks for a run that began in an earlier boot: what they
// have to be put forward by, so that its times go on. The zero Continued is the clocks as
// they are.
type Continued struct{ MonoNs, RawNs int64 }

// Mono returns CLOCK_MONOTONIC, put forward.
func (c Continued) Mono() int64 { return Mono() + c.MonoNs }

// Read returns the three clocks, the first two put forward.
func (c Continued) Read() quarch.Clock {
	r := Read()
	r.MonoNs += c.MonoNs
	r.RawNs += c.RawNs
	return r
}

// BootID names the boot of this machine, since which CLOCK_MONOTONIC counts; "" if the
// kernel does not say.
func BootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// UTC returns the wall time of a reading.
func UTC(c quarch.Clock) time.Time { return time.Unix(0, c.UTCNs).UTC() }

func get(id int32) int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0 // the three clocks exist on every Linux that Go runs on
	}
	return ts.Nano()
}
