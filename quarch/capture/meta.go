package capture

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"powerd/quarch"
)

// MetaSchema is the version of meta.json that this package writes. Keys are
// only ever added.
const MetaSchema = "powerd.capture/1"

const metaName = "meta.json"

// Meta is meta.json: what the samples are of.
type Meta struct {
	Schema  string          `json:"schema"`
	Run     json.RawMessage `json:"run,omitempty"` // as given, not read here
	Modules []quarch.Info   `json:"modules"`       // as of each module's latest stream
	Streams []StreamMeta    `json:"streams"`
}

// StreamMeta is what meta.json says of a stream.
type StreamMeta struct {
	Number    int         `json:"stream"` // from 1
	Serial    string      `json:"serial"` // of the module
	Link      string      `json:"link"`
	Polled    bool        `json:"polled"`
	PeriodNs  int64       `json:"period_ns"` // nominal, 0 on a polled link
	Averaging int         `json:"averaging"`
	Rails     []RailScale `json:"rails"`         // in stripe order, as of the first block
	SentNs    int64       `json:"sent_mono_ns"`  // host time right before the stream was asked for, 0 = unknown
	AckedNs   int64       `json:"acked_mono_ns"` // right after the module said yes
	BeginNs   int64       `json:"begin_mono_ns"` // when the capture began to take it
	EndNs     int64       `json:"end_mono_ns"`   // when it stopped, 0 = it never did
	Stripes   uint64      `json:"stripes"`       // taken, as of EndNs
	Lost      uint64      `json:"lost"`          // between them, as of EndNs
	EndReason string      `json:"end_reason,omitempty"`
}

// RailScale is one rail and what turns its counts into SI.
type RailScale struct {
	Rail     quarch.Rail `json:"rail"`
	LSBVolts float64     `json:"lsb_volts"` // V per count
	LSBAmps  float64     `json:"lsb_amps"`  // A per count
}

// setModule adds a module, or replaces what was known of it.
func (m *Meta) setModule(info quarch.Info) {
	for i := range m.Modules {
		if m.Modules[i].Serial == info.Serial {
			m.Modules[i] = info
			return
		}
	}
	m.Modules = append(m.Modules, info)
}

func (m *Meta) encode() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", metaName, err)
	}
	return append(data, '\n'), nil
}

func readMeta(dir string) (Meta, error) {
	path := filepath.Join(dir, metaName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Meta{}, fmt.Errorf("open capture %s: %w: it has no %s", dir, ErrNoCapture, metaName)
	}
	if err != nil {
		return Meta{}, fmt.Errorf("open capture: %w", err)
	}
	var m Meta
	if err := json.Unmarshal(data, &m); err != nil {
		return Meta{}, fmt.Errorf("open capture: read %s: %w: %w", path, ErrDamaged, err)
	}
	if m.Schema != MetaSchema {
		return Meta{}, fmt.Errorf("open capture: %s has schema %q, this powerd reads %q", path, m.Schema, MetaSchema)
	}
	for _, s := range m.Streams {
		if s.PeriodNs <= 0 && !s.Polled {
			return Meta{}, fmt.Errorf("open capture: read %s: %w: stream %d has a period of %d ns", path, ErrDamaged, s.Number, s.PeriodNs)
		}
	}
	return m, nil
}
