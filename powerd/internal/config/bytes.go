package config

import (
	"errors"
	"strconv"
	"strings"
)

// Bytes is a size in bytes. It is written as bytes or with k, m, g, t or KiB, MiB,
// GiB, TiB, powers of 1024.
type Bytes int64

// UnmarshalText reads a size.
func (b *Bytes) UnmarshalText(text []byte) error {
	s := strings.ToLower(string(text))
	shift := 0
	for i, unit := range []string{"k", "m", "g", "t"} {
		rest, long := strings.CutSuffix(s, unit+"ib")
		rest, short := strings.CutSuffix(rest, unit)
		if long != short {
			s, shift = rest, 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 0 || n > 1<<(62-shift) {
		return errors.New("is no size; write bytes, or k, m, g or KiB, MiB, GiB (powers of 1024), e.g. 1GiB")
	}
	*b = Bytes(n << shift)
	return nil
}

// String writes a size as it may be read.
func (b Bytes) String() string {
	for i, unit := range []string{"TiB", "GiB", "MiB", "KiB"} {
		if shift := 40 - 10*i; b >= 1<<shift && b%(1<<shift) == 0 {
			return strconv.FormatInt(int64(b>>shift), 10) + unit
		}
	}
	return strconv.FormatInt(int64(b), 10)
}
