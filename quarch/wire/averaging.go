package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// BasePeriodNs is the period of a sample without averaging: 4 µs.
const BasePeriodNs = 4_000

// MaxExponent is the greatest averaging exponent: 32k samples, 131.072 ms.
const MaxExponent = 15

// PeriodNs returns the stripe period of an averaging exponent, 4 µs · 2^e.
func PeriodNs(exponent byte) int64 { return BasePeriodNs << exponent }

// Exponent returns the averaging exponent whose period is periodNs; ok is false
// if there is none.
func Exponent(periodNs int64) (exponent byte, ok bool) {
	for e := byte(0); e <= MaxExponent; e++ {
		if PeriodNs(e) == periodNs {
			return e, true
		}
	}
	return 0, false
}

// Samples returns the base samples in a stripe: 1 for no averaging.
func Samples(exponent byte) int { return 1 << exponent }

// AveragingText returns an exponent as rec:ave takes it: "0", "2" … "512", "1k"
// … "32k".
func AveragingText(exponent byte) string {
	switch {
	case exponent == 0:
		return "0"
	case exponent < 10:
		return strconv.Itoa(1 << exponent)
	}
	return strconv.Itoa(1<<(exponent-10)) + "k"
}

// ParseAveraging reads the reply to rec:ave? ("16", "16:OK", "1k", "32K", "0")
// and returns its exponent. A value that no module has is an error naming it.
func ParseAveraging(reply string) (exponent byte, err error) {
	value, _, _ := strings.Cut(reply, ":")
	value = strings.ToLower(strings.TrimSpace(value))
	for e := byte(0); e <= MaxExponent; e++ {
		if value == AveragingText(e) || e >= 10 && value == strconv.Itoa(1<<e) {
			return e, nil
		}
	}
	return 0, fmt.Errorf("averaging %s is none that a module has (want 0, 2, 4 … 512, 1k … 32k)", Quoted(reply))
}
