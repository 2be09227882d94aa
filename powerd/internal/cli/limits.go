package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"powerd/powerd/internal/config"
)

// limited is a flag whose text is looked at before it is taken, so that a value that
// cannot be is a mistake in the command line, with what is allowed.
type limited struct {
	pflag.Value
	fault func(text string) string // "" if there is none
}

func (l limited) Set(text string) error {
	if why := l.fault(text); why != "" {
		return errors.New(why)
	}
	return l.Value.Set(text)
}

// limit limits flags of c by their names.
func limit(c *cobra.Command, faults map[string]func(text string) string) {
	for name, fault := range faults {
		f := c.Flags().Lookup(name)
		f.Value = limited{f.Value, fault}
	}
}

// setting is the fault of a flag that means what a setting means.
func setting(name string) func(text string) string {
	return func(text string) string { return config.Fault(name, text) }
}

// The module's buffer: below the least not even a frame's worth of stripes has room, and
// beyond the most a host's memory is at stake.
const (
	leastFIFOBytes = 4096
	mostFIFOBytes  = 1 << 30
)

func fifoBytes(text string) string {
	if n, err := strconv.Atoi(text); err != nil || n < leastFIFOBytes || n > mostFIFOBytes {
		return fmt.Sprintf("must be a whole number of bytes from %d to %d", leastFIFOBytes, mostFIFOBytes)
	}
	return ""
}

const mostSerialChars = 32

// serialNumber wants what stands in one line of a reply and is no part of a prompt.
func serialNumber(text string) string {
	fit := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)
	}
	if text == "" || len(text) > mostSerialChars || strings.IndexFunc(text, func(r rune) bool { return !fit(r) }) >= 0 {
		return fmt.Sprintf("must be of letters, digits, '-', '_' and '.', 1 to %d of them, as in QTL1999-02-001", mostSerialChars)
	}
	return ""
}

// sizeValue is a flag that takes a size as settings do.
type sizeValue config.Bytes

func (s *sizeValue) Set(text string) error { return (*config.Bytes)(s).UnmarshalText([]byte(text)) }
func (s *sizeValue) String() string        { return config.Bytes(*s).String() }
func (s *sizeValue) Type() string          { return "size" }
