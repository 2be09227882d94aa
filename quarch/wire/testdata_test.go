package wire_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"powerd/quarch/wire"
)

// reads returns the reads of a file of hex bytes: one a line, '#' starts a
// remark.
func reads(t testing.TB, name string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		b, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(line), " ", ""))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(b) > 0 {
			all = append(all, b)
		}
	}
	return all
}

// outcome is all that a stream came to.
type outcome struct {
	Header  wire.Header
	Columns wire.Columns
	Spans   []span
	Replies string
	Status  []wire.Status
	Damage  []int64 // byte offsets
	Lost    uint64
	Resyncs int
	Err     string
}

type span struct {
	First uint64
	N     int
}

// decode feeds a stream read by read; then nothing comes for long.
func decode(reads ...[]byte) outcome {
	var d wire.Decoder
	var o outcome
	d.ExpectStream()
	for _, p := range reads {
		d.Feed(p)
		o.drain(&d)
	}
	d.Silence()
	o.drain(&d)
	return o
}

// drain takes all that d has to give, unless there was an error.
func (o *outcome) drain(d *wire.Decoder) {
	for o.Err == "" {
		f, ok, err := d.Next(&o.Columns)
		if err != nil {
			o.Err = err.Error()
		}
		if !ok {
			return
		}
		o.add(f)
	}
}

func (o *outcome) add(f wire.Frame) {
	switch f.Kind {
	case wire.KindHeader:
		o.Header = f.Header
		o.Resyncs += f.Resync
		if f.Damage != nil {
			o.Damage = append(o.Damage, f.Damage.Offset)
		}
	case wire.KindReply:
		o.Replies += string(f.Text)
	case wire.KindData:
		o.Lost += f.Lost
		o.Resyncs += f.Resync
		if f.Damage != nil {
			o.Damage = append(o.Damage, f.Damage.Offset)
		}
		if f.N > 0 {
			o.Spans = append(o.Spans, span{f.First, f.N})
		}
		if f.Status != wire.StatusNone {
			o.Status = append(o.Status, f.Status)
		}
	}
}
