package diskstats

import (
	"strings"
	"testing"
)

// A line of a kernel since 5.5, with discards and flushes, of one since 4.18 without
// flushes, and of an older one. A sector is 512 bytes on a drive of 4096-byte sectors
// too.
func TestKernelsLines(t *testing.T) {
	for line, want := range map[string]Counters{
		" 4720142   131589 52935770  2606679  1674449   418558 46688608  1246162        3   614572  4156219   527040      285 35625280   150883   394977   152494\n": {
			Reads: 4_720_142, ReadBytes: 52_935_770 * 512, Writes: 1_674_449, WriteBytes: 46_688_608 * 512,
			Discards: 527_040, DiscardBytes: 35_625_280 * 512, Flushes: 394_977, InFlight: 3, BusyMs: 614_572, fields: 17,
		},
		"1 2 8 4 5 6 16 8 9 10 11 12 13 24 15": {
			Reads: 1, ReadBytes: 4096, Writes: 5, WriteBytes: 8192, Discards: 12, DiscardBytes: 24 * 512, InFlight: 9, BusyMs: 10, fields: 15,
		},
		"1 2 8 4 5 6 16 8 9 10 11": {Reads: 1, ReadBytes: 4096, Writes: 5, WriteBytes: 8192, InFlight: 9, BusyMs: 10, fields: 11},
	} {
		got, err := Parse(line)
		if err != nil || got != want {
			t.Errorf("%q:\n%+v, %v, want\n%+v", line, got, err, want)
		}
	}
}

// What is no such line is refused with what is wrong in it; nothing is guessed.
func TestLinesThatAreNone(t *testing.T) {
	for line, want := range map[string]string{
		"":                           "0 fields",
		"1 2 3 4":                    "4 fields",
		"1 2 3 4 5 6 7 8 9 10 11 12": "12 fields",
		"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18": "18 fields",
		"1 2 3 4 -5 6 7 8 9 10 11":                     `field 5: "-5"`,
		"1 2 3 4 5.5 6 7 8 9 10 11":                    `field 5: "5.5"`,
		"1 2 99999999999999999999 4 5 6 7 8 9 10 11":   `field 3: "99999999999999999999"`,
		"1 2 36028797018963968 4 5 6 7 8 9 10 11":      "field 3: 36028797018963968 sectors", // 2⁵⁵ · 512 = 2⁶⁴
		"8 0 sda 1 2 3 4 5 6 7 8":                      `field 3: "sda"`,                     // a line of /proc/diskstats
	} {
		if _, err := Parse(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}

// Whatever the text, what comes of it is a line that gives the same again.
func FuzzParse(f *testing.F) {
	f.Add("1 2 8 4 5 6 16 8 9 10 11 12 13 24 15 16 17")
	f.Add("1 2 8 4 5 6 16 8 9 10 11")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err != nil {
			return
		}
		if n := len(strings.Fields(text)); n != c.fields {
			t.Errorf("%d fields of %d", c.fields, n)
		}
		r, ok, err := parseRow(strings.TrimSuffix(string(row(5, 1, &c)), "\n"))
		if err != nil || !ok || r.Counters != c || r.AtNs != 5 || r.UNs != 1 {
			t.Errorf("written and read: %+v, %v, %v, was %+v", r, ok, err, c)
		}
	})
}
