package capture

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"powerd/quarch"
)

// Capture is a capture as it stood when it was opened. It may still grow.
type Capture struct {
	dir      string
	meta     Meta
	streams  []*Stream
	events   []quarch.Event
	eventErr error
	warnings []string
}

// Stream is one stream of a capture.
type Stream struct {
	StreamMeta
	info  quarch.Info
	dir   string // of the module's parts
	parts []partFile
	end   uint64
}

// partFile is a part on disk.
type partFile struct {
	name  string
	first uint64
}

// Open opens the capture in dir. It reads meta.json, the events and the names
// of the parts; stripes are read by Stream.Blocks.
func Open(dir string) (*Capture, error) {
	meta, err := readMeta(dir)
	if err != nil {
		return nil, err
	}
	c := &Capture{dir: dir, meta: meta}
	var torn string
	c.events, torn, c.eventErr = openEvents(dir)
	if torn != "" {
		c.warnings = append(c.warnings, torn)
	}
	for _, s := range meta.Streams {
		c.streams = append(c.streams, &Stream{StreamMeta: s, info: meta.module(s.Serial), dir: filepath.Join(dir, folderName(s.Serial))})
	}
	if err := c.findParts(); err != nil {
		return nil, fmt.Errorf("open capture %s: %w", dir, err)
	}
	for _, s := range c.streams {
		slices.SortFunc(s.parts, func(a, b partFile) int { return cmp.Compare(a.first, b.first) })
		var damaged []string
		s.end, damaged = s.findEnd()
		c.warnings = append(append(c.warnings, damaged...), s.cutOff(len(damaged) > 0)...)
	}
	return c, nil
}

func (m *Meta) module(serial string) quarch.Info {
	for _, i := range m.Modules {
		if i.Serial == serial {
			return i
		}
	}
	return quarch.Info{Serial: serial}
}

// findParts lists the folders of the modules.
func (c *Capture) findParts() error {
	if len(c.streams) == 0 {
		return c.refuseOrphans()
	}
	folders := make(map[string]bool)
	for _, s := range c.streams {
		folders[s.dir] = true
	}
	for folder := range folders {
		entries, err := os.ReadDir(folder)
		if os.IsNotExist(err) {
			continue // no part was written
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			c.addFile(folder, e.Name())
		}
	}
	return nil
}

// refuseOrphans fails where there are parts though meta.json knows no stream: a
// stream is written down there before its first part, so meta.json is damaged.
func (c *Capture) refuseOrphans() error {
	parts, err := fs.Glob(os.DirFS(c.dir), "*/s*"+partExt) // the folder's own name may hold what a pattern gives a meaning
	if err == nil && len(parts) > 0 {
		err = fmt.Errorf("%w: %s names no stream, but there is %s", ErrDamaged, filepath.Join(c.dir, metaName), filepath.Join(c.dir, parts[0]))
	}
	return err
}

// addFile gives a part to its stream, and notes what a crash left behind.
func (c *Capture) addFile(folder, name string) {
	path := filepath.Join(folder, name)
	if strings.HasSuffix(name, tempSuffix) {
		c.warnings = append(c.warnings, path+": left over from a crash, ignored")
		return
	}
	number, first, ok := parsePartName(name)
	if !ok {
		return
	}
	for _, s := range c.streams {
		if s.Number == number && s.dir == folder {
			s.parts = append(s.parts, partFile{name: name, first: first})
			return
		}
	}
	c.warnings = append(c.warnings, fmt.Sprintf("%s: stream %d is not in %s, ignored", path, number, metaName))
}

// Meta returns meta.json.
func (c *Capture) Meta() Meta { return c.meta }

// Events returns all events in the order they were written. Where a line other
// than a torn last one could not be read, they come beside an ErrDamaged. Without
// the file there are none, and the error says so.
func (c *Capture) Events() ([]quarch.Event, error) { return c.events, c.eventErr }

// Streams returns the streams in the order they began.
func (c *Capture) Streams() []*Stream { return c.streams }

// Warnings returns what is odd: a torn last event and a file that was being written
// during a crash, which lost nothing that was promised, and parts at a stream's end
// that cannot be read.
func (c *Capture) Warnings() []string { return c.warnings }

// End returns the index one past the last stripe that can be read, 0 if there
// is none.
func (s *Stream) End() uint64 { return s.end }

// Info returns the module as of its latest stream, with the period of this one.
func (s *Stream) Info() quarch.Info {
	i := s.info
	i.PeriodNs, i.Averaging = s.PeriodNs, s.Averaging
	return i
}

// findEnd reads parts from the last until one tells how long it is, and names those
// after it.
func (s *Stream) findEnd() (end uint64, damaged []string) {
	var r tableReader
	for _, p := range slices.Backward(s.parts) {
		t, err := r.open(s.path(p))
		if err == nil {
			return p.first + uint64(t.rows), damaged
		}
		damaged = append(damaged, fmt.Sprintf("read %s: %v; stream %d ends before it", s.path(p), err, s.Number))
	}
	return 0, damaged
}

// cutOff says of a stream that was ended which of its ends have no part; what is missing
// between others is found when they are read. damaged: the last parts are named already.
func (s *Stream) cutOff(damaged bool) []string {
	had := s.Stripes + s.Lost // as long as those that came, and those that were lost
	switch {
	case s.EndNs == 0 || s.Stripes == 0: // it was cut off: nobody knows how far it went
		return nil
	case len(s.parts) == 0:
		return []string{fmt.Sprintf("%s: the parts of stream %d, with %d stripes, are gone", s.dir, s.Number, s.Stripes)}
	}
	first := s.parts[0].first
	gone := int64(had) - int64(s.end-first) // a stream's recording may begin in its middle
	switch {
	case gone <= 0 || damaged:
		return nil
	case s.end == had:
		return []string{fmt.Sprintf("%s: stream %d begins with stripe %d (%s); the %d before it are gone", s.dir, s.Number, first, s.parts[0].name, gone)}
	case first == 0:
		return []string{fmt.Sprintf("%s: stream %d ends with stripe %d (%s); the %d after it are gone", s.dir, s.Number, s.end, s.parts[len(s.parts)-1].name, gone)}
	}
	return []string{fmt.Sprintf("%s: %d stripes at the beginning or the end of stream %d are gone", s.dir, gone, s.Number)}
}

func (s *Stream) path(p partFile) string { return filepath.Join(s.dir, p.name) }
