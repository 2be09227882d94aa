package benchbook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"powerd/analysis/pairing"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/textfile"
	"powerd/quarch"
)

// Schema names the version of the files.
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

// Book is the memory of all benches, a folder.
type Book struct{ dir string }

// Open returns the book in a folder, which need not exist yet.
func Open(dir string) *Book { return &Book{dir: dir} }

// Read returns what a bench remembers: nothing, if it was never written of.
func (b *Book) Read(bench string) (Entry, error) {
	path := b.path(bench)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, nil
	}
	if err != nil {
		return Entry{}, fmt.Errorf("read what bench %s remembers: %w", bench, err)
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err = d.Decode(&f)
	if err == nil && d.More() {
		err = errors.New("there is more behind the entry")
	}
	if err != nil {
		return Entry{}, fmt.Errorf("read what bench %s remembers: %s: %w; move the file away if it is of no use", bench, path, err)
	}
	if f.Schema != Schema || f.Bench != bench {
		return Entry{}, fmt.Errorf("read what bench %s remembers: %s is of schema %q and bench %q, want %q; move it away", bench, path, f.Schema, f.Bench, Schema)
	}
	return f.Entry, nil
}

// Update changes what a bench remembers. Nobody else changes it meanwhile, and after a
// crash either all of the change is there or none.
func (b *Book) Update(bench string, change func(*Entry)) error {
	unlock, err := b.lock(bench)
	if err != nil {
		return b.unwritten(bench, err)
	}
	defer unlock()
	e, err := b.Read(bench)
	if err != nil {
		return err
	}
	change(&e)
	data, err := json.MarshalIndent(file{Schema: Schema, Bench: bench, Entry: e}, "", "  ")
	if err == nil {
		err = textfile.ReplaceSynced(b.path(bench), append(data, '\n'))
	}
	if err != nil {
		return b.unwritten(bench, err)
	}
	return nil
}

// ErrNotWritten marks that nothing can be written down in the folder.
var ErrNotWritten = errors.New("name a folder with room that can be written to with state: in the settings")

func (b *Book) unwritten(bench string, err error) error {
	return fmt.Errorf("write what bench %s remembers: %w; %w", bench, err, ErrNotWritten)
}

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

// lock waits until nobody else writes of the bench.
func (b *Book) lock(bench string) (unlock func(), err error) {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(b.path(bench)+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil // the lock goes with the descriptor
}
