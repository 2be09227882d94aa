package suite

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// fault returns an error that the decoder collects with its own.
func fault(n *yaml.Node, format string, args ...any) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: ", n.Line) + fmt.Sprintf(format, args...)}}
}

// Duration is a time.Duration that is written with its unit.
type Duration time.Duration

// UnmarshalYAML refuses a bare number: 5 of what?
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode {
		return fault(n, "want one duration, e.g. 500ms, 30s, 1m30s")
	}
	if err != nil {
		return fault(n, "%q is no duration: it needs a unit, e.g. 500ms, 30s, 1m30s", n.Value)
	}
	if v < 0 {
		return fault(n, "%q is negative", n.Value)
	}
	*d = Duration(v)
	return nil
}

// Bytes is a size: bytes, or with a suffix k, m, g or t of powers of 1024.
type Bytes int64

// UnmarshalYAML reads a size.
func (b *Bytes) UnmarshalYAML(n *yaml.Node) error {
	v, ok := parseBytes(n.Value)
	if n.Kind != yaml.ScalarNode {
		return fault(n, "want one size, e.g. 4k, 128k, 1m")
	}
	if !ok {
		return fault(n, "%q is no size: write bytes, or k, m, g (powers of 1024), e.g. 4k, 128k, 1m", n.Value)
	}
	*b = Bytes(v)
	return nil
}

func parseBytes(s string) (int64, bool) {
	s = strings.ToLower(s)
	shift := 0
	for i, suffix := range []string{"k", "m", "g", "t"} {
		if rest, ok := strings.CutSuffix(strings.TrimSuffix(s, "ib"), suffix); ok {
			s, shift = rest, 10*(i+1)
			break
		}
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v <= 0 || v > 1<<(62-shift) {
		return 0, false
	}
	return v << shift, true
}

// String writes a size as it is read: "4k", "512".
func (b Bytes) String() string {
	for i, suffix := range []string{"t", "g", "m", "k"} {
		if shift := 40 - 10*i; b >= 1<<shift && b%(1<<shift) == 0 {
			return strconv.FormatInt(int64(b>>shift), 10) + suffix
		}
	}
	return strconv.FormatInt(int64(b), 10)
}
