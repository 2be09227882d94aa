package textfile

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Located turns the faults that a YAML decoder found in a file ("line 3: …") into
// one error a fault, with file:line first and without the names of inner types.
func Located(file string, faults []string) error {
	unknown := regexp.MustCompile(`field (\S+) not found in type \S+`)
	line := regexp.MustCompile(`^line (\d+): `)
	out := make([]error, len(faults))
	for i, f := range faults {
		f = unknown.ReplaceAllString(f, "unknown key $1")
		if m := line.FindStringSubmatch(f); m != nil {
			f = m[1] + ": " + strings.TrimPrefix(f, m[0])
		} else {
			f = " " + f
		}
		out[i] = fmt.Errorf("%s:%s", file, f)
	}
	return errors.Join(out...)
}
