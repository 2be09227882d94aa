package fio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"powerd/engine"
)

// document is what is read of one JSON document. Numbers are pointers: a value
// that is absent or was no number is nil, never 0.
type document struct {
	VersionText string            `json:"fio version"`
	Global      map[string]string `json:"global options"`
	Entries     []entry           `json:"jobs"`
	Client      json.RawMessage   `json:"client_stats"`

	version Version
}

type entry struct {
	Name       string            `json:"jobname"`
	GroupID    int               `json:"groupid"`
	JobStartMs *int64            `json:"job_start"`
	JobRunMs   *uint64           `json:"job_runtime"` // summed over clones
	Error      int               `json:"error"`
	Options    map[string]string `json:"job options"`
	Read       *totals           `json:"read"`
	Write      *totals           `json:"write"`
	Trim       *totals           `json:"trim"`
	Mixed      *totals           `json:"mixed"`
}

// totals is one direction of an entry.
type totals struct {
	IOs       *uint64 `json:"total_ios"`
	IOBytes   *uint64 `json:"io_bytes"` // KiB before 3.0
	BWBytes   *uint64 `json:"bw_bytes"` // bytes/s, absent before 3.2
	BWKiB     *uint64 `json:"bw"`       // KiB/s
	RuntimeMs *uint64 `json:"runtime"`

	ClatNs *moments `json:"clat_ns"`
	LatNs  *moments `json:"lat_ns"`
	ClatUs *moments `json:"clat"`
	LatUs  *moments `json:"lat"`
}

// moments of a latency, in the unit of the key that holds them.
type moments struct {
	N           *uint64            `json:"N"`
	Min         *float64           `json:"min"`
	Max         *float64           `json:"max"`
	Mean        *float64           `json:"mean"`
	Std         *float64           `json:"stddev"`
	Percentiles map[string]float64 `json:"percentile"`
	Bins        map[string]uint64  `json:"bins"` // json+ only: IOs by the middle of their bin
}

// complete reports whether the totals that figures need are there.
func (t *totals) complete() bool {
	return t.IOs != nil && t.IOBytes != nil && t.RuntimeMs != nil
}

// bytes returns the bytes moved.
func (t *totals) bytes(v Version) *uint64 {
	if t.IOBytes == nil || !featuresOf(v).bytesInKiB || t.BWBytes != nil {
		return t.IOBytes
	}
	b := *t.IOBytes * 1024
	return &b
}

// completion and total latency with the factor that makes µs of them.
func (t *totals) completion(v Version) (m *moments, toUs float64) {
	if featuresOf(v).latencyInUs {
		return t.ClatUs, 1
	}
	return t.ClatNs, 1e-3
}

func (t *totals) latency(v Version) (m *moments, toUs float64) {
	if featuresOf(v).latencyInUs {
		return t.LatUs, 1
	}
	return t.LatNs, 1e-3
}

// directions returns the directions that power figures are made of.
func (e *entry) directions() []*totals {
	return slices.DeleteFunc([]*totals{e.Read, e.Write}, func(t *totals) bool { return t == nil })
}

// runtimeMs returns the longer of the entry's runtimes.
func (e *entry) runtimeMs() uint64 {
	var ms uint64
	for _, t := range e.directions() {
		ms = max(ms, value(t.RuntimeMs))
	}
	return ms
}

// value returns what p points to, 0 for nil: for sums whose missing parts are
// reported by missingTotals.
func value[T uint64 | int64 | float64](p *T) T {
	if p == nil {
		return 0
	}
	return *p
}

// decode reads one document.
func decode(data []byte) (*document, error) {
	d := &document{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("read fio's document: %w", err)
	}
	v, err := ParseVersion(d.VersionText)
	if err != nil {
		return nil, err
	}
	d.version = v
	if d.Client != nil && d.Entries == nil {
		return nil, fmt.Errorf("read fio's document: it comes from fio's client/server mode, whose times are another host's; run fio on this host")
	}
	if len(d.Entries) == 0 {
		return nil, fmt.Errorf("read fio's document: it holds no job")
	}
	return d, nil
}

// report is fio's output as far as results need it: the last document and what
// stood around the documents.
type report struct {
	last      *document
	documents int
	messages  []string
	warnings  []engine.Warning
}

// maxMessages bounds what is kept of a chatty fio.
const maxMessages = 1000

// readReport reads fio's output. It holds one document at a time, however many
// there are. A report without any readable document has last == nil.
func readReport(path string) (*report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open fio's output: %w", err)
	}
	defer f.Close()
	return collect(path, f)
}

func collect(name string, r io.Reader) (*report, error) {
	rep := &report{}
	var s splitter
	var last, before *piece // raw, the newest two
	keep := func(pieces []piece) {
		for _, p := range pieces {
			if p.kind == pieceDocument && isReport(p.data) {
				rep.documents++
				before, last = last, &p
				continue
			}
			rep.note(name, p)
		}
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		keep(s.feed(buf[:n]))
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s at byte %d: %w", name, s.base, err)
		}
	}
	keep(s.close())
	for _, p := range []*piece{last, before} {
		if p != nil && rep.last == nil {
			rep.use(name, p)
		}
	}
	return rep, nil
}

// use decodes a document and makes it the result's.
func (rep *report) use(name string, p *piece) {
	data, odd := dropNonFinite(p.data, p.offset)
	d, err := decode(data)
	if err != nil {
		rep.warn("document-unreadable", "%s: document at byte %d ignored: %v", name, p.offset, err)
		return
	}
	for _, o := range odd {
		rep.warn("not-a-number", "%s, byte %d: %s is %q; read as missing", name, o.offset, o.path, o.text)
	}
	rep.last = d
}

// note keeps what is no report: text, other objects, an object cut off.
func (rep *report) note(name string, p piece) {
	switch {
	case p.kind == pieceCut:
		rep.warn("document-cut-off", "%s: the document that begins at byte %d was cut off after %d bytes; ignored", name, p.offset, len(p.data))
	case len(rep.messages) < maxMessages:
		rep.messages = append(rep.messages, textOf(p.data))
	}
}

func (rep *report) warn(code, format string, args ...any) {
	rep.warnings = append(rep.warnings, engine.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}
