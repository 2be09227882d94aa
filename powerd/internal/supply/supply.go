package supply

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"powerd/powerd/internal/benchbook"
	"powerd/quarch"
)

const (
	restoreTimeout = 30 * time.Second
	restoreOff     = 15 * time.Second // longest that a drive's off time is kept by then
	readyTimeout   = 60 * time.Second
	readySlow      = 10 * time.Second // a drive that takes longer than this is talked of
	readersGone    = 3 * time.Second  // how long somebody is waited for who reads a drive
	lookEvery      = 100 * time.Millisecond
)

// AtOnce is the off time of an emulated drive, which has no capacitors.
const AtOnce = time.Nanosecond

// Options say whose supply it is.
type Options struct {
	Bench  string
	Run    string // who touches it: a run's id, or a command
	Module quarch.Module
	Book   *benchbook.Book // nil = nothing is written down
	Target string          // path of the drive; "" = none is known
	Serial string          // the drive's, which must come back; "" = not known
	Off    time.Duration   // least time without power
	Detach bool
	Rescan bool
	Kernel Kernel
	Now    func() int64 // host CLOCK_MONOTONIC in ns
	UTC    func() time.Time
	Say    func(text string) // told what a person has to wait for; may be nil
}

// Kernel is what is asked of this machine about a drive. A drive is named by its path,
// since the kernel may call it otherwise each time that it comes back.
type Kernel interface {
	InUse(path string) error // why its power may not be cut; nil = it may
	OnlyRead(err error) bool // InUse's reason is somebody who reads, and no more
	Flush(path string) error
	Detach(path string) error
	Rescan() error
	Serial(path string) (string, error) // of the drive that a path leads to
}

// Session is one touching of a supply. Its methods are called one at a time, but
// Restore may be called from anywhere.
type Session struct {
	o        Options
	set      quarch.Supply // nil = the module has power alone
	found    benchbook.Found
	beganNs  int64
	runtimeS *float64 // of the module, at beganNs

	mu       sync.Mutex
	touched  bool  // a command was sent, or may have been
	wrote    bool  // what is written down is of this session
	switched bool  // one of them for power
	on       *bool // as it was found or last switched; nil = unknown
	offNs    int64 // host time at which the last power-down was acknowledged
}

// Begin asks how the supply is found.
func Begin(ctx context.Context, o Options) (*Session, error) {
	if o.Off <= 0 {
		return nil, fmt.Errorf("bench %s: off_time is %v; a drive needs some seconds to lose its power (10s)", o.Bench, o.Off)
	}
	s := &Session{o: o}
	s.set, _ = o.Module.(quarch.Supply)
	info, err := o.Module.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("bench %s: ask for its supply: %w", o.Bench, err)
	}
	s.beganNs, s.runtimeS = o.Now(), info.RuntimeS
	s.found = benchbook.Found{On: info.Powered, OutputMode: info.OutputMode}
	s.on = info.Powered
	if s.set == nil {
		return s, nil
	}
	s.found.RailsMV = map[quarch.Rail]int{}
	for _, r := range info.Rails {
		mv, err := s.set.RailVoltage(ctx, r)
		if err != nil { // a module that cannot tell cannot be set either
			continue
		}
		s.found.RailsMV[r] = mv
	}
	return s, nil
}

func (s *Session) say(text string) {
	if s.o.Say != nil {
		s.o.Say(text)
	}
}

// Use goes on with the same module, opened again.
func (s *Session) Use(m quarch.Module) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.o.Module = m
	s.set, _ = m.(quarch.Supply)
}

// Found returns the supply as it was found.
func (s *Session) Found() benchbook.Found { return s.found }

// Off cuts the drive's power. The times are those right before the command was sent
// and right after it was acknowledged.
func (s *Session) Off(ctx context.Context) (sentNs, ackedNs int64, err error) {
	if s.isOn() != known(false) && s.o.Target != "" {
		if err := s.letGo(ctx); err != nil {
			return 0, 0, err
		}
	}
	if err := s.touch(); err != nil {
		return 0, 0, err
	}
	return s.power(ctx, false)
}

// power switches, and keeps in mind what came of it.
func (s *Session) power(ctx context.Context, on bool) (sentNs, ackedNs int64, err error) {
	sentNs = s.o.Now()
	err = s.o.Module.SetPower(ctx, on)
	ackedNs = s.o.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.switched, s.on = true, &on
	if !on {
		s.offNs = ackedNs
	}
	if err != nil {
		s.on = nil
		return sentNs, ackedNs, fmt.Errorf("bench %s: power %s: %w; it is not known whether the drive has power", s.o.Bench, map[bool]string{true: "up", false: "down"}[on], err)
	}
	return sentNs, ackedNs, nil
}

// MayCut says why the drive's power may not be cut, without touching anything; nil = it may.
func (s *Session) MayCut(ctx context.Context) error {
	err := s.same()
	if err == nil {
		err = s.unused(ctx)
	}
	if err != nil {
		return fmt.Errorf("bench %s: %w", s.o.Bench, err)
	}
	return nil
}

// letGo makes sure that it is this drive and that nobody needs it, and lets it write
// out what it has.
func (s *Session) letGo(ctx context.Context) error {
	err := s.same()
	if err == nil {
		err = s.unused(ctx)
	}
	if err == nil {
		err = s.o.Kernel.Flush(s.o.Target)
	}
	if err == nil && s.o.Detach {
		err = s.o.Kernel.Detach(s.o.Target)
	}
	if err != nil {
		return fmt.Errorf("bench %s: power down: %w; the drive still has power", s.o.Bench, err)
	}
	return nil
}

// unused says why the drive's power may not be cut; nil = it may. Whoever only reads may be
// gone soon, as the system is that looks at a drive which has just come: that is waited for.
func (s *Session) unused(ctx context.Context) error {
	gone := time.NewTimer(readersGone)
	defer gone.Stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		err := s.o.Kernel.InUse(s.o.Target)
		if err == nil || !s.o.Kernel.OnlyRead(err) {
			return err
		}
		select {
		case <-tick.C:
		case <-gone.C:
			return err
		case <-ctx.Done():
			return err
		}
	}
}

// same is nil if the path leads to the drive that it should.
func (s *Session) same() error {
	serial, err := s.o.Kernel.Serial(s.o.Target)
	if err == nil && s.o.Serial != "" && serial != s.o.Serial {
		err = fmt.Errorf("the drive at %s is %q, not %q", s.o.Target, serial, s.o.Serial)
	}
	return err
}

// On gives the drive its power back, no sooner than its off time after it was cut.
func (s *Session) On(ctx context.Context) (sentNs, ackedNs int64, err error) {
	if err := s.waitUntil(ctx, s.o.Off); err != nil {
		return 0, 0, err
	}
	if err := s.touch(); err != nil {
		return 0, 0, err
	}
	return s.power(ctx, true)
}

// waitUntil waits until the power has been off for so long.
func (s *Session) waitUntil(ctx context.Context, off time.Duration) error {
	wait := s.offLeft(off)
	if wait <= 0 {
		return context.Cause(ctx)
	}
	left := time.NewTimer(wait)
	defer left.Stop()
	select {
	case <-left.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// offLeft is how long the power has yet to be off until it was off for so long; not
// positive = it may come back.
func (s *Session) offLeft(off time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offNs == 0 {
		return 0
	}
	return time.Duration(s.offNs + off.Nanoseconds() - s.o.Now())
}

// Ready waits until the drive is back under its path.
func (s *Session) Ready(ctx context.Context) error {
	if s.o.Target == "" {
		return nil
	}
	if s.o.Rescan {
		if err := s.o.Kernel.Rescan(); err != nil {
			return fmt.Errorf("bench %s: %w", s.o.Bench, err)
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, errTooLong)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	slow := time.NewTimer(readySlow)
	defer slow.Stop()
	for {
		err := s.same()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-slow.C:
			s.say(fmt.Sprintf("the drive has power and is not back yet; waiting for it up to %v (%v)", readyTimeout, err))
		case <-ctx.Done():
			return fmt.Errorf("bench %s: the drive has power and is not back: %w (%w); is it in its fixture? Some buses need `rescan: true` in the bench", s.o.Bench, err, context.Cause(ctx))
		}
	}
}

var errTooLong = fmt.Errorf("waited for %v", readyTimeout)

// Mode chooses the output mode. What it does to a drive that has power is as bad as
// cutting it, so nobody may need the drive.
func (s *Session) Mode(ctx context.Context, mode string) error {
	if s.set == nil {
		return fmt.Errorf("bench %s: module %T has no output modes", s.o.Bench, s.o.Module)
	}
	if s.isOn() != known(false) && s.o.Target != "" {
		err := s.same()
		if err == nil {
			err = s.unused(ctx)
		}
		if err != nil {
			return fmt.Errorf("bench %s: output mode %s: %w; it is %s as before", s.o.Bench, mode, err, s.found.OutputMode)
		}
	}
	if err := s.touch(); err != nil {
		return err
	}
	if err := s.set.SetOutputMode(ctx, mode); err != nil {
		return fmt.Errorf("bench %s: output mode %s: %w", s.o.Bench, mode, err)
	}
	return nil
}

// touch writes down how the supply was found, before the first command.
func (s *Session) touch() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.touched {
		return nil
	}
	if s.o.Book != nil {
		err := s.o.Book.Update(s.o.Bench, func(e *benchbook.Entry) {
			if s.wrote = e.Supply == nil; s.wrote { // else what the one before found, and never put back, stands
				e.Supply = &benchbook.Supply{Run: s.o.Run, Pid: os.Getpid(), SinceUTC: s.o.UTC().Format(time.RFC3339), Found: s.found}
			}
		})
		if err != nil {
			return fmt.Errorf("nothing was switched: %w", err)
		}
	}
	s.touched = true
	return nil
}
