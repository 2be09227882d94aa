package watch

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// A braille character is a field of 2 × 4 dots.
const (
	dotsWide = 2
	dotsHigh = 4
	braille  = 0x2800
)

// dotBit returns the bit of the dot at column x and row y (0 = top) of a braille
// character.
func dotBit(x, y int) rune {
	bits := [dotsHigh][dotsWide]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}
	return bits[y][x]
}

// graph draws values (nil = unknown), the newest at the right end, in width × height
// characters with an axis in W. Where a column stands for several values it shows
// their range. It returns nil if nothing is known.
func graph(values []*float64, width, height int) []string {
	lo, hi, ok := span(values)
	if !ok || height < 1 {
		return nil
	}
	top, bottom := axisLabel(hi, hi-lo), axisLabel(lo, hi-lo)
	label := max(utf8.RuneCountInString(top), utf8.RuneCountInString(bottom))
	cells := width - label - 1
	if cells < 4 {
		return nil
	}
	field := plot(values, cells, height, lo, hi)
	out := make([]string, height)
	for y := range field {
		text := ""
		switch y {
		case 0:
			text = top
		case height - 1:
			text = bottom
		}
		out[y] = fmt.Sprintf("%*s ", label, text) + string(field[y])
	}
	return out
}

// span returns the axis: the range of the known values, widened where they are all
// the same.
func span(values []*float64) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v != nil {
			lo, hi = min(lo, *v), max(hi, *v)
		}
	}
	if lo > hi || math.IsInf(lo, 0) || math.IsInf(hi, 0) || math.IsNaN(lo+hi) {
		return 0, 0, false
	}
	const least = 0.01 // W; and no less than 2 % of the value: noise must not look like events
	if room := max(least, 0.02*math.Abs(hi)); hi-lo < room {
		middle := (lo + hi) / 2
		lo, hi = middle-room/2, middle+room/2
	}
	return lo, hi, true
}

// axisLabel writes an end of the axis as exactly as its range asks for.
func axisLabel(w, rng float64) string {
	decimals := 2
	switch {
	case rng < 0.1:
		decimals = 3
	case rng >= 100:
		decimals = 0
	}
	return fmt.Sprintf("%.*f W", decimals, w)
}

// plot sets the dots of all values.
func plot(values []*float64, cells, height int, lo, hi float64) [][]rune {
	field := make([][]rune, height)
	for y := range field {
		field[y] = []rune(strings.Repeat(string(rune(braille)), cells))
	}
	columns, rows := cells*dotsWide, height*dotsHigh
	row := func(v float64) int {
		return min(rows-1, max(0, int(math.Round((hi-v)/(hi-lo)*float64(rows-1)))))
	}
	for x := range columns {
		from, to := share(x, columns, len(values))
		low, high, any := math.Inf(1), math.Inf(-1), false
		for _, v := range values[from:to] {
			if v != nil {
				low, high, any = min(low, *v), max(high, *v), true
			}
		}
		if !any {
			continue
		}
		for y := row(high); y <= row(low); y++ {
			field[y/dotsHigh][x/dotsWide] |= dotBit(x%dotsWide, y%dotsHigh)
		}
	}
	return field
}

// share returns which of n values column x of columns shows: all of them spread over
// the columns if they are more, else one each, up to the right end.
func share(x, columns, n int) (from, to int) {
	if n <= columns {
		i := x - (columns - n)
		if i < 0 {
			return 0, 0
		}
		return i, i + 1
	}
	return x * n / columns, (x + 1) * n / columns
}
