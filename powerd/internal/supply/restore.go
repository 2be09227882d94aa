package supply

import (
	"context"
	"fmt"
	"strings"
	"time"

	"powerd/powerd/internal/benchbook"
	"powerd/quarch"
)

// Keep ends the session without putting anything back: the state that it made is the
// one that was asked for.
func (s *Session) Keep() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.crossOut()
}

// KeepMode is Keep for a session that has set a mode alone: what an earlier one has left
// of power stands.
func (s *Session) KeepMode() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.wrote {
		s.touched = false
		return nil
	}
	return s.crossOut()
}

// crossOut removes what was written down. The caller holds mu.
func (s *Session) crossOut() error {
	if !s.touched {
		return nil
	}
	if s.o.Book != nil {
		if err := s.o.Book.Update(s.o.Bench, func(e *benchbook.Entry) { e.Supply = nil }); err != nil {
			return err
		}
	}
	s.touched = false
	return nil
}

// Restore puts back what this session changed, and says what it did: nothing, if
// everything is as it was found. The session may go on after it. It keeps the drive's off
// time, up to 15 s, and heeds neither a ctx that was cancelled nor a second Ctrl-C.
func (s *Session) Restore(ctx context.Context) (said string, err error) {
	defer insist()()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreTimeout)
	defer cancel()
	if s.found.On == nil || *s.found.On {
		off := min(s.o.Off, restoreOff)
		if left := s.offLeft(off); left > time.Second {
			s.say(fmt.Sprintf("the drive is off, and gets its power back in %v; Ctrl-C does not hurry that", left.Round(time.Second)))
		}
		if err := s.waitUntil(ctx, off); err != nil {
			return "", err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.touched {
		return "", nil
	}
	did, err := s.putBack(ctx)
	if len(did) > 0 {
		said = "the supply was put back as found: " + strings.Join(did, ", ")
	}
	if err != nil {
		return said, fmt.Errorf("bench %s: put the supply back as found (%s): %w", s.o.Bench, describe(s.found), err)
	}
	return said, s.crossOut()
}

func (s *Session) putBack(ctx context.Context) (did []string, err error) {
	info, err := s.o.Module.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("the module does not say how it is now: %w; last it was %s", err, powerText(s.on))
	}
	if s.restarted(info) {
		return nil, fmt.Errorf("the module restarted meanwhile and is %s now; nothing was switched, `powerd power %s up` does", powerText(info.Powered), s.o.Bench)
	}
	if s.found.OutputMode != "" && info.OutputMode != s.found.OutputMode && s.set != nil && !strings.EqualFold(s.found.OutputMode, "DISABLED") {
		if err := s.set.SetOutputMode(ctx, s.found.OutputMode); err != nil {
			return did, err
		}
		did = append(did, "output mode "+s.found.OutputMode)
	}
	for r := range quarch.ByRail(s.found.RailsMV) {
		want := s.found.RailsMV[r]
		now, err := s.set.RailVoltage(ctx, r)
		if err != nil || now == want {
			continue
		}
		if err := s.set.SetRailVoltage(ctx, r, want); err != nil {
			return did, err
		}
		did = append(did, fmt.Sprintf("%s %d mV", r, want))
	}
	text, err := s.powerBack(ctx, info.Powered)
	if text != "" {
		did = append(did, text)
	}
	return did, err
}

// restarted reports whether the module has been on for less time than it must have been.
func (s *Session) restarted(info quarch.Info) bool {
	return quarch.Restarted(s.runtimeS, info.RuntimeS, s.o.Now()-s.beganNs)
}

// powerBack switches the drive as it was found, if this session has switched it
// otherwise. Whatever else switched it, a protection or a person, had its reason.
func (s *Session) powerBack(ctx context.Context, now *bool) (did string, err error) {
	want := s.found.On
	if want == nil { // a module that does not say: a drive that is measured has power
		on := true
		want = &on
	}
	if now == nil {
		now = s.on
	}
	switch {
	case now == nil && !s.switched, now != nil && *now == *want:
		return "", nil
	case !s.switched, s.on != nil && *s.on == *want:
		return "", fmt.Errorf("the drive's power is %s now, which powerd did not do; nothing was switched", powerText(now))
	}
	if !*want && s.o.Target != "" {
		if err := s.unused(ctx); err != nil {
			return "power left on", fmt.Errorf("the drive was found off and stays on: %w", err)
		}
	}
	if err := s.o.Module.SetPower(ctx, *want); err != nil {
		return "", err
	}
	s.on = want
	return "power " + powerText(want), nil
}

// Leftover is what a session that was killed has left behind.
type Leftover struct {
	Text    string // who left it, how it was found and how it is; "" = nobody left anything
	AsFound bool   // it is as it was found, so that nothing is to be put right
}

// Left looks for what a session that was killed has left behind. It sends queries only.
func Left(ctx context.Context, book *benchbook.Book, bench string, m quarch.Module) (l Leftover, err error) {
	e, err := book.Read(bench)
	if err != nil || e.Supply == nil {
		return l, err
	}
	info, err := m.Info(ctx)
	if err != nil {
		return l, err
	}
	was := e.Supply
	l.Text = fmt.Sprintf("%s, begun %s by process %d, did not put the supply of bench %s back: found with %s, now power %s",
		was.Run, was.SinceUTC, was.Pid, bench, describe(was.Found), powerText(info.Powered))
	if info.OutputMode != "" {
		l.Text += ", output mode " + info.OutputMode
	}
	if l.AsFound = asFound(ctx, m, info, was.Found); l.AsFound {
		l.Text += ": as it was found, so that nothing is to be put right"
	}
	return l, nil
}

// Unsettled says which session has switched a bench's supply and not put it back so far,
// without asking the module; "" = none.
func Unsettled(book *benchbook.Book, bench string) (string, error) {
	e, err := book.Read(bench)
	if err != nil || e.Supply == nil {
		return "", err
	}
	return fmt.Sprintf("%s has switched the supply of bench %s, and has not put it back so far: found with %s; the drive may be without power",
		e.Supply.Run, bench, describe(e.Supply.Found)), nil
}

// asFound reports whether the supply of m is as it was found, as far as m says. now is
// what m says of itself; of its rails it is asked.
func asFound(ctx context.Context, m quarch.Module, now quarch.Info, f benchbook.Found) bool {
	if f.On != nil && now.Powered != nil && *f.On != *now.Powered || f.OutputMode != now.OutputMode {
		return false
	}
	set, ok := m.(quarch.Supply)
	for r, was := range f.RailsMV {
		if !ok {
			break
		}
		if is, err := set.RailVoltage(ctx, r); err == nil && is != was {
			return false
		}
	}
	return true
}
