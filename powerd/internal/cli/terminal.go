package cli

import (
	"encoding/json"
	"io"
	"os"
	"text/tabwriter"

	"golang.org/x/term"
)

// columns returns what lines up tab-separated rows on standard output; it is flushed at
// the end.
func (a *app) columns() *tabwriter.Writer { return tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0) }

// json prints v for programs.
func (a *app) json(v any) error {
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// isTerminal reports whether somebody sits at what is read or written.
func isTerminal(r any) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalSize returns that of the terminal w; ok is false where it is none or does not
// say.
func terminalSize(w io.Writer) (width, height int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return width, height, err == nil && width > 0 && height > 0
}

// terminalWidth returns how wide a table may be.
func terminalWidth(w io.Writer) int {
	if width, _, ok := terminalSize(w); ok {
		return width
	}
	return 120
}
