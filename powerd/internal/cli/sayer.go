package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
)

// sayer writes what a log says as the other lines of a command are written, so that a
// person reads them as one text: "powerd: warning: the module's self test fails (module
// QTL1, answer FAIL)". A line that is written over is taken off first.
type sayer struct {
	w     io.Writer
	level slog.Level
	tty   bool
	with  []slog.Attr
}

// Enabled implements slog.Handler.
func (s *sayer) Enabled(_ context.Context, l slog.Level) bool { return l >= s.level }

// Handle implements slog.Handler.
func (s *sayer) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	if s.tty {
		b.WriteString("\r\x1b[2K")
	}
	b.WriteString("powerd: ")
	switch {
	case r.Level >= slog.LevelError:
		b.WriteString("error: ")
	case r.Level >= slog.LevelWarn:
		b.WriteString("warning: ")
	}
	b.WriteString(r.Message)
	var attrs []string
	add := func(a slog.Attr) bool {
		if v := a.Value.Resolve().String(); v != "" {
			attrs = append(attrs, strings.ReplaceAll(a.Key, "_", " ")+" "+strings.ReplaceAll(v, "\n", "; "))
		}
		return true
	}
	for _, a := range s.with {
		add(a)
	}
	r.Attrs(add)
	if len(attrs) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(attrs, ", "))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(s.w, b.String())
	return err
}

// WithAttrs implements slog.Handler.
func (s *sayer) WithAttrs(as []slog.Attr) slog.Handler {
	t := *s
	t.with = append(slices.Clip(s.with), as...)
	return &t
}

// WithGroup implements slog.Handler; nothing here groups.
func (s *sayer) WithGroup(string) slog.Handler { return s }
