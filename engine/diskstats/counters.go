package diskstats

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"powerd/engine"
)

// Counters are what the kernel counts on a block device since it came up.
type Counters struct {
	Reads, Writes         uint64 // requests completed
	ReadBytes, WriteBytes uint64
	Discards              uint64 // 0 where the kernel does not count them
	DiscardBytes          uint64
	Flushes               uint64 // 0 where the kernel does not count them
	InFlight              uint64 // requests under way at this moment
	BusyMs                uint64 // time with any request under way

	fields int // how many the kernel gives: 11, 15 with discards, 17 with flushes
}

// What the kernel's line may hold.
const (
	fieldsFirst    = 11
	fieldsDiscards = 15
	fieldsFlushes  = 17
	sectorBytes    = 512
)

// Parse reads the kernel's line.
func Parse(text string) (Counters, error) {
	words := strings.Fields(text)
	switch len(words) {
	case fieldsFirst, fieldsDiscards, fieldsFlushes:
	default:
		return Counters{}, fmt.Errorf("block statistics %.120q have %d fields, want %d, %d or %d", text, len(words), fieldsFirst, fieldsDiscards, fieldsFlushes)
	}
	var n [fieldsFlushes]uint64
	for i, w := range words {
		v, err := strconv.ParseUint(w, 10, 64)
		if err != nil {
			return Counters{}, fmt.Errorf("block statistics, field %d: %q is no count", i+1, w)
		}
		n[i] = v
	}
	for _, i := range []int{2, 6, 13} {
		if n[i] > math.MaxUint64/sectorBytes {
			return Counters{}, fmt.Errorf("block statistics, field %d: %d sectors are more than any drive has moved", i+1, n[i])
		}
	}
	return Counters{
		Reads: n[0], ReadBytes: n[2] * sectorBytes, Writes: n[4], WriteBytes: n[6] * sectorBytes,
		InFlight: n[8], BusyMs: n[9], Discards: n[11], DiscardBytes: n[13] * sectorBytes, Flushes: n[15],
		fields: len(words),
	}, nil
}

// Reading is one look at the counters.
type Reading struct {
	AtNs int64 // host CLOCK_MONOTONIC, the middle of the look
	UNs  int64 // it was made within AtNs ± UNs
	Counters
}

// counts returns what only ever grows.
func (c *Counters) counts() [7]uint64 {
	return [7]uint64{c.Reads, c.Writes, c.ReadBytes, c.WriteBytes, c.Discards, c.DiscardBytes, c.Flushes}
}

// follows reports whether c can be a later reading of the same device as before.
func (c *Counters) follows(before *Counters) bool {
	if c.fields != before.fields {
		return false
	}
	now, then := c.counts(), before.counts()
	for i := range now {
		if now[i] < then[i] {
			return false
		}
	}
	return true
}

// since returns what was completed between two readings of one device.
func (r *Reading) since(before *Reading) engine.Interval {
	return engine.Interval{
		StartNs: before.AtNs, EndNs: r.AtNs,
		Reads: r.Reads - before.Reads, Writes: r.Writes - before.Writes,
		ReadBytes: r.ReadBytes - before.ReadBytes, WriteBytes: r.WriteBytes - before.WriteBytes,
	}
}
