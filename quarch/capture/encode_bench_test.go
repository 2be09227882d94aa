package capture

import "testing"

// BenchmarkEncode is the processor's share of writing: half a second of two
// rails into one file in memory.
func BenchmarkEncode(b *testing.B) {
	const n = 125_000
	cols := []column{{name: "5v_v"}, {name: "5v_a"}, {name: "12v_v"}, {name: "12v_a"}}
	x := uint32(1)
	for i := range cols {
		for range n {
			x = x*1664525 + 1013904223
			cols[i].i32 = append(cols[i].i32, int32(5000+x>>(20-4*(i%2))))
		}
	}
	var e encoder
	size := 0
	for b.Loop() {
		data, err := e.encode(cols, nil)
		if err != nil {
			b.Fatal(err)
		}
		size = len(data)
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Mstripes/s")
	b.ReportMetric(float64(size)/n, "B/stripe")
}
