package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"powerd/analysis/record"
)

// Kinds of user marks.
const (
	MarkStart = "start"
	MarkEnd   = "end"
)

// UserMark says that something of the user's began or ended, while a run was under way.
type UserMark struct {
	Mark   string  `json:"mark"` // MarkStart or MarkEnd
	Name   string  `json:"name"`
	MonoNs int64   `json:"mono_ns"`         // CLOCK_MONOTONIC of the host that measures
	Count  *uint64 `json:"count,omitempty"` // of an end: how many of Unit were done
	Unit   string  `json:"unit,omitempty"`

	From *record.Remote `json:"from,omitempty"` // nil = made on the host that measures
}

// marksFile holds a line a mark, in the run's engine folder.
const marksFile = "marks.jsonl"

// ErrMark says that a mark cannot be what its user means.
var ErrMark = errors.New("no mark was made")

func refuseMark(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrMark}, args...)...)
}

const (
	maxUnit       = 32
	maxHost       = 64
	maxOffsetU95S = 1    // beyond that no window is worth its name
	maxOffsetS    = 1e10 // of hosts that run for three centuries
)

// check refuses what could not be shown or told apart.
func (m *UserMark) check() error {
	switch {
	case strings.TrimPrefix(m.Name, statePrefix) == "" || len(m.Name) > 64 || strings.Trim(strings.TrimPrefix(m.Name, statePrefix), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "":
		return refuseMark("%q is no name: it takes up to 64 letters, digits, '-', '_' and '.', after %s where it is a power state", m.Name, statePrefix)
	case m.Count != nil && m.Unit == "":
		return refuseMark("%d of what? name the unit of the count", *m.Count)
	case m.Count == nil && m.Unit != "":
		return refuseMark("how many %s? a unit needs its count", m.Unit)
	case m.Count != nil && m.Mark == MarkStart:
		return refuseMark("a count is known at the end of %s; give it there", m.Name)
	case m.From != nil && (m.From.Host == "" || len(m.From.Host) > maxHost || strings.ContainsFunc(m.From.Host, unicode.IsControl)):
		return refuseMark("%q is no name of a host: it takes up to %d characters in a line", m.From.Host, maxHost)
	case m.From != nil && !(m.From.OffsetU95S >= 0 && m.From.OffsetU95S <= maxOffsetU95S && math.Abs(m.From.OffsetS) <= maxOffsetS && m.From.RoundTrips > 0):
		return refuseMark("the clock of %s is known to ± %g s by %d round trips; it takes one and ± %d s", m.From.Host, m.From.OffsetU95S, m.From.RoundTrips, maxOffsetU95S)
	case len(m.Unit) > maxUnit || strings.TrimSpace(m.Unit) != m.Unit || strings.ContainsFunc(m.Unit, unicode.IsControl):
		return refuseMark("%q is no unit: it takes up to %d characters in a line", m.Unit, maxUnit)
	}
	return nil
}

// AddMark adds a mark to the run in dir, which must be under way, and puts it on the
// disk. An end closes the open start of its name, which is returned. What does not fit
// is ErrMark; the file is as before then.
func AddMark(dir string, m UserMark) (started UserMark, err error) {
	if err := m.check(); err != nil {
		return started, err
	}
	path := filepath.Join(dir, "engine", marksFile)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return started, fmt.Errorf("add mark: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil { // until it is closed: two shells may mark at once
		return started, fmt.Errorf("add mark: lock %s: %w", path, err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return started, fmt.Errorf("add mark: %w", err)
	}
	open, isOpen := parseMarks(data).openOf(m.Name)
	switch {
	case m.Mark == MarkStart && isOpen:
		return open, refuseMark("%s was started already and has not ended", m.Name)
	case m.Mark == MarkEnd && !isOpen:
		return open, refuseMark("%s was not started, or has ended already", m.Name)
	}
	line, err := json.Marshal(m)
	if err != nil {
		return open, fmt.Errorf("add mark: %w", err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		line = append([]byte{'\n'}, line...) // behind a line that was torn
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return open, fmt.Errorf("add mark: %w", err)
	}
	if err := f.Sync(); err != nil {
		return open, fmt.Errorf("add mark: %w", err)
	}
	return open, nil
}

// marked is a window between two marks; end is nil while it is open.
type marked struct {
	start UserMark
	end   *UserMark
}

// userMarks are a run's, in the order of their starts.
type userMarks struct {
	windows []marked
	damage  []string // lines that could not be read
}

// openOf returns the start of a name that has not ended.
func (u userMarks) openOf(name string) (UserMark, bool) {
	for _, w := range u.windows {
		if w.start.Name == name && w.end == nil {
			return w.start, true
		}
	}
	return UserMark{}, false
}

// readMarks reads the marks of a run; it has none without their file.
func readMarks(dir string) (userMarks, error) {
	data, err := os.ReadFile(filepath.Join(dir, "engine", marksFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return userMarks{}, nil
	case err != nil:
		return userMarks{}, fmt.Errorf("read marks: %w", err)
	}
	return parseMarks(data), nil
}

func parseMarks(data []byte) userMarks {
	var u userMarks
	for n, line := range bytes.Split(data, []byte{'\n'}) {
		if len(line) == 0 {
			continue
		}
		var m UserMark
		err := json.Unmarshal(line, &m)
		if err == nil {
			err = u.add(m)
		}
		if err != nil {
			u.damage = append(u.damage, fmt.Sprintf("engine/%s:%d: %v", marksFile, n+1, err))
		}
	}
	return u
}

func (u *userMarks) add(m UserMark) error {
	if err := m.check(); err != nil {
		return err
	}
	switch _, isOpen := u.openOf(m.Name); {
	case m.Mark == MarkStart && !isOpen:
		u.windows = append(u.windows, marked{start: m})
		return nil
	case m.Mark == MarkEnd && isOpen:
		for i := range u.windows {
			if w := &u.windows[i]; w.start.Name == m.Name && w.end == nil {
				w.end = &m
				return nil
			}
		}
	}
	return fmt.Errorf("a %q of %s is out of place", m.Mark, m.Name)
}
