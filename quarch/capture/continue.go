package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"powerd/quarch"
)

// Continue goes on with the capture in dir where its writer ended, in whatever way: the
// next stream gets the next number, and events are appended. What is there is kept as it
// is, but for half an event at the end of events.jsonl, which a crash leaves. Options.Run
// is not looked at: meta.json keeps what it says of the run.
func Continue(dir string, o Options) (*Writer, error) {
	if o.Now == nil {
		return nil, errors.New("continue capture: Options.Now is needed")
	}
	m, err := readMeta(dir)
	if err != nil {
		return nil, err
	}
	w := newWriter(dir, o, m)
	if w.events, err = continueEventLog(dir, o.Now); err != nil {
		return nil, fmt.Errorf("continue capture: %w", err)
	}
	w.disk = startDisk(dir)
	return w, nil
}

// continueEventLog opens events.jsonl to append to it, behind its last whole line.
func continueEventLog(dir string, now func() int64) (*eventLog, error) {
	f, err := os.OpenFile(filepath.Join(dir, eventsName), os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	l := &eventLog{now: now, file: f}
	if err := l.dropTorn(); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", f.Name(), err), f.Close())
	}
	return l, nil
}

// dropTorn cuts off what follows the last whole line, and puts the file's position there.
// A line of which only its end was not written is kept.
func (l *eventLog) dropTorn() error {
	data, err := io.ReadAll(l.file)
	if err != nil {
		return err
	}
	whole := int64(bytes.LastIndexByte(data, '\n') + 1)
	rest := data[whole:]
	if _, err := parseEvent(rest); len(rest) > 0 && err == nil {
		_, err := l.file.Write([]byte{'\n'})
		return err
	}
	if err := l.file.Truncate(whole); err != nil {
		return err
	}
	_, err = l.file.Seek(whole, io.SeekStart)
	return err
}

// ReadEvents reads the events of the capture in dir without looking at its streams, as
// Capture.Events gives them.
func ReadEvents(dir string) ([]quarch.Event, error) {
	events, _, err := openEvents(dir)
	return events, err
}
