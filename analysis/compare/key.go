package compare

import (
	"fmt"
	"strconv"
	"strings"

	"powerd/analysis/efficiency"
)

// Key is a workload, in a state of the drive.
type Key struct {
	RW         string  `json:"rw"`
	BSBytes    int64   `json:"bs_bytes"`
	ReadPct    int     `json:"read_pct"`
	QD         int     `json:"qd"`
	Jobs       int     `json:"jobs"`
	EntropyPct int     `json:"entropy_pct"` // of what is written; 100 where nothing is
	RangeFrom  float64 `json:"range_from_pct"`
	RangePct   float64 `json:"range_pct"`
	DemandIOPS int     `json:"demand_iops,omitempty"` // 0 = as fast as it goes
	State      string  `json:"state"`
	Window     string  `json:"window,omitempty"` // fresh or last
	Step       string  `json:"step,omitempty"`   // where a run has this workload more than once
}

const wholeDrive = 100

func keyOf(c *efficiency.Cell) Key {
	k := Key{
		RW: c.RW, BSBytes: c.BSBytes, ReadPct: c.ReadPct, QD: c.QD, Jobs: c.Jobs, EntropyPct: 100, RangePct: wholeDrive,
		DemandIOPS: c.DemandIOPS, State: c.State,
	}
	switch {
	case c.RW == "randrw" && c.ReadPct == 100:
		k.RW = "randread"
	case c.RW == "randrw" && c.ReadPct == 0:
		k.RW = "randwrite"
	case (c.RW == "rw" || c.RW == "readwrite") && c.ReadPct == 100:
		k.RW = "read"
	case (c.RW == "rw" || c.RW == "readwrite") && c.ReadPct == 0:
		k.RW = "write"
	}
	if c.EntropyPct != nil && c.ReadPct < 100 {
		k.EntropyPct = *c.EntropyPct
	}
	if c.RangePct != nil {
		k.RangeFrom, k.RangePct = c.RangeFromPct, *c.RangePct
	}
	return k
}

func percent(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Random reports whether the pattern is.
func (k Key) Random() bool { return strings.HasPrefix(k.RW, "rand") }

// Name writes the workload as suites name cells: "randrw-4k-r70-qd32".
func (k Key) Name() string {
	parts := []string{k.RW, blockSize(k.BSBytes)}
	add := func(yes bool, format string, args ...any) {
		if yes {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(k.RW == "randrw" || k.RW == "rw" || k.RW == "readwrite", "r%d", k.ReadPct)
	add(k.EntropyPct != 100, "e%d", k.EntropyPct)
	add(k.RangePct != wholeDrive || k.RangeFrom != 0, "%s", k.Range())
	add(k.Jobs > 1, "j%d", k.Jobs)
	add(true, "qd%d", k.QD)
	add(k.DemandIOPS > 0, "d%d", k.DemandIOPS)
	add(k.Window != "", "%s", k.Window)
	name := strings.Join(parts, "-")
	if k.Step != "" {
		name += " (" + k.Step + ")"
	}
	return name
}

// Range writes the share of the drive: "0-75%".
func (k Key) Range() string {
	return percent(k.RangeFrom) + "-" + percent(k.RangeFrom+k.RangePct) + "%"
}

// blockSize writes bytes as fio takes them.
func blockSize(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 20, "m"}, {1 << 10, "k"}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// base returns a cell's step without its round, which suites write in two digits or more.
func base(c *efficiency.Cell) string {
	at := strings.LastIndex(c.Step, "-r")
	if at < 0 || c.FirstRound != 0 {
		return c.Step
	}
	if n, err := strconv.Atoi(c.Step[at+2:]); err != nil || n != c.Round || len(c.Step)-at-2 < 2 {
		return c.Step
	}
	return c.Step[:at]
}
