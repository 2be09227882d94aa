package benchbook

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"powerd/analysis/pairing"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// Schema names the version of a bench's file.
const Schema = "powerd.bench/1"

// Entry is what one bench remembers. What is nil is not known.
type Entry struct {
	Pairing *pairing.Evidence `json:"pairing,omitempty"`
	Zero    *results.Zero     `json:"zero,omitempty"`
	Supply  *Supply           `json:"supply,omitempty"` // somebody is touching the supply, or was killed doing so
}

// Supply is who touches a drive's supply, and how it was found.
type Supply struct {
	Run      string `json:"run"` // its id, or the command
	Pid      int    `json:"pid"`
	SinceUTC string `json:"since_utc"`
	Found    Found  `json:"found"`
}

// Found is a supply as it was found.
type Found struct {
	On         *bool               `json:"on,omitempty"` // nil = the module does not say
	OutputMode string              `json:"output_mode,omitempty"`
	RailsMV    map[quarch.Rail]int `json:"rails_mv,omitempty"`
}

// file is what stands on disk.
type file struct {
	Schema string `json:"schema"`
	Bench  string `json:"bench"`
	Entry
}

// Book is the memory of all benches and modules, a folder.
type Book struct{ dir string }

// Open returns the book in a folder, which need not exist yet.
func Open(dir string) *Book { return &Book{dir: dir} }

// Read returns what a bench remembers: nothing, if it was never written of.
func (b *Book) Read(bench string) (Entry, error) {
	p := b.page(bench)
	var f file
	found, err := p.read(&f)
	if err == nil && found && (f.Schema != Schema || f.Bench != bench) {
		err = p.otherThan(f.Schema, "bench "+f.Bench, Schema)
	}
	if err != nil {
		return Entry{}, err
	}
	return f.Entry, nil
}

// Update changes what a bench remembers. Nobody else changes it meanwhile, and after a
// crash either all of the change is there or none.
func (b *Book) Update(bench string, change func(*Entry)) error {
	p := b.page(bench)
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	e, err := b.Read(bench)
	if err != nil {
		return err
	}
	change(&e)
	return p.write(file{Schema: Schema, Bench: bench, Entry: e})
}

// ErrNotWritten marks that nothing can be written down in the folder.
var ErrNotWritten = errors.New("name a folder with room that can be written to with state: in the settings")

func (b *Book) page(bench string) page { return page{path: b.path(bench), of: "bench " + bench} }

func (b *Book) path(bench string) string { return filepath.Join(b.dir, FileName(bench)+".json") }

// FileName returns a bench's name as files and folders bear it: no two benches share
// one.
func FileName(bench string) string {
	var name strings.Builder
	for _, c := range []byte(bench) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.' && name.Len() > 0:
			name.WriteByte(c)
		default:
			fmt.Fprintf(&name, "%%%02X", c)
		}
	}
	return name.String()
}
