package datasheet

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"powerd/analysis/limits"
	"powerd/quarch"
)

// unitsOf returns the units that a quantity may be written in, and what each is in
// the quantity's own.
func unitsOf(q limits.Quantity) map[string]float64 {
	switch q.Unit {
	case "A":
		return map[string]float64{"A": 1, "mA": 1e-3}
	case "W":
		return map[string]float64{"W": 1, "mW": 1e-3}
	case "MB/s":
		return map[string]float64{"MB/s": 1, "GB/s": 1e3, "MiB/s": 1.048576}
	case "TB":
		return map[string]float64{"GB": 1e-3, "TB": 1, "PB": 1e3}
	case "µs":
		return map[string]float64{"us": 1, "µs": 1, "ms": 1e3}
	}
	return map[string]float64{"IOPS": 1, "kIOPS": 1e3}
}

func capacityUnits() map[string]float64 {
	return map[string]float64{"B": 1, "GB": 1e9, "TB": 1e12}
}

func blockUnits() map[string]float64 {
	return map[string]float64{"": 1, "k": 1 << 10, "m": 1 << 20}
}

// parseValue reads a number above zero with one of units behind it.
func parseValue(text string, units map[string]float64) (float64, error) {
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	number, unit := text, ""
	if end >= 0 {
		number, unit = text[:end], strings.TrimSpace(text[end:])
	}
	allowed := strings.Join(slices.Sorted(maps.Keys(units)), ", ")
	factor, known := units[unit]
	x, err := strconv.ParseFloat(number, 64)
	switch {
	case number == "" || err != nil:
		return 0, fmt.Errorf("%q: write a number and its unit, of %s", text, allowed)
	case !known && unit == "":
		return 0, fmt.Errorf("%q: %s of what? write its unit, one of %s", text, number, allowed)
	case !known:
		return 0, fmt.Errorf("%q: the unit %q does not fit; it is one of %s", text, unit, allowed)
	case !(x > 0) || math.IsInf(x*factor, 0):
		return 0, fmt.Errorf("%q: it is above zero", text)
	}
	return precise(x * factor), nil
}

// precise takes away what a factor of ten adds in binary: 2720 mW are 2.72 W.
func precise(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 14, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// about says for people what a claim is of: "start current, 12 V".
func about(q limits.Quantity, c limits.Claim) string {
	text := q.About
	if w := c.Workload; w != nil {
		text += ", " + w.Text()
	}
	switch {
	case c.Rail == limits.RailTotal:
		text += ", total"
	case c.Rail != "":
		text += fmt.Sprintf(", %g V", quarch.Rail(c.Rail).NominalVolts())
	}
	return text
}
