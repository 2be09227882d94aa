package benchbook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"powerd/powerd/internal/textfile"
)

// page is a file of the book.
type page struct {
	path string
	of   string // "bench left"
}

// read decodes the page into what v points to; found is false where nobody wrote it yet.
func (p page) read(v any) (found bool, err error) {
	data, err := os.ReadFile(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read what %s remembers: %w", p.of, err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err = d.Decode(v)
	if err == nil && d.More() {
		err = errors.New("there is more behind the entry")
	}
	if err != nil {
		return false, fmt.Errorf("read what %s remembers: %s: %w; move the file away if it is of no use", p.of, p.path, err)
	}
	return true, nil
}

// otherThan is the error of a page that is not what its name says.
func (p page) otherThan(schema, of, want string) error {
	return fmt.Errorf("read what %s remembers: %s is of schema %q and %s, want %q; move it away", p.of, p.path, schema, of, want)
}

// nonsense is the error of a page that can be read and cannot be right.
func (p page) nonsense(why string) error {
	return fmt.Errorf("read what %s remembers: %s: %s; move the file away if it is of no use", p.of, p.path, why)
}

// write puts v on the page, all of it or nothing, also if the machine goes down.
func (p page) write(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = textfile.ReplaceSynced(p.path, append(data, '\n'))
	}
	return p.unwritten(err)
}

func (p page) unwritten(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write what %s remembers: %w; %w", p.of, err, ErrNotWritten)
}

// lock waits until nobody else writes on the page.
func (p page) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(p.path), 0o755); err != nil {
		return nil, p.unwritten(err)
	}
	f, err := os.OpenFile(p.path+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, p.unwritten(err)
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, p.unwritten(err)
	}
	return func() { f.Close() }, nil // the lock goes with the descriptor
}
