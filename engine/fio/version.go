package fio

import (
	"fmt"
	"strconv"
	"strings"

	"powerd/engine"
)

// Oldest and newest fio whose behaviour is known.
const (
	minMinor = 30
	maxMinor = 42
)

// Version is fio's version: 3.33 is {3, 33}.
type Version struct{ Major, Minor int }

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// AtLeast reports whether v is major.minor or newer.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// ParseVersion reads what fio prints for --version and writes into its reports:
// "fio-3.33", "fio-3.36-12-gabcdef", "fio-2.1.10".
func ParseVersion(s string) (Version, error) {
	s = strings.TrimSpace(s)
	rest, ok := strings.CutPrefix(s, "fio-")
	if !ok {
		return Version{}, fmt.Errorf("read fio's version: %q does not begin with \"fio-\"", clip(s, 60))
	}
	majorText, rest, ok := strings.Cut(rest, ".")
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	major, err1 := strconv.ParseUint(majorText, 10, 16)
	minor, err2 := strconv.ParseUint(rest[:end], 10, 16)
	if !ok || err1 != nil || err2 != nil {
		return Version{}, fmt.Errorf("read fio's version: no major.minor in %q", clip(s, 60))
	}
	return Version{Major: int(major), Minor: int(minor)}, nil
}

// features is what differs between versions; the table below is the only place
// that knows when.
type features struct {
	jobStart    bool // entries carry job_start, on the clock of job_start_clock_id
	priorityCol bool // logs end in a priority column
	bytesInKiB  bool // io_bytes counts KiB, and there is no bw_bytes
	latencyInUs bool // latencies are keyed lat, clat and count µs
}

func featuresOf(v Version) features {
	return features{
		jobStart:    v.AtLeast(3, 36),
		priorityCol: v.AtLeast(3, 18),
		bytesInKiB:  !v.AtLeast(3, 0),
		latencyInUs: !v.AtLeast(3, 0),
	}
}

// epochOptions asks for log stamps (and job_start) on CLOCK_MONOTONIC. Until
// 3.35 the clock is taken into account under log_unix_epoch, later that name is
// an alias.
func epochOptions(v Version) []option {
	if featuresOf(v).jobStart {
		return []option{{"log_alternate_epoch", "1"}, {"log_alternate_epoch_clock_id", "1"}, {"job_start_clock_id", "1"}}
	}
	return []option{{"log_unix_epoch", "1"}, {"log_alternate_epoch_clock_id", "1"}}
}

// supported returns an error for a version that is too old, and a remark for
// one that is newer than any that is known.
func supported(v Version) (remark string, err error) {
	switch {
	case !v.AtLeast(3, minMinor):
		return "", fmt.Errorf("%w: found fio %v, need 3.%d or newer (known to 3.%d); install it, e.g. apt install fio",
			engine.ErrUnavailable, v, minMinor, maxMinor)
	case v.AtLeast(3, maxMinor+1):
		return fmt.Sprintf("fio %v is newer than 3.%d, the newest whose behaviour is known", v, maxMinor), nil
	}
	return "", nil
}

// clip shortens text for a message.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
