package capture

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"powerd/quarch"
)

// Schemas of the tables.
const (
	stripesSchema  = "powerd.stripes/1"
	arrivalsSchema = "powerd.arrivals/1"
)

const (
	partExt        = ".parquet"
	arrivalsPrefix = "arrivals-"
	atColumn       = "at_mono_ns"
)

// part is a part in memory: consecutive stripes of one stream, and when their
// blocks came. Its buffers outlive it.
type part struct {
	head     partHead
	cols     [][]int32 // V and A of each rail in turn
	atNs     []int64   // polled links only
	arrivals arrivals
}

// partHead is a part's metadata.
type partHead struct {
	serial   string
	stream   int
	first    uint64
	lost     uint64
	resync   int
	periodNs int64
	rails    []RailScale
	readAtNs int64
}

func (p *part) len() int {
	if len(p.cols) == 0 {
		return len(p.atNs)
	}
	return len(p.cols[0])
}

func (p *part) end() uint64 { return p.head.first + uint64(p.len()) }

// spanNs returns the nominal time that the part's stripes take.
func (p *part) spanNs() int64 {
	if p.head.periodNs == 0 {
		if len(p.atNs) == 0 {
			return 0
		}
		return p.atNs[len(p.atNs)-1] - p.atNs[0]
	}
	return int64(p.len()) * p.head.periodNs
}

// reset empties the part and gives it a new head.
func (p *part) reset(head partHead) {
	p.head = head
	for len(p.cols) < 2*len(head.rails) {
		p.cols = append(p.cols, nil)
	}
	p.cols = p.cols[:2*len(head.rails)]
	for i := range p.cols {
		p.cols[i] = p.cols[i][:0]
	}
	p.atNs = p.atNs[:0]
	for _, c := range p.arrivals.columns() {
		*c.values = (*c.values)[:0]
	}
}

// add appends the stripes [i, j) of b.
func (p *part) add(b *quarch.Block, i, j int) {
	for k := range b.Traces {
		p.cols[2*k] = append(p.cols[2*k], b.Traces[k].V[i:j]...)
		p.cols[2*k+1] = append(p.cols[2*k+1], b.Traces[k].A[i:j]...)
	}
	if b.PeriodNs == 0 {
		p.atNs = append(p.atNs, b.AtNs[i:j]...)
	}
	p.head.readAtNs = b.ReadAtNs
}

// fits reports whether b's stripes have the part's rails, scales and period.
func (p *part) fits(b *quarch.Block) bool {
	if b.PeriodNs != p.head.periodNs || len(b.Traces) != len(p.head.rails) {
		return false
	}
	for i, t := range b.Traces {
		if p.head.rails[i] != (RailScale{t.Rail, t.LSBVolts, t.LSBAmps}) {
			return false
		}
	}
	return true
}

func scalesOf(b *quarch.Block) []RailScale {
	s := make([]RailScale, len(b.Traces))
	for i, t := range b.Traces {
		s[i] = RailScale{t.Rail, t.LSBVolts, t.LSBAmps}
	}
	return s
}

// columns returns the part as a table of stripes.
func (p *part) columns() []column {
	var cols []column
	for i, r := range p.head.rails {
		cols = append(cols, column{name: voltsColumn(r.Rail), i32: p.cols[2*i]}, column{name: ampsColumn(r.Rail), i32: p.cols[2*i+1]})
	}
	if len(p.atNs) > 0 {
		cols = append(cols, column{name: atColumn, i64: p.atNs})
	}
	return cols
}

func voltsColumn(r quarch.Rail) string { return string(r) + "_v" }
func ampsColumn(r quarch.Rail) string  { return string(r) + "_a" }

// partPath returns where a part's stripes stand, arrivalsPath their arrivals.
func partPath(dir, serial string, stream int, first uint64) string {
	return filepath.Join(dir, folderName(serial), partName(stream, first))
}

func partName(stream int, first uint64) string {
	return fmt.Sprintf("s%d-%012d%s", stream, first, partExt)
}

func arrivalsPath(dir, serial string, stream int, first uint64) string {
	return filepath.Join(dir, folderName(serial), arrivalsPrefix+partName(stream, first))
}

// parsePartName reads stream and first stripe from a part's file name.
func parsePartName(name string) (stream int, first uint64, ok bool) {
	stem, isPart := strings.CutSuffix(name, partExt)
	stem, isStream := strings.CutPrefix(stem, "s")
	a, b, isPair := strings.Cut(stem, "-")
	if !isPart || !isStream || !isPair {
		return 0, 0, false
	}
	stream, err1 := strconv.Atoi(a)
	first, err2 := strconv.ParseUint(b, 10, 64)
	return stream, first, err1 == nil && err2 == nil && stream > 0
}

// keyValues returns a head as a file's metadata.
func (h *partHead) keyValues(schema string) []keyValue {
	var rails, volts, amps []string
	for _, r := range h.rails {
		rails = append(rails, string(r.Rail))
		volts = append(volts, strconv.FormatFloat(r.LSBVolts, 'g', -1, 64))
		amps = append(amps, strconv.FormatFloat(r.LSBAmps, 'g', -1, 64))
	}
	return []keyValue{
		{"powerd.schema", schema},
		{"powerd.serial", h.serial},
		{"powerd.stream", strconv.Itoa(h.stream)},
		{"powerd.first", strconv.FormatUint(h.first, 10)},
		{"powerd.lost_before", strconv.FormatUint(h.lost, 10)},
		{"powerd.resync_before", strconv.Itoa(h.resync)},
		{"powerd.period_ns", strconv.FormatInt(h.periodNs, 10)},
		{"powerd.rails", strings.Join(rails, ",")},
		{"powerd.lsb_volts", strings.Join(volts, ",")},
		{"powerd.lsb_amps", strings.Join(amps, ",")},
		{"powerd.read_mono_ns", strconv.FormatInt(h.readAtNs, 10)},
	}
}

// readHead reads a part's metadata back.
func readHead(t *table) (partHead, error) {
	r := headReader{table: t}
	if schema := r.text("powerd.schema"); r.err == nil && schema != stripesSchema {
		return partHead{}, fmt.Errorf("schema %q, want %q", schema, stripesSchema)
	}
	h := partHead{
		serial:   r.text("powerd.serial"),
		stream:   int(r.integer("powerd.stream")),
		first:    uint64(r.integer("powerd.first")),
		lost:     uint64(r.integer("powerd.lost_before")),
		resync:   int(r.integer("powerd.resync_before")),
		periodNs: r.integer("powerd.period_ns"),
		readAtNs: r.integer("powerd.read_mono_ns"),
	}
	rails := strings.Split(r.text("powerd.rails"), ",")
	volts, amps := r.floats("powerd.lsb_volts"), r.floats("powerd.lsb_amps")
	if r.err == nil && (len(volts) != len(rails) || len(amps) != len(rails)) {
		r.err = fmt.Errorf("%d rails with %d and %d scales", len(rails), len(volts), len(amps))
	}
	if r.err != nil {
		return partHead{}, r.err
	}
	for i, name := range rails {
		h.rails = append(h.rails, RailScale{quarch.Rail(name), volts[i], amps[i]})
	}
	if !slices.ContainsFunc(h.rails, func(s RailScale) bool { return s.Rail == "" }) {
		return h, nil
	}
	return partHead{}, errors.New("a rail without a name")
}

// headReader reads metadata and keeps the first error.
type headReader struct {
	table *table
	err   error
}

func (r *headReader) text(key string) string {
	s, ok := r.table.meta(key)
	if !ok && r.err == nil {
		r.err = fmt.Errorf("no metadata %s", key)
	}
	return s
}

func (r *headReader) integer(key string) int64 {
	n, err := strconv.ParseInt(r.text(key), 10, 64)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("metadata %s: %w", key, err)
	}
	return n
}

func (r *headReader) floats(key string) []float64 {
	var all []float64
	for s := range strings.SplitSeq(r.text(key), ",") {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil && r.err == nil {
			r.err = fmt.Errorf("metadata %s: %w", key, err)
		}
		all = append(all, x)
	}
	return all
}
