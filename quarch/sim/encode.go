package sim

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// Format is how a module's stream is written, and with it which family of modules it is of:
// its answers to hello? and *idn?, its range of current and its memory go with it.
type Format string

// The formats there are.
const (
	FormatHD     Format = "hd"     // words, header version 5
	FormatHDPlus Format = "hdplus" // blocks of packets
	FormatXLC    Format = "xlc"    // words, header version 4
	FormatPPM    Format = "ppm"    // words, header version 3: the original module
)

// Formats returns all formats.
func Formats() []Format { return []Format{FormatHD, FormatHDPlus, FormatXLC, FormatPPM} }

// ParseFormat reads a format's name.
func ParseFormat(name string) (Format, error) {
	f := Format(strings.ToLower(name))
	if !slices.Contains(Formats(), f) {
		return "", fmt.Errorf("stream format %q is unknown (want one of %v)", name, Formats())
	}
	return f, nil
}

// variant is what goes with a format.
type variant struct {
	version       byte // of the header
	model, serial string
	board         string // part number of the board inside; empty = the enclosure's
	firmware      string
	mostMicroAmps int32
	fifoBytes     int
}

// ppmRecords is the memory of the original module, in stripes.
const ppmRecords = 65_535

func (f Format) variant() variant {
	const fifo = 1 << 20
	switch f {
	case FormatHDPlus:
		return variant{wire.VersionPlus, "HD Plus Programmable Power Module +Triggering", "QTL1999-02-001", "QTL1944", "6.000", mostMicroAmps, fifo}
	case FormatXLC:
		return variant{wire.VersionXLC, "XLC Programmable Power Module +Triggering", "QTL1824-03-001", "", "4.010", mostMicroAmps, fifo}
	case FormatPPM:
		return variant{wire.VersionPPM, "Programmable Power Module +Triggering", "QTL1658-01-001", "", "3.020", 7_500_000, ppmRecords * 12}
	}
	return variant{wire.VersionHD, "HD Programmable Power Module +Triggering", "QTL1999-02-001", "QTL1944", "5.016", mostMicroAmps, fifo}
}

// encoder writes stripes in a stream's format.
type encoder interface {
	// encode appends what is complete of the stripes of four columns: mV and µA of the
	// 5 V and of the 12 V rail. trigger says before which of them a trigger fell.
	encode(dst []byte, cols [wire.Channels][]int32, trigger func(i int) bool) []byte

	// flush appends what is held back.
	flush(dst []byte) []byte

	// fits returns for how many stripes, and a flush, there is surely room.
	fits(freeBytes int) int64

	// stripes returns how many are whole in so many bytes of the stream. It is asked for
	// ever more bytes, from one goroutine.
	stripes(nBytes uint64) uint64
}

func (m *Module) newEncoder(mask wire.Mask) encoder {
	if m.opts.Format == FormatHDPlus {
		return &packets{plus: wire.PlusEncoder{Force: m.opts.Packets}}
	}
	return words{mask}
}

// words writes HD, XLC and original streams.
type words struct{ mask wire.Mask }

func (w words) encode(dst []byte, cols [wire.Channels][]int32, _ func(int) bool) []byte {
	for i := range cols[0] {
		dst = wire.AppendStripe(dst, w.mask, cols[0][i], cols[1][i], cols[2][i], cols[3][i])
	}
	return dst
}

func (w words) flush(dst []byte) []byte { return dst }

func (w words) fits(freeBytes int) int64 { return int64(freeBytes / w.mask.StripeBytes()) }

func (w words) stripes(nBytes uint64) uint64 { return nBytes / uint64(w.mask.StripeBytes()) }

// packets writes HD Plus streams.
type packets struct {
	plus wire.PlusEncoder

	mu     sync.Mutex // guards what follows
	blocks []uint64   // stripes up to the end of each block, from the first that nobody asked for
	before uint64     // blocks before those
	last   uint64     // stripes up to the end of the last of them
}

func (p *packets) encode(dst []byte, cols [wire.Channels][]int32, trigger func(int) bool) []byte {
	for i := range cols[0] {
		from := len(dst)
		if trigger(i) {
			dst = p.plus.Trigger(dst)
		}
		dst = p.plus.Append(dst, cols[0][i], cols[1][i], cols[2][i], cols[3][i])
		p.note(len(dst) - from)
	}
	return dst
}

func (p *packets) flush(dst []byte) []byte {
	from := len(dst)
	dst = p.plus.Flush(dst)
	p.note(len(dst) - from)
	return dst
}

// note keeps how many stripes there are up to the end of a block that was completed.
func (p *packets) note(nBytes int) {
	if nBytes == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for range nBytes / wire.PlusBlockBytes {
		p.blocks = append(p.blocks, p.plus.Stripes())
	}
}

// leastInBlock is how many stripes fit into a block at least: each is an absolute of 12
// bytes, with a blank of 5 or a trigger of 2 before it, and some bytes are left over.
const leastInBlock = (wire.PlusBlockBytes - 19) / 17

func (p *packets) fits(freeBytes int) int64 {
	const spare = 2 // the open block, and the one that a flush makes
	return int64(max(0, freeBytes/wire.PlusBlockBytes-spare) * leastInBlock)
}

func (p *packets) stripes(nBytes uint64) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.blocks) > 0 && p.before < nBytes/wire.PlusBlockBytes {
		p.last, p.blocks = p.blocks[0], p.blocks[1:]
		p.before++
	}
	return p.last
}

// columns returns the stripes in v and a as the channels of a stream; those of a rail that
// is not there are 0.
func (s *stream) columns(n int) (cols [wire.Channels][]int32) {
	low := slices.IndexFunc(s.m.opts.Rails, func(r string) bool { return quarch.Rail(r) != quarch.Rail12V })
	high := slices.IndexFunc(s.m.opts.Rails, func(r string) bool { return quarch.Rail(r) == quarch.Rail12V })
	for side, rail := range []int{low, high} {
		if rail < 0 {
			zero := make([]int32, n)
			cols[2*side], cols[2*side+1] = zero, zero
			continue
		}
		cols[2*side], cols[2*side+1] = s.v[rail], s.a[rail]
	}
	return cols
}

// encode returns the n stripes in v and a, which begin with stripe first, as far as their
// bytes are complete; lent until the next call.
func (s *stream) encode(first int64, n int) []byte {
	s.buf = s.enc.encode(s.buf[:0], s.columns(n), func(i int) bool {
		hit := false
		for len(s.triggers) > 0 && s.triggers[0] <= first+int64(i) {
			hit, s.triggers = true, s.triggers[1:]
		}
		return hit
	})
	return s.buf
}

// flushNs is how long a stripe may wait for its block to fill.
const flushNs = 20_000_000

// flush hands on what the encoder has held back for long.
func (s *stream) flush(atNs int64) {
	if atNs-s.flushedNs < flushNs {
		return
	}
	s.flushedNs = atNs
	if s.buf = s.enc.flush(s.buf[:0]); len(s.buf) > 0 {
		s.fifo.put(s.buf)
	}
}

// finish hands on all that is held back and ends the stream.
func (s *stream) finish(status wire.Status) {
	s.buf = s.enc.flush(s.buf[:0])
	s.fifo.end(s.buf, byte(status))
}

// trigger marks the stripe in which something fell that the module records by. The caller
// holds mu.
func (m *Module) trigger(atNs int64, mode string) {
	if m.active != nil && m.setting.triggerMode == mode && len(m.active.pending) < fillStripes {
		m.active.pending = append(m.active.pending, m.active.clock.ended(atNs))
	}
}
