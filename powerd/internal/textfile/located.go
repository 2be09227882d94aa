package textfile

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Located turns the faults that a YAML decoder found in a file ("line 3: …") into
// one error a fault, with file:line first, in people's words and without the names of
// inner types.
func Located(file string, faults []string) error {
	unknown := regexp.MustCompile(`field (\S+) not found in type \S+`)
	line := regexp.MustCompile(`^line (\d+): `)
	out := make([]error, len(faults))
	for i, f := range faults {
		f = wanted(unknown.ReplaceAllString(f, "unknown key $1"))
		if m := line.FindStringSubmatch(f); m != nil {
			f = m[1] + ": " + strings.TrimPrefix(f, m[0])
		} else {
			f = " " + f
		}
		out[i] = fmt.Errorf("%s:%s", file, f)
	}
	return errors.Join(out...)
}

// wanted says of a value of a wrong kind what is wanted in its place.
func wanted(fault string) string {
	m := regexp.MustCompile("^(line \\d+: )?cannot unmarshal !!(\\w+)(?: `(.*)`)? into (\\S+)$").FindStringSubmatch(fault)
	if m == nil {
		return fault
	}
	line, kind, text, into := m[1], m[2], m[3], m[4]
	is := strconv.Quote(text)
	switch kind {
	case "seq":
		is = "a list"
	case "map":
		is = "a mapping"
	}
	return line + is + ": want " + kindOf(into)
}

// kindOf writes a type of Go's as what a file holds for it.
func kindOf(into string) string {
	into = strings.TrimLeft(into, "*")
	switch {
	case strings.HasPrefix(into, "[]"):
		return "a list"
	case strings.HasPrefix(into, "int"), strings.HasPrefix(into, "uint"):
		return "a whole number"
	case strings.HasPrefix(into, "float"):
		return "a number"
	case into == "bool":
		return "true or false"
	case into == "string":
		return "one value"
	}
	return "a mapping, key: value"
}
