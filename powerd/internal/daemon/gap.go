package daemon

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"powerd/analysis"
	"powerd/quarch"
)

// Causes of gaps.
const (
	CauseUnplugged = "unplugged"     // the port is gone
	CauseSilent    = "silent"        // no answer, or the stream stalled
	CauseOverrun   = "overrun"       // the module ended the stream: it was read too slowly
	CauseOther     = "other_module"  // another module than the bench's is on the port
	CauseBusy      = "busy"          // another process holds the port
	CauseRun       = "run"           // the module was lent to a run
	CauseStopped   = "not_running"   // powerd was not running
	CauseDisk      = "disk"          // the disk was full or failed: samples came and were not kept
	CauseError     = "module_failed" // anything else that the text tells
)

// ErrOther marks a module that is not the bench's.
var ErrOther = errors.New("another module")

// causeOf returns the cause that an error of a module stands for.
func causeOf(err error) string {
	for _, c := range []struct {
		err   error
		cause string
	}{
		{ErrOther, CauseOther},
		{quarch.ErrUnplugged, CauseUnplugged},
		{fs.ErrNotExist, CauseUnplugged},
		{quarch.ErrOverrun, CauseOverrun},
		{quarch.ErrTimeout, CauseSilent},
		{quarch.ErrBusy, CauseBusy},
	} {
		if errors.Is(err, c.err) {
			return c.cause
		}
	}
	return CauseError
}

// Gap is time from which a bench has no samples on disk.
type Gap struct {
	Cause       string    `json:"cause"`
	Text        string    `json:"text"`
	StartUTC    time.Time `json:"start_utc"`
	EndUTC      time.Time `json:"end_utc,omitzero"` // absent while it lasts
	StartMonoNs int64     `json:"start_mono_ns"`    // host CLOCK_MONOTONIC; negative if before the host came up
	EndMonoNs   int64     `json:"end_mono_ns,omitempty"`
	Restarted   bool      `json:"module_restarted,omitempty"` // the module was without power meanwhile
}

// Seconds returns its length.
func (g *Gap) Seconds() float64 { return float64(g.EndMonoNs-g.StartMonoNs) * 1e-9 }

func (g *Gap) String() string {
	s := fmt.Sprintf("no samples for %.3f s from %s: %s", g.Seconds(), g.StartUTC.Format(time.RFC3339Nano), g.Text)
	if g.Restarted {
		s += "; the module was switched off and on meanwhile"
	}
	return s
}

// event is what the recording that follows keeps of it.
func (g *Gap) event() quarch.Event {
	return quarch.Event{MonoNs: g.EndMonoNs, Kind: quarch.EventWarning, Text: g.String(), Data: map[string]any{
		"code": "gap", "cause": g.Cause, "start_mono_ns": g.StartMonoNs, "end_mono_ns": g.EndMonoNs,
		"start_utc_ns": g.StartUTC.UnixNano(), "end_utc_ns": g.EndUTC.UnixNano(), "module_restarted": g.Restarted,
	}}
}

// GapTable is what stores take of gaps.
func GapTable(gaps []Gap) *analysis.Table {
	t := &analysis.Table{
		Name: "gap", Title: "Time without samples",
		Columns: []analysis.Column{
			{Name: "cause", Head: "Cause", Kind: analysis.Key},
			{Name: "duration_s", Head: "Length", Unit: "s", Kind: analysis.Quantity},
			{Name: "text", Head: "Why", Kind: analysis.Text},
		},
	}
	for i := range gaps {
		g := &gaps[i]
		t.Rows = append(t.Rows, analysis.Row{StartNs: g.StartMonoNs, EndNs: g.EndMonoNs, Cells: []analysis.Cell{
			analysis.Word(g.Cause), analysis.Val(g.Seconds()), analysis.Word(g.String()),
		}})
	}
	return t
}

const (
	gapsFile  = "gaps.jsonl"
	olderGaps = gapsFile + ".1"
	gapsMax   = 8 << 20 // bytes; then the file is put aside in place of an older one
)

// appendGap writes a gap to the bench's file.
func appendGap(dir string, g *Gap) error {
	line, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("encode gap: %w", err)
	}
	path := filepath.Join(dir, gapsFile)
	if st, err := os.Stat(path); err == nil && st.Size() > gapsMax {
		if err := os.Rename(path, filepath.Join(dir, olderGaps)); err != nil {
			return fmt.Errorf("keep gap: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("keep gap: %w", err)
	}
	line = append(line, '\n')
	if isTorn(f) {
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(line)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("keep gap: %w", err)
	}
	return nil
}

// isTorn reports whether a file ends within a line, as a crash leaves it.
func isTorn(f *os.File) bool {
	end, err := f.Seek(0, io.SeekEnd)
	last := []byte{'\n'}
	if err == nil && end > 0 {
		_, err = f.ReadAt(last, end-1)
	}
	return err == nil && last[0] != '\n'
}

// lastGap returns the last gap of the bench's file, nil if there is none. A torn line,
// as a crash leaves, is passed over.
func lastGap(dir string) *Gap {
	data, err := os.ReadFile(filepath.Join(dir, gapsFile))
	if err != nil {
		return nil
	}
	var last *Gap
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var g Gap
		if json.Unmarshal(lines.Bytes(), &g) == nil && !g.EndUTC.IsZero() {
			last = &g
		}
	}
	return last
}

// lastingFile holds the gap that lasts. It outlives powerd where that is killed, not the
// host's fall: nobody waits for the disk.
const lastingFile = "gap.json"

func keepLastingGap(dir string, g *Gap) error {
	data, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("encode gap: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, lastingFile), data, 0o644)
}

// lastingGap returns the gap that lasted when an earlier powerd was killed, nil if none did.
func lastingGap(dir string) *Gap {
	data, err := os.ReadFile(filepath.Join(dir, lastingFile))
	var g Gap
	if err != nil || json.Unmarshal(data, &g) != nil || g.StartUTC.IsZero() {
		return nil
	}
	return &g
}

func dropLastingGap(dir string) error {
	if err := os.Remove(filepath.Join(dir, lastingFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// openGap is a gap that lasts, and what is said to be its cause.
type openGap struct {
	Gap
	texts []string
}

const mostTexts = 5 // of one gap

// add tells more of why it lasts, and reports whether that was news; the first cause stays
// the gap's.
func (g *openGap) add(text string) bool {
	if len(g.texts) >= mostTexts || slices.Contains(g.texts, text) {
		return false
	}
	g.texts = append(g.texts, text)
	g.Text = strings.Join(g.texts, "; then ")
	return true
}
