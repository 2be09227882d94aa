package analysis

import (
	"slices"
	"strings"

	"powerd/quarch"
)

// Uses reports whether a drive uses a rail. used are its rails; nil = all that the module
// gives.
func Uses(used []quarch.Rail, r quarch.Rail) bool { return used == nil || slices.Contains(used, r) }

// Lacking returns the rails without which there is no total: those in use that were not
// measured, except those that the drive has none of.
func Lacking(used, measured, noRails []quarch.Rail) []quarch.Rail {
	var out []quarch.Rail
	for _, r := range used {
		if !slices.Contains(measured, r) && !slices.Contains(noRails, r) {
			out = append(out, r)
		}
	}
	return out
}

// NoTotal says why there is no total without some rails; empty if it lacks none.
func NoTotal(lacking []quarch.Rail) string {
	if len(lacking) == 0 {
		return ""
	}
	return RailNames(lacking) + " not measured, so that a total would be too low; if the drive does not use it, leave it out of the bench's rails"
}

// RailName writes a rail as people do: 12V.
func RailName(r quarch.Rail) string { return strings.ToUpper(string(r)) }

// RailLabel writes a rail as it stands over columns and lines: 12 V.
func RailLabel(r quarch.Rail) string {
	if r == quarch.Rail3V3 {
		return "3.3 V"
	}
	return strings.ToUpper(strings.Replace(string(r), "v", " v", 1))
}

// RailNames writes rails as people do: 5V, 12V.
func RailNames(rails []quarch.Rail) string {
	names := make([]string, len(rails))
	for i, r := range rails {
		names[i] = RailName(r)
	}
	return strings.Join(names, ", ")
}
