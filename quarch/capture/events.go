package capture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"powerd/quarch"
)

const eventsName = "events.jsonl"

// syncEveryNs is how often events that come often are synced.
const syncEveryNs = 1_000_000_000

// eventLog appends events to events.jsonl.
type eventLog struct {
	now func() int64

	mu       sync.Mutex
	file     *os.File
	syncedNs int64
}

func createEventLog(dir string, now func() int64) (*eventLog, error) {
	f, err := os.OpenFile(filepath.Join(dir, eventsName), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	return &eventLog{now: now, file: f}, syncDir(dir)
}

// add appends one event as one line in one write.
func (l *eventLog) add(e quarch.Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode event %s: %w", e.Kind, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("append event %s: %w", e.Kind, err)
	}
	often := e.Kind == quarch.EventClock || e.Kind == quarch.EventGap
	if often && l.now()-l.syncedNs < syncEveryNs {
		return nil
	}
	return l.syncLocked()
}

func (l *eventLog) sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.syncLocked()
}

func (l *eventLog) syncLocked() error {
	l.syncedNs = l.now()
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("sync events: %w", err)
	}
	return nil
}

func (l *eventLog) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.file.Sync(), l.file.Close())
}

// readEvents reads events.jsonl. A last line that is no event is what a crash
// leaves: it is ignored and torn says so. A bad line elsewhere is damage; the
// events around it are returned beside the error.
func readEvents(r io.Reader, path string) (events []quarch.Event, torn string, err error) {
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, readErr := in.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return events, torn, errors.Join(err, fmt.Errorf("read %s:%d: %w", path, n, readErr))
		}
		if torn != "" && len(line) > 0 { // the bad line was not the last
			err = errors.Join(err, fmt.Errorf("%w: %s:%d: this line is no event and is left out", ErrDamaged, path, n-1))
			torn = ""
		}
		e, lineErr := parseEvent(line)
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case lineErr != nil:
			torn = fmt.Sprintf("%s:%d: half an event (%d bytes) is ignored", path, n, len(line))
		default:
			events = append(events, e)
		}
		if readErr != nil {
			return events, torn, err
		}
	}
}

// parseEvent decodes one line. Whole numbers of Data become int64, since
// nanoseconds of a host that is up for months do not fit a float64.
func parseEvent(line []byte) (quarch.Event, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var e quarch.Event
	if err := d.Decode(&e); err != nil {
		return quarch.Event{}, err
	}
	if e.Kind == "" {
		return quarch.Event{}, errors.New("event without a kind")
	}
	for k, v := range e.Data {
		e.Data[k] = plainNumbers(v)
	}
	return e, nil
}

func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			if n, err := v.Int64(); err == nil {
				return n
			}
		}
		x, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return x
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	}
	return v
}

func openEvents(dir string) ([]quarch.Event, string, error) {
	path := filepath.Join(dir, eventsName)
	f, err := os.Open(path)
	if err != nil {
		return nil, "", fmt.Errorf("read events: %w", err)
	}
	defer func() { _ = f.Close() }() // read only
	return readEvents(f, path)
}
