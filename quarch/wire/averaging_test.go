package wire_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"powerd/quarch/wire"
)

// The table gives for each reply the period in µs, 4 µs · averaging, k = 1024.
func TestAveragingReplies(t *testing.T) {
	table, err := os.ReadFile("testdata/averaging.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if line[0] == '#' || f[0] == "reply" {
			continue
		}
		rows++
		us, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		e, err := wire.ParseAveraging(f[0])
		if err != nil || wire.PeriodNs(e) != us*1000 {
			t.Errorf("reply %q: period %d ns, %v; want %d µs", f[0], wire.PeriodNs(e), err, us)
		}
		if back, ok := wire.Exponent(us * 1000); !ok || back != e || wire.AveragingText(e) != f[0] {
			t.Errorf("%d µs: exponent %d %v, text %q; want %d, %q", us, back, ok, wire.AveragingText(e), e, f[0])
		}
	}
	if rows != 10 {
		t.Errorf("the table has %d rows, want 10", rows)
	}
}

func TestAveragingSpellings(t *testing.T) {
	for reply, exponent := range map[string]byte{"16:OK": 4, "1K": 10, "32K": 15, "1024": 10, " 512 ": 9} {
		if e, err := wire.ParseAveraging(reply); err != nil || e != exponent {
			t.Errorf("reply %q: exponent %d, %v; want %d", reply, e, err, exponent)
		}
	}
	for _, reply := range []string{"3", "", "1", "64k", "0k", "FAIL: 0x12 -no"} {
		if e, err := wire.ParseAveraging(reply); err == nil || !strings.Contains(err.Error(), strconv.Quote(reply)) {
			t.Errorf("reply %q: exponent %d, error %v; want one that quotes it", reply, e, err)
		}
	}
	if _, ok := wire.Exponent(10_000); ok {
		t.Error("10 µs has an averaging; want none")
	}
}
