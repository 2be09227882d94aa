package analysis

import (
	"math"
	"strconv"
	"strings"
)

// WithheldWord stands where a figure is withheld.
const WithheldWord = "withheld"

// absentWord stands where there is no figure and no reason.
const absentWord = "–"

// Mark returns the words that go with every result that is not of a real drive at
// full rate; empty for a real one. scale is "1:4" where rates were scaled down.
func Mark(simulated bool, scale string) string {
	var words []string
	if simulated {
		words = append(words, "SIMULATED")
	}
	if scale != "" {
		words = append(words, "SCALED "+scale)
	}
	return strings.Join(words, " · ")
}

// Heading returns what stands over the column: its head and, in brackets, its
// unit.
func (c Column) Heading() string {
	head := c.Head
	if head == "" {
		head = c.Name
	}
	if c.Unit == "" || c.Unit == head {
		return head
	}
	return head + " (" + c.Unit + ")"
}

// Format returns how people see a cell of the column, without the unit: words,
// a whole number, a value to the column's significant digits, or a value ± its
// 95 % half-width. A withheld cell gives WithheldWord, an absent one a dash.
func (c Column) Format(cell Cell) string {
	switch {
	case !cell.Valid && cell.Why != "":
		return WithheldWord
	case !cell.Valid:
		return absentWord
	case c.Kind == Text || c.Kind == Key:
		return cell.Text
	case math.IsNaN(cell.Value) || math.IsInf(cell.Value, 0):
		return absentWord
	case c.Kind == Count:
		return Decimal(cell.Value, 0)
	}
	return FormatValue(cell.Value, cell.U95, c.Digits)
}

// finest is the smallest relative ± that is shown: below it, scatter is that of the
// arithmetic.
const finest = 1e-7

// FormatValue prints v to so many significant digits (0 = 4). With a u95 above
// zero it prints "v ± u95": u95 to two significant digits, v to the same place.
func FormatValue(v, u95 float64, digits int) string {
	if digits <= 0 {
		digits = 4
	}
	if u95 > finest*math.Abs(v) && !math.IsInf(u95, 0) {
		places := decimalPlaces(u95, 2)
		return Decimal(v, places) + " ± " + Decimal(u95, places)
	}
	if v != 0 && (math.Abs(v) < 1e-4 || math.Abs(v) >= 1e15) {
		return strconv.FormatFloat(v, 'e', digits-1, 64)
	}
	return Decimal(v, decimalPlaces(v, digits))
}

// Uncovered says that samples cover too small a share of something. The share shows
// as many digits as tell it from the one that is required.
func Uncovered(of string, coverage, required float64) string {
	places := 1
	for places < 6 && Decimal(100*coverage, places) == Decimal(100*required, places) {
		places++
	}
	return "samples cover " + Decimal(100*coverage, places) + " % of the " + of + ", " + Decimal(100*required, places) + " % are required"
}

// Decimal prints v with so many places after the point, in groups of three from
// 10,000 up. Negative places round before the point.
func Decimal(v float64, places int) string {
	if places < 0 {
		unit := math.Pow10(-places)
		v, places = math.Round(v/unit)*unit, 0
	}
	s := strconv.FormatFloat(v, 'f', min(places, 12), 64)
	sign := ""
	if strings.HasPrefix(s, "-") {
		s = s[1:]
		if strings.Trim(s, "0.") != "" { // -0.0004 to two places is no minus
			sign = "-"
		}
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if len(whole) >= 5 {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction
}

// decimalPlaces returns how many places after the point show v to so many
// significant digits. It counts on the rounded value: 0.0996 to two digits is 0.10.
func decimalPlaces(v float64, digits int) int {
	if v == 0 {
		return digits - 1
	}
	printed := strconv.FormatFloat(v, 'e', digits-1, 64)
	_, exponent, _ := strings.Cut(printed, "e")
	power, err := strconv.Atoi(exponent)
	if err != nil { // NaN and Inf have no exponent
		return 0
	}
	return digits - 1 - power
}
