package fio

import (
	"fmt"
	"strconv"
	"strings"

	"powerd/engine"
)

// option is one line of a job file.
type option struct{ name, value string }

// options are those that an entry ran with: the job's own over the global ones
// over fio's defaults.
type options struct{ job, global map[string]string }

func (d *document) options(e *entry) options { return options{e.Options, d.Global} }

// aliasesOf returns the names under which fio takes an option.
func aliasesOf(name string) []string {
	switch name {
	case "rw":
		return []string{"rw", "readwrite"}
	case "bs":
		return []string{"bs", "blocksize"}
	case "runtime":
		return []string{"runtime", "timeout"}
	}
	return []string{name}
}

// get returns the option as given; given = false if neither job nor global
// section has it.
func (o options) get(name string) (val string, given bool) {
	for _, m := range []map[string]string{o.job, o.global} {
		for _, n := range aliasesOf(name) {
			if v, ok := m[n]; ok {
				return v, true
			}
		}
	}
	return "", false
}

// given reports whether the option stands in the job or global section.
func (o options) given(name string) bool {
	_, ok := o.get(name)
	return ok
}

// count returns a whole-number option, or fio's default where it isn't given or
// is no number.
func (o options) count(name string, fallback int64) int64 {
	if v, ok := o.get(name); ok {
		if n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
			return n
		}
	}
	return fallback
}

// on reports whether a flag is set: present without a value or with 1.
func (o options) on(name string) bool {
	v, ok := o.get(name)
	return ok && v != "0"
}

// blockBytes returns the block size if it is one size for all IOs, else 0.
func (o options) blockBytes() int64 {
	if o.given("bssplit") || o.given("bsrange") {
		return 0
	}
	v, ok := o.get("bs")
	if !ok {
		return 4096
	}
	n, err := parseSize(v)
	if err != nil {
		return 0
	}
	return n
}

// defaulted lists the options that describe a workload and were left to fio.
func (o options) defaulted() []string {
	var out []string
	for _, d := range []option{{"rw", "read"}, {"bs", "4k"}, {"iodepth", "1"}, {"numjobs", "1"}} {
		if !o.given(d.name) {
			out = append(out, d.name+"="+d.value)
		}
	}
	return out
}

// label names the workload: "randread 4k qd1", "randrw 70/30 8k qd4 jobs4".
func (o options) label() string {
	rw, ok := o.get("rw")
	if !ok {
		rw = "read"
	}
	parts := []string{rw}
	if rw == "readwrite" || engine.Mixed(rw) { // fio has two names for one of them
		pct := o.count("rwmixread", 50)
		parts = append(parts, fmt.Sprintf("%d/%d", pct, 100-pct))
	}
	bs, ok := o.get("bs")
	if !ok {
		bs = "4k"
	}
	if n := o.blockBytes(); n > 0 {
		bs = formatSize(n)
	}
	parts = append(parts, bs, fmt.Sprintf("qd%d", o.count("iodepth", 1)))
	if jobs := o.count("numjobs", 1); jobs > 1 {
		parts = append(parts, fmt.Sprintf("jobs%d", jobs))
	}
	return strings.Join(parts, " ")
}

// parseSize reads "4096", "4k", "128KiB", "1m": powers of 1024, fio's default.
func parseSize(s string) (int64, error) {
	t := strings.ToLower(strings.TrimSpace(s))
	t = strings.TrimSuffix(strings.TrimSuffix(t, "b"), "i")
	factor := int64(1)
	if n := len(t); n > 0 {
		if i := strings.IndexByte("kmgtp", t[n-1]); i >= 0 {
			factor, t = int64(1)<<(10*(i+1)), t[:n-1]
		}
	}
	n, err := strconv.ParseInt(t, 10, 64)
	if err != nil || n < 0 || n > (1<<62)/factor {
		return 0, fmt.Errorf("read size %q: want a number with k, m, g or t", clip(s, 40))
	}
	return n * factor, nil
}

// formatSize is the inverse of parseSize.
func formatSize(n int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}
