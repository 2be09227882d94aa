package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	captureDir  = "capture"
	segmentName = "20060102T150405.000Z" // of time.Format, in UTC
	deleting    = ".deleting"            // a segment that is being deleted
)

// Segment is one folder of a bench's recording.
type Segment struct {
	Dir   string
	Start time.Time // UTC
}

// Segments returns a bench's segments in dir, oldest first. Other folders are nobody's
// business.
func Segments(dir string) ([]Segment, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list recordings: %w", err)
	}
	var out []Segment
	for _, e := range entries {
		at, err := time.Parse(segmentName, e.Name())
		if err == nil && e.IsDir() {
			out = append(out, Segment{filepath.Join(dir, e.Name()), at})
		}
	}
	slices.SortFunc(out, byStart)
	return out, nil
}

// allSegments returns the segments of all benches in dir, oldest first; also of benches
// that the settings have no more.
func allSegments(dir string) ([]Segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list recordings: %w", err)
	}
	var out []Segment
	for _, e := range entries {
		some, err := Segments(filepath.Join(dir, e.Name())) // through links
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	slices.SortStableFunc(out, byStart)
	return out, nil
}

func byStart(a, b Segment) int { return a.Start.Compare(b.Start) }

// sizeOf returns the bytes that a folder takes on its disk.
func sizeOf(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		var st unix.Stat_t
		if err == nil {
			err = unix.Lstat(path, &st)
		}
		if errors.Is(err, fs.ErrNotExist) { // renamed or removed since it was listed
			return nil
		}
		bytes += st.Blocks * 512
		return err
	})
	if err != nil {
		return bytes, fmt.Errorf("measure recording: %w", err)
	}
	return bytes, nil
}

// lastWritten returns when the samples in a segment end, when its latest file of them was
// written; and when anything was, which is later where powerd was killed.
func (s Segment) lastWritten() (samples, anything time.Time, err error) {
	samples, anything = s.Start, s.Start
	err = filepath.WalkDir(filepath.Join(s.Dir, captureDir), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		at := info.ModTime().UTC()
		if strings.HasSuffix(path, ".parquet") && at.After(samples) {
			samples = at
		}
		if at.After(anything) {
			anything = at
		}
		return nil
	})
	if err != nil {
		return samples, anything, fmt.Errorf("look at recording: %w", err)
	}
	return samples, anything, nil
}

// remove deletes a segment. What is left of one that could not be deleted whole bears
// another name, so that nobody takes it for a recording.
func (s Segment) remove() error {
	gone := s.Dir + deleting
	if err := os.Rename(s.Dir, gone); err != nil {
		return fmt.Errorf("delete recording: %w", err)
	}
	if err := os.RemoveAll(gone); err != nil {
		return fmt.Errorf("delete recording: %w", err)
	}
	return nil
}

// freeBytes returns what is free on the disk of a folder for who is not root.
func freeBytes(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	return int64(st.Bavail) * st.Bsize, nil
}
