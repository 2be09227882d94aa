package fio

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// row is one line of an averaged log.
type row struct {
	timeMs int64
	value  uint64 // iops: IO/s; bw: KiB/s; lat: ns
	ddir   uint8  // 0 read, 1 write, 2 trim
}

const (
	ddirRead  = 0
	ddirWrite = 1
	ddirTrim  = 2
)

// layout is which columns a log has and what a row stands for. It follows from
// the job's options and fio's version: two different sets of options give the
// same number of columns, so counting them would be guessing.
type layout struct {
	windowMs int64 // log_avg_msec; 0: every IO is a row
	both     bool  // average and maximum side by side
	maxOnly  bool  // values are maxima: no counts can be made of them
	offset   bool
	priority bool
	issue    bool
}

// maxWindowMs bounds nonsense in a report's options: 49 days.
const maxWindowMs = 1 << 32

func layoutOf(o options, v Version) layout {
	window, _ := o.get("log_window_value")
	alias, _ := o.get("log_max_value")
	if window == "" && alias != "" {
		window = map[string]string{"0": "avg", "1": "max", "2": "both"}[alias]
		if window == "" {
			window = alias
		}
	}
	return layout{
		windowMs: min(max(0, o.count("log_avg_msec", 0)), maxWindowMs),
		both:     window == "both",
		maxOnly:  window == "max",
		offset:   o.on("log_offset"),
		priority: featuresOf(v).priorityCol,
		issue:    o.on("log_issue_time"),
	}
}

// columns names the columns in order.
func (l layout) columns() []string {
	c := []string{"time", "value"}
	if l.both {
		c = append(c, "max")
	}
	c = append(c, "ddir", "bs")
	if l.offset {
		c = append(c, "offset")
	}
	if l.priority {
		c = append(c, "prio")
	}
	if l.issue {
		c = append(c, "issue time")
	}
	return c
}

// readRows reads a log, or only its first limit rows if limit > 0.
func readRows(path string, l layout, limit int) ([]row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	defer f.Close()
	return parseRows(filepath.Base(path), f, l, limit)
}

// parseRows parses a log. Blank lines and lines that begin with # are skipped;
// an error names file, line and the columns that were expected.
func parseRows(name string, r io.Reader, l layout, limit int) ([]row, error) {
	want := l.columns()
	ddirAt := 2
	if l.both {
		ddirAt = 3
	}
	var rows []row
	sc := bufio.NewScanner(r)
	for line := 1; sc.Scan(); line++ {
		text := strings.TrimSpace(sc.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		fields := strings.Split(text, ",")
		bad := func(what string) error {
			return fmt.Errorf("read log %s:%d: %s in %q (columns by the job's options: %s)",
				name, line, what, clip(text, 80), strings.Join(want, ", "))
		}
		if len(fields) != len(want) {
			return nil, bad(fmt.Sprintf("%d columns instead of %d", len(fields), len(want)))
		}
		timeMs, err1 := strconv.ParseInt(strings.TrimSpace(fields[0]), 10, 64)
		value, err2 := strconv.ParseUint(strings.TrimSpace(fields[1]), 10, 64)
		ddir, err3 := strconv.ParseUint(strings.TrimSpace(fields[ddirAt]), 10, 8)
		if err1 != nil || err2 != nil || err3 != nil || timeMs < 0 || ddir > ddirTrim {
			return nil, bad("no row")
		}
		rows = append(rows, row{timeMs, value, uint8(ddir)})
		if limit > 0 && len(rows) >= limit {
			break
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read log %s: %w", name, err)
	}
	return rows, nil
}
