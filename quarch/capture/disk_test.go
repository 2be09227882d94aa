package capture

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
)

// The disk takes nothing: a part is waited for as long as StallLimit says, and
// then that is the error, for good.
func TestDiskThatDoesNotFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		d := &disk{dir: "/captures/r1", free: make(chan *part)} // nobody frees a part
		now := func() int64 { return time.Since(start).Nanoseconds() }
		if _, _, err := d.take(now); !errors.Is(err, ErrDiskSlow) {
			t.Errorf("error %v, want ErrDiskSlow", err)
		}
		if waited := time.Since(start); waited != StallLimit {
			t.Errorf("waited %v, want %v", waited, StallLimit)
		}
		if !errors.Is(d.failure(), ErrDiskSlow) {
			t.Error("the failure is forgotten")
		}
	})
}

// The disk is 3 s late: the part comes, and how long it took is known.
func TestDiskThatIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		d := &disk{free: make(chan *part)}
		go func() {
			<-time.After(3 * time.Second)
			d.free <- new(part)
		}()
		p, waitedNs, err := d.take(func() int64 { return time.Since(start).Nanoseconds() })
		if p == nil || err != nil || waitedNs != 3_000_000_000 {
			t.Errorf("part %v after %d ns (%v), want one after 3 s", p, waitedNs, err)
		}
	})
}

// A part that had to wait leaves a warning event that says for how long.
func TestWaitingIsAnEvent(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		now := func() int64 { return time.Since(start).Nanoseconds() }
		log, err := createEventLog(dir, now)
		if err != nil {
			t.Fatal(err)
		}
		w := &Writer{now: now, events: log, disk: &disk{free: make(chan *part)}}
		go func() {
			<-time.After(3 * time.Second)
			w.disk.free <- new(part)
		}()
		if err := w.newPart(partHead{stream: 1, first: 125_000}); err != nil {
			t.Fatal(err)
		}
	})
	events, _, err := openEvents(dir)
	if err != nil || len(events) != 1 {
		t.Fatalf("events %v (%v), want one", events, err)
	}
	e := events[0]
	if e.Kind != quarch.EventWarning || e.Data["code"] != "disk_slow" || e.Data["waited_ns"] != int64(3_000_000_000) {
		t.Errorf("event %+v, want the warning disk_slow after 3 s", e)
	}
}
