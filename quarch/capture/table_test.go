package capture

import (
	"bytes"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"powerd/quarch"
)

// What goes into a table comes out of it, null for null, whatever the counts.
func TestTableRoundTrip(t *testing.T) {
	count := rapid.OneOf(rapid.Int32(), rapid.Int32Range(-5, 5), rapid.Just(quarch.Missing))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 700).Draw(t, "rows")
		a := rapid.SliceOfN(count, n, n).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "b")
		var e encoder
		data, err := e.encode([]column{{name: "5v_a", i32: a}, {name: "at_mono_ns", i64: b}}, []keyValue{{"k", "v"}})
		if err != nil {
			t.Fatal(err)
		}
		tab, err := openTable(data)
		if err != nil {
			t.Fatal(err)
		}
		gotA, err := tab.int32s(nil, "5v_a")
		if err != nil || !slices.Equal(gotA, a) {
			t.Fatalf("5v_a = %v (%v), want %v", gotA, err, a)
		}
		gotB, err := tab.int64s(nil, "at_mono_ns")
		if err != nil || !slices.Equal(gotB, b) {
			t.Fatalf("at_mono_ns = %v (%v), want %v", gotB, err, b)
		}
		if v, ok := tab.meta("k"); !ok || v != "v" {
			t.Fatalf("metadata k = %q %t, want v", v, ok)
		}
	})
}

// A table is a Parquet file as anybody reads it: rows by name, null where a
// count is missing. The library's row reader stands for the others.
func TestTableIsPlainParquet(t *testing.T) {
	var e encoder
	data, err := e.encode([]column{
		{name: "5v_v", i32: []int32{5000, 5001, quarch.Missing}},
		{name: "5v_a", i32: []int32{quarch.Missing, -7, 8}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		V *int32 `parquet:"5v_v,optional"`
		A *int32 `parquet:"5v_a,optional"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	null := func(p *int32) int32 {
		if p == nil {
			return quarch.Missing
		}
		return *p
	}
	want := [][2]int32{{5000, quarch.Missing}, {5001, -7}, {quarch.Missing, 8}}
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i, r := range rows {
		if got := [2]int32{null(r.V), null(r.A)}; got != want[i] {
			t.Errorf("row %d = %v, want %v", i, got, want[i])
		}
	}
}

// A flipped bit of the stripes is found by the page's checksum.
func TestFlippedBitIsFound(t *testing.T) {
	counts := make([]int32, 1000)
	for i := range counts {
		counts[i] = int32(500_000 + i*i%977)
	}
	var e encoder
	data, err := e.encode([]column{{name: "5v_a", i32: counts}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	good := slices.Clone(data)
	// Bytes 60 to 1000 stand inside the only page: its header takes under 50,
	// its 1000 values over 1000.
	for at := 60; at < 1000; at += 47 {
		bad := slices.Clone(good)
		bad[at] ^= 0x10
		tab, err := openTable(bad)
		if err == nil {
			_, err = tab.int32s(nil, "5v_a")
		}
		if err == nil {
			t.Errorf("a flipped bit in byte %d was not found", at)
		}
	}
}

// Whatever bytes a file holds, reading it ends with values or an error.
func FuzzOpenTable(f *testing.F) {
	var e encoder
	data, err := e.encode([]column{
		{name: "5v_v", i32: []int32{5000, 5001, quarch.Missing}},
		{name: "at_mono_ns", i64: []int64{1, 2, 3}},
	}, []keyValue{{"powerd.first", "0"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)-9])
	f.Add([]byte("PAR1"))
	huge := slices.Clone(data)
	copy(huge[len(huge)-8:], "\xff\xff\xff\xff") // a footer of 4 GiB
	f.Add(huge)
	f.Fuzz(func(t *testing.T, data []byte) {
		tab, err := openTable(data)
		if err != nil {
			return
		}
		if v, err := tab.int32s(nil, "5v_v"); err == nil && len(v) != tab.rows {
			t.Errorf("%d counts of %d rows without an error", len(v), tab.rows)
		}
		if v, err := tab.int64s(nil, "at_mono_ns"); err == nil && len(v) != tab.rows {
			t.Errorf("%d times of %d rows without an error", len(v), tab.rows)
		}
	})
}
