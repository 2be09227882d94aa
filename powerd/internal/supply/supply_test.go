package supply

import (
	"context"
	"errors"
	"fmt"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/powerd/internal/benchbook"
	"powerd/quarch"
	"powerd/quarch/ppm"
	"powerd/quarch/sim"
)

func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// rig is an emulated module with its driver, and a machine whose drive is what the
// test says.
type rig struct {
	t      *testing.T
	module *ppm.Module
	emu    *sim.Module
	book   *benchbook.Book

	mu       sync.Mutex
	commands []string // that touch the supply
	kernel   []string // what this machine was asked for
	inUse    error
	reads    int // so many more looks find somebody who reads
	serial   string
}

func newRig(t *testing.T, powered bool) *rig {
	r := &rig{t: t, book: benchbook.Open(t.TempDir()), serial: "S1"}
	r.emu = sim.New(sim.Options{Powered: powered, Now: monotonic, Log: func(c sim.Command) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if touches(c.Text) {
			r.commands = append(r.commands, c.Text)
		}
	}}, sim.NewConstantLoad(map[string]int{"5v": 5000, "12v": 12_000}, map[string]int{"5v": 420_000, "12v": 73_000}))
	near, far := net.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { r.emu.Serve(ctx, far, quarch.LinkFramed) })
	m, err := ppm.Open(t.Context(), ppm.Options{Conn: near, Port: "pipe", Link: quarch.LinkFramed, Now: monotonic})
	if err != nil {
		t.Fatal(err)
	}
	r.module = m
	t.Cleanup(func() { _ = m.Close(); cancel(); serving.Wait() })
	return r
}

// touches reports whether a command changes power, mode or volts.
func touches(cmd string) bool {
	c := strings.ToLower(strings.TrimSpace(cmd))
	return !strings.HasSuffix(c, "?") && (strings.Contains(c, "pow") || strings.HasPrefix(c, "sig") || strings.Contains(c, "out"))
}

var errReading = errors.New("is open for reading in udev-worker")

func (r *rig) did(what string) { r.mu.Lock(); r.kernel = append(r.kernel, what); r.mu.Unlock() }

func (r *rig) InUse(string) error {
	r.did("in use?")
	if r.reads > 0 {
		r.reads--
		return errReading
	}
	return r.inUse
}
func (r *rig) OnlyRead(err error) bool { return errors.Is(err, errReading) }
func (r *rig) Flush(string) error      { r.did("flush"); return nil }
func (r *rig) Detach(path string) error {
	r.did("detach " + path)
	return nil
}
func (r *rig) Rescan() error { r.did("rescan"); return nil }
func (r *rig) Serial(string) (string, error) {
	r.did("serial?")
	if r.serial == "" {
		return "", errors.New("no such file")
	}
	return r.serial, nil
}

func (r *rig) options() Options {
	return Options{
		Bench: "left", Run: "run-1", Module: r.module, Book: r.book, Target: "/dev/disk/by-id/X", Serial: "S1",
		Off: 20 * time.Millisecond, Kernel: r, Now: monotonic, UTC: func() time.Time { return time.Unix(1_800_000_000, 0).UTC() },
	}
}

func (r *rig) begin(o Options) *Session {
	r.t.Helper()
	s, err := Begin(r.t.Context(), o)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *rig) sent() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.commands)
}

func (r *rig) entry() *benchbook.Supply {
	r.t.Helper()
	e, err := r.book.Read("left")
	if err != nil {
		r.t.Fatal(err)
	}
	return e.Supply
}

func (r *rig) powered() bool {
	r.t.Helper()
	on, err := r.module.Powered(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return on
}

// must fails the test on an error; it takes what a command returns.
func must(t *testing.T, results ...any) {
	t.Helper()
	if err, ok := results[len(results)-1].(error); ok {
		t.Fatal(err)
	}
}

// Whoever begins and touches nothing sends no command that does, and has nothing to put
// back.
func TestBeginningTouchesNothing(t *testing.T) {
	r := newRig(t, true)
	s := r.begin(r.options())
	said, err := s.Restore(t.Context())
	if err != nil || said != "" || len(r.sent()) != 0 || r.entry() != nil {
		t.Errorf("%q, %v, sent %q, written down %+v", said, err, r.sent(), r.entry())
	}
	if f := s.Found(); f.On == nil || !*f.On || f.OutputMode != "5V" || f.RailsMV["5v"] != 5000 || f.RailsMV["12v"] != 12000 {
		t.Errorf("found %+v", f)
	}
}

// A power cycle: nobody must need the drive, it writes out what it has, the kernel
// forgets it; off for the off time at least; on; and back under its path with the same
// serial number. What was found stands written down from before the first command until
// the end.
func TestPowerCycleInOrder(t *testing.T) {
	r := newRig(t, true)
	o := r.options()
	o.Detach, o.Rescan = true, true
	s := r.begin(o)
	_, off, err := s.Off(t.Context())
	must(t, err)
	if r.powered() {
		t.Error("the drive has power after off")
	}
	if e := r.entry(); e == nil || e.Run != "run-1" || e.Found.On == nil || !*e.Found.On || e.SinceUTC != "2027-01-15T08:00:00Z" {
		t.Errorf("written down: %+v", e)
	}
	on, _, err := s.On(t.Context())
	must(t, err)
	if took := on - off; took < o.Off.Nanoseconds() {
		t.Errorf("off for %v, want %v or more", time.Duration(took), o.Off)
	}
	must(t, s.Ready(t.Context()))
	said, err := s.Restore(t.Context())
	if err != nil || said != "" || r.entry() != nil {
		t.Errorf("%q, %v, written down %+v: everything is as it was found", said, err, r.entry())
	}
	if want := []string{"run:power down", "run:power up"}; !reflect.DeepEqual(r.sent(), want) {
		t.Errorf("sent %q, want %q", r.sent(), want)
	}
	if want := []string{"serial?", "in use?", "flush", "detach /dev/disk/by-id/X", "rescan", "serial?"}; !reflect.DeepEqual(r.kernel, want) {
		t.Errorf("asked this machine %q, want %q", r.kernel, want)
	}
}

// A module whose cable was touched is opened again in mid-run: what is switched, and put
// back, is switched there.
func TestModuleThatWasOpenedAgain(t *testing.T) {
	gone, again := newRig(t, true), newRig(t, true)
	s := gone.begin(gone.options())
	s.Use(again.module)
	must(t, second(s.Off(t.Context())))
	_, err := s.Restore(t.Context())
	must(t, err)
	if want := []string{"run:power down", "run:power up"}; len(gone.sent()) > 0 || !slices.Equal(again.sent(), want) {
		t.Errorf("%q to the one that has gone, %q to the one that came back, want %q", gone.sent(), again.sent(), want)
	}
}

// A drive that somebody needs keeps its power: nothing is sent, nothing written down.
func TestDriveInUseKeepsItsPower(t *testing.T) {
	r := newRig(t, true)
	r.inUse = errors.New("/dev/sda is mounted at /data and its power is to be cut; unmount it")
	s := r.begin(r.options())
	_, _, err := s.Off(t.Context())
	if err == nil || !strings.Contains(err.Error(), "bench left") || !strings.Contains(err.Error(), "/data") {
		t.Errorf("%v, want the bench and where it is mounted", err)
	}
	if len(r.sent()) != 0 || r.entry() != nil || !r.powered() {
		t.Errorf("sent %q, written down %+v", r.sent(), r.entry())
	}
}

// Whoever only reads is waited for a little: the system looks at each drive that comes. Who
// goes on reading keeps the drive its power.
func TestReadersAreWaitedFor(t *testing.T) {
	r := newRig(t, true)
	r.reads = 2
	if _, _, err := r.begin(r.options()).Off(t.Context()); err != nil || r.powered() {
		t.Errorf("gone after two looks: %v", err)
	}
	r = newRig(t, true)
	r.reads = 1 << 30
	if _, _, err := r.begin(r.options()).Off(t.Context()); !errors.Is(err, errReading) || len(r.sent()) != 0 {
		t.Errorf("reads on: %v, sent %q", err, r.sent())
	}
}

// A drive that was found off is switched off again in the end, unless somebody has
// begun to use it meanwhile: then it stays on, and that is said.
func TestDriveFoundOffIsOffAgain(t *testing.T) {
	r := newRig(t, false)
	s := r.begin(r.options())
	must(t, second(s.Off(t.Context())))
	must(t, second(s.On(t.Context())))
	r.inUse = errors.New("it is mounted")
	if _, err := s.Restore(t.Context()); err == nil || !strings.Contains(err.Error(), "stays on: it is mounted") || !r.powered() {
		t.Errorf("in use: %v", err)
	}
	r.inUse = nil
	said, err := s.Restore(t.Context())
	if err != nil || said != "the supply was put back as found: power OFF" || r.powered() || r.entry() != nil {
		t.Errorf("%q, %v", said, err)
	}
}

func second(_, _ int64, err error) error { return err }

// Mode and volts go back too.
func TestModeAndVoltsGoBack(t *testing.T) {
	r := newRig(t, true)
	s := r.begin(r.options())
	must(t, s.Mode(t.Context(), "3V3"))
	must(t, r.module.SetRailVoltage(t.Context(), "12v", 11_500)) // as a margin test would
	said, err := s.Restore(t.Context())
	if err != nil || said != "the supply was put back as found: output mode 5V, 12v 12000 mV" {
		t.Errorf("%q, %v", said, err)
	}
	if mode, err := r.module.OutputMode(t.Context()); err != nil || mode != "5V" {
		t.Errorf("mode %q, %v", mode, err)
	}
}

// However a session is cut short, the state as found comes back: off and on in twenty
// ways, the context cancelled at each of them.
func TestInterruptedAtTwentyMoments(t *testing.T) {
	for i := range 20 {
		found := i%2 == 0
		r := newRig(t, found)
		o := r.options()
		o.Off = time.Duration(i) * time.Millisecond / 2
		o.Off = max(o.Off, time.Millisecond)
		s := r.begin(o)
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(i)*300*time.Microsecond, cancel)
		for range 3 {
			if _, _, err := s.Off(ctx); err != nil {
				break
			}
			if _, _, err := s.On(ctx); err != nil {
				break
			}
		}
		timer.Stop()
		cancel()
		if _, err := s.Restore(ctx); err != nil {
			t.Errorf("moment %d: %v", i, err)
		}
		if r.powered() != found || r.entry() != nil {
			t.Errorf("moment %d: power %v, want %v as found; written down %+v", i, r.powered(), found, r.entry())
		}
	}
}

// A session that was killed with the drive off has left its word: the next start says
// what was found and what is, and sends nothing. The next session keeps that word until
// it has put it right.
func TestKilledSessionIsTold(t *testing.T) {
	r := newRig(t, true)
	s := r.begin(r.options())
	must(t, second(s.Off(t.Context()))) // and here it is killed
	before := len(r.sent())
	left, err := Left(t.Context(), r.book, "left", r.module)
	text := left.Text
	if err != nil || !strings.Contains(text, "run-1, begun 2027-01-15T08:00:00Z") || !strings.Contains(text, "found with power ON, output mode 5V") || !strings.Contains(text, "now power OFF") {
		t.Errorf("%q, %v", text, err)
	}
	if len(r.sent()) != before {
		t.Errorf("sent %q", r.sent()[before:])
	}
	o := r.options()
	o.Run = "powerd power left up"
	next := r.begin(o)
	must(t, second(next.On(t.Context())))
	if e := r.entry(); e == nil || e.Run != "run-1" || !*e.Found.On {
		t.Errorf("the word of the killed session is gone before all is right: %+v", e)
	}
	must(t, next.Keep())
	if left, err := Left(t.Context(), r.book, "left", r.module); left.Text != "" || err != nil {
		t.Errorf("after it was put right: %q, %v", left.Text, err)
	}
}

// A module that restarted has switched off by itself. Switching on again is not ours to
// decide: it may have restarted because of the drive.
func TestModuleThatRestartedIsLeftAlone(t *testing.T) {
	r := newRig(t, true)
	s := r.begin(r.options())
	long := 3600.0
	s.runtimeS = &long // it had been on for an hour
	must(t, second(s.Off(t.Context())))
	before := len(r.sent())
	_, err := s.Restore(t.Context())
	if err == nil || !strings.Contains(err.Error(), "restarted meanwhile and is OFF now") {
		t.Errorf("%v", err)
	}
	if len(r.sent()) != before || r.entry() == nil {
		t.Errorf("sent %q, written down %+v", r.sent()[before:], r.entry())
	}
}

// Power that something else cut is not given back: a module that protects the drive
// from too much current has its reason. Neither is power that a person gave taken away.
func TestPowerThatSomethingElseSwitched(t *testing.T) {
	for _, found := range []bool{true, false} {
		r := newRig(t, found)
		s := r.begin(r.options())
		must(t, s.Mode(t.Context(), "3V3"))
		must(t, r.module.SetPower(t.Context(), !found))
		said, err := s.Restore(t.Context())
		if err == nil || !strings.Contains(err.Error(), "which powerd did not do; nothing was switched") || said != "the supply was put back as found: output mode 5V" {
			t.Errorf("found on %v: %q, %v", found, said, err)
		}
		if r.powered() == found || r.entry() == nil {
			t.Errorf("found on %v: power %v, written down %+v", found, r.powered(), r.entry())
		}
	}
}

// The mode of a drive that somebody needs is not changed under it; without power it is.
func TestModeOfADriveInUse(t *testing.T) {
	for on, sent := range map[bool]int{true: 0, false: 1} {
		r := newRig(t, on)
		r.inUse = errors.New("it is mounted")
		s := r.begin(r.options())
		if err := s.Mode(t.Context(), "3V3"); (err != nil) != on || len(r.sent()) != sent {
			t.Errorf("power %v: %v, sent %q", on, err, r.sent())
		}
	}
}

// The power of another drive under the same path is not cut.
func TestAnotherDriveKeepsItsPower(t *testing.T) {
	r := newRig(t, true)
	s := r.begin(r.options())
	r.serial = "S2"
	if _, _, err := s.Off(t.Context()); err == nil || !strings.Contains(err.Error(), `is "S2", not "S1"`) || len(r.sent()) != 0 {
		t.Errorf("%v, sent %q", err, r.sent())
	}
}

// Another drive under the path is not the drive.
func TestAnotherDriveComesBack(t *testing.T) {
	r := newRig(t, true)
	s := r.begin(r.options())
	r.serial = "S2"
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, errors.New("long enough"))
	defer cancel()
	if err := s.Ready(ctx); err == nil || !strings.Contains(err.Error(), `is "S2", not "S1"`) {
		t.Errorf("%v", err)
	}
}

// An off time of nothing is no power cycle.
func TestOffTimeOfZero(t *testing.T) {
	r := newRig(t, true)
	o := r.options()
	o.Off = 0
	if _, err := Begin(t.Context(), o); err == nil || !strings.Contains(err.Error(), "bench left: off_time is 0s") {
		t.Errorf("%v", err)
	}
}

// Where nothing can be written down nothing is switched: nobody could tell later.
func TestNothingIsSwitchedWithoutAWord(t *testing.T) {
	r := newRig(t, true)
	o := r.options()
	o.Book = benchbook.Open("/proc/none")
	s := r.begin(o)
	if _, _, err := s.Off(t.Context()); err == nil || len(r.sent()) != 0 {
		t.Errorf("%v, sent %q", err, fmt.Sprint(r.sent()))
	}
}

// A mode that is set by hand leaves alone what a killed session has said of power: that
// is not put right by it.
func TestModeLeavesTheWordOfAKilledSession(t *testing.T) {
	r := newRig(t, true)
	must(t, second(r.begin(r.options()).Off(t.Context()))) // and here it is killed
	next := r.begin(r.options())
	must(t, next.Mode(t.Context(), "3V3"))
	must(t, next.KeepMode())
	if e := r.entry(); e == nil || !*e.Found.On {
		t.Errorf("the word is gone, the drive is off: %+v", e)
	}
	alone := newRig(t, false)
	s := alone.begin(alone.options())
	must(t, s.Mode(t.Context(), "3V3"))
	must(t, s.KeepMode())
	if e := alone.entry(); e != nil {
		t.Errorf("a mode that was asked for is told as left over: %+v", e)
	}
}
