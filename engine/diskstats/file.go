package diskstats

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// FileName is the file of readings in a run's engine folder.
const FileName = "blockstat.csv"

const header = "mono_ns,u_ns,reads,read_bytes,writes,write_bytes,discards,discard_bytes,flushes,in_flight,busy_ms"

const columns = 11

// row returns a reading as the file has it; nil counters are a look that failed.
func row(atNs, uNs int64, c *Counters) []byte {
	b := strconv.AppendInt(nil, atNs, 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, uNs, 10)
	number := func(v uint64, known bool) {
		b = append(b, ',')
		if known {
			b = strconv.AppendUint(b, v, 10)
		}
	}
	known := c != nil
	if !known {
		c = &Counters{}
	}
	number(c.Reads, known)
	number(c.ReadBytes, known)
	number(c.Writes, known)
	number(c.WriteBytes, known)
	number(c.Discards, c.fields >= fieldsDiscards)
	number(c.DiscardBytes, c.fields >= fieldsDiscards)
	number(c.Flushes, c.fields >= fieldsFlushes)
	number(c.InFlight, known)
	number(c.BusyMs, known)
	return append(b, '\n')
}

// parseRow is row's inverse; ok is false for a look that failed.
func parseRow(line string) (r Reading, ok bool, err error) {
	words := strings.Split(line, ",")
	if len(words) != columns {
		return r, false, fmt.Errorf("%d columns, want %d", len(words), columns)
	}
	if r.AtNs, err = strconv.ParseInt(words[0], 10, 64); err != nil {
		return r, false, fmt.Errorf("mono_ns: %q is no time", words[0])
	}
	if r.UNs, err = strconv.ParseInt(words[1], 10, 64); err != nil || r.UNs < 0 {
		return r, false, fmt.Errorf("u_ns: %q is no span", words[1])
	}
	names := strings.Split(header, ",")
	var n [columns]uint64
	missing := 0
	for i := 2; i < columns; i++ {
		if words[i] == "" {
			missing++
			continue
		}
		if n[i], err = strconv.ParseUint(words[i], 10, 64); err != nil {
			return r, false, fmt.Errorf("%s: %q is no count", names[i], words[i])
		}
	}
	r.Counters = Counters{
		Reads: n[2], ReadBytes: n[3], Writes: n[4], WriteBytes: n[5],
		Discards: n[6], DiscardBytes: n[7], Flushes: n[8], InFlight: n[9], BusyMs: n[10],
	}
	blank := strings.Join(words[6:9], "")
	switch {
	case missing == columns-2:
		return r, false, nil
	case missing == 0:
		r.fields = fieldsFlushes
	case missing == 1 && words[8] == "":
		r.fields = fieldsDiscards
	case missing == 3 && blank == "":
		r.fields = fieldsFirst
	default:
		return r, false, errors.New("counts are missing that do not go together")
	}
	return r, true, nil
}

// Load reads what was written into a run's engine folder. Without such a file the
// error is fs.ErrNotExist.
func Load(dir string) (*Series, error) {
	data, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		return nil, fmt.Errorf("load block statistics: %w", err)
	}
	return parseFile(data), nil
}

// parseFile reads the whole file; a last line without its end was torn.
func parseFile(data []byte) *Series {
	s := &Series{}
	damaged := func(line int, err error) {
		s.gap()
		if len(s.Damage) < maxDamage {
			s.Damage = append(s.Damage, fmt.Sprintf("%s:%d: %v", FileName, line, err))
		}
	}
	for n := 1; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte{'\n'})
		data = rest
		switch {
		case !whole:
			return s
		case n == 1:
			if string(line) != header {
				damaged(n, fmt.Errorf("%.80q is not the header", line))
			}
			continue
		}
		r, ok, err := parseRow(string(line))
		switch {
		case err != nil:
			damaged(n, err)
		case !ok:
			s.gap()
		default:
			if err := s.add(r); err != nil {
				damaged(n, err)
			}
		}
	}
	return s
}

// maxDamage bounds what is told of a damaged file.
const maxDamage = 20
