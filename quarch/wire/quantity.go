package wire

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Unit is what a quantity measures.
type Unit byte

// The units of replies.
const (
	UnitVolts Unit = 'V'
	UnitAmps  Unit = 'A'
	UnitWatts Unit = 'W'
)

// Quantity is a number with its unit, as a module prints it.
type Quantity struct {
	Value    float64 // V, A or W
	Unit     Unit
	Decimals int // decimal places of Value that the text gave
}

// Counts returns the quantity as a whole number of 10^-decimals units, rounded;
// ok is false where that is no int32.
func (q Quantity) Counts(decimals int) (n int32, ok bool) {
	x := math.Round(q.Value * math.Pow10(decimals))
	return int32(x), math.Abs(x) < math.MaxInt32
}

// ParseQuantity reads "234mA", "0.234 A", "+2.34E-1 A", "2340uW": a number with a
// decimal point, then n, u, m or nothing, then V, A or W in any case. A text
// without a unit, with an unknown one or with a decimal comma is an error.
func ParseQuantity(text string) (Quantity, error) {
	s := strings.TrimSpace(text)
	n := numberLen(s)
	number, unit := s[:n], strings.TrimSpace(s[n:])
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(value, 0) {
		return Quantity{}, fmt.Errorf("reply %s has no number (want one like 234 mA or 0.234 A)", Quoted(text))
	}
	if unit == "" {
		return Quantity{}, fmt.Errorf("reply %s has no unit (want V, A or W with n, u, m or nothing before it)", Quoted(text))
	}
	q := Quantity{Value: value, Decimals: decimals(number)}
	scale := 0
	switch prefix := strings.ToLower(unit[:len(unit)-1]); prefix {
	case "":
	case "m":
		scale = 3
	case "u", "µ", "μ":
		scale = 6
	case "n":
		scale = 9
	default:
		return Quantity{}, unitError(text, unit)
	}
	switch q.Unit = Unit(unit[len(unit)-1] &^ 0x20); q.Unit {
	case UnitVolts, UnitAmps, UnitWatts:
	default:
		return Quantity{}, unitError(text, unit)
	}
	q.Value /= math.Pow10(scale)
	q.Decimals = max(q.Decimals+scale, 0)
	return q, nil
}

// ParseAs is ParseQuantity for a reply that must have one unit.
func ParseAs(text string, want Unit) (Quantity, error) {
	q, err := ParseQuantity(text)
	if err == nil && q.Unit != want {
		return Quantity{}, fmt.Errorf("reply %s is not in %c", Quoted(text), want)
	}
	return q, err
}

func unitError(text, unit string) error {
	return fmt.Errorf("reply %s has the unknown unit %s (want V, A or W with n, u, m or nothing before it)", Quoted(text), Quoted(unit))
}

// numberLen returns the length of the decimal number that s starts with.
func numberLen(s string) int {
	n := digitsFrom(s, signFrom(s, 0))
	if n < len(s) && s[n] == '.' {
		n = digitsFrom(s, n+1)
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		if from := signFrom(s, n+1); digitsFrom(s, from) > from {
			n = digitsFrom(s, from)
		}
	}
	return n
}

func signFrom(s string, i int) int {
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	return i
}

func digitsFrom(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

// decimals returns the decimal places of a number that numberLen has cut.
func decimals(number string) int {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	e, _ := strconv.Atoi(exponent) // absent: 0; out of range: saturated, and then Value decides
	return len(fraction) - max(min(e, 400), -400)
}

// Output is one line of the reply to measure:outputs?.
type Output struct {
	Label    string
	Rail     string // "5v", "12v", "3v3"; empty if the label names none
	Quantity Quantity
}

// ParseOutputs reads the reply to measure:outputs?: lines that end in
// "= value unit". The labels are not standardised: a rail is recognised by its
// voltage in the label, volts and amperes by the unit. Lines of another form
// (digital signals) are passed over.
func ParseOutputs(reply string) []Output {
	var outputs []Output
	for line := range strings.Lines(reply) {
		label, value, found := strings.Cut(line, "=")
		q, err := ParseQuantity(value)
		if !found || err != nil {
			continue
		}
		label = strings.TrimSpace(label)
		outputs = append(outputs, Output{Label: label, Rail: railOf(label), Quantity: q})
	}
	return outputs
}

func railOf(label string) string {
	l := strings.ToLower(strings.ReplaceAll(label, " ", ""))
	for _, r := range [...][2]string{{"12v", "12v"}, {"3v3", "3v3"}, {"3.3v", "3v3"}, {"5v", "5v"}} {
		if strings.Contains(l, r[0]) {
			return r[1]
		}
	}
	return ""
}
