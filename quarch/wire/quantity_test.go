package wire_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"powerd/quarch/wire"
)

// The transcript holds five spellings of 0.234 A and one of 2.34 mW.
func TestUnitsOfReplies(t *testing.T) {
	text, err := os.ReadFile("testdata/units.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got []wire.Quantity
	for line := range strings.Lines(string(text)) {
		escaped, isReply := strings.CutPrefix(strings.TrimSpace(line), "M: ")
		if !isReply {
			continue
		}
		raw, err := strconv.Unquote(`"` + escaped + `"`)
		if err != nil {
			t.Fatal(err)
		}
		reply, _, _ := wire.TerminalReply([]byte(raw), "measure:current 5v?", false)
		q, err := wire.ParseQuantity(reply)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, q)
	}
	want := []wire.Quantity{
		{0.234, wire.UnitAmps, 3},
		{0.234, wire.UnitAmps, 3},
		{0.234, wire.UnitAmps, 6},
		{0.234, wire.UnitAmps, 3},
		{0.234, wire.UnitAmps, 3},
		{0.00234, wire.UnitWatts, 6},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTextsWithoutAKnownUnitAreRefused(t *testing.T) {
	for _, text := range []string{"234", "234 m", "0,234 A", "mA", "", "234 Ah", "234 kA", "0x10 V", "1_0 V", "inf A", "NaN V", "1e999 A", "234 mAmp", "2..3 A"} {
		if q, err := wire.ParseQuantity(text); err == nil || !strings.Contains(err.Error(), strconv.Quote(text)) {
			t.Errorf("%q: got %v, error %v; want an error that quotes it", text, q, err)
		}
	}
	if _, err := wire.ParseAs("234mV", wire.UnitAmps); err == nil || !strings.Contains(err.Error(), "234mV") {
		t.Errorf("234mV as a current: error %v, want one that quotes it", err)
	}
}

func TestQuantitiesAsCounts(t *testing.T) {
	for text, uA := range map[string]int32{"123.456 mA": 123_456, "-0.983 mA": -983, "0.234A": 234_000, "13 A": 13_000_000} {
		q, err := wire.ParseAs(text, wire.UnitAmps)
		if n, ok := q.Counts(6); err != nil || !ok || n != uA {
			t.Errorf("%q: %d µA, %v, %v; want %d", text, n, ok, err, uA)
		}
	}
	if _, ok := (wire.Quantity{Value: 3e3}).Counts(6); ok {
		t.Error("3000 A in µA fits an int32; want not ok") // 3e9 > 2^31
	}
}

func TestOutputsByRailAndUnit(t *testing.T) {
	reply := "5V Voltage = 5010 mV\n5V Current = 123456 uA\n12 V voltage = 11990 mV\n12V current = -983uA\nPERST = HIGH\n3.3V aux = 3300 mV"
	var got []string
	for _, o := range wire.ParseOutputs(reply) {
		got = append(got, o.Rail+" "+strconv.FormatFloat(o.Quantity.Value, 'g', -1, 64)+" "+string(rune(o.Quantity.Unit)))
	}
	want := []string{"5v 5.01 V", "5v 0.123456 A", "12v 11.99 V", "12v -0.000983 A", "3v3 3.3 V"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzParseQuantity(f *testing.F) {
	for _, s := range []string{"234mA", "+2.34E-1 A", "2340uW", "0,2 A", "5010 mV", "1e-400A", "µ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := wire.ParseQuantity(text)
		if err == nil && (math.IsNaN(q.Value) || math.IsInf(q.Value, 0) || q.Decimals < 0) {
			t.Errorf("%q reads as %v", text, q)
		}
		wire.ParseOutputs(text)
	})
}
