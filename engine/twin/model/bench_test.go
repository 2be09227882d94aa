package model

import "testing"

// A second of 250 kS/s must cost less than 100 ms, so a stripe less than 400 ns.
func BenchmarkFill(b *testing.B) {
	d, err := New(Seagate1200(4))
	if err != nil {
		b.Fatal(err)
	}
	d.SetPower(0, true)
	const n = 2500
	var v, a [2][]int32
	for i := range v {
		v[i], a[i] = make([]int32, n), make([]int32, n)
	}
	at := 10 * second
	for b.Loop() {
		d.Fill(at, 4000, []string{"5v", "12v"}, v[:], a[:])
		at += n * 4000
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/stripe")
}

// An IO must cost less than 300 ns.
func BenchmarkIO(b *testing.B) {
	d, err := New(Seagate1200(1))
	if err != nil {
		b.Fatal(err)
	}
	d.SetPower(0, true)
	at := 10 * second
	for b.Loop() {
		at += 9090
		d.IO(at-290_000, at, true, 4096)
	}
}

func BenchmarkAdmit(b *testing.B) {
	d, err := New(Seagate1200(1))
	if err != nil {
		b.Fatal(err)
	}
	d.SetPower(0, true)
	at := 10 * second
	for b.Loop() {
		at += 9090
		if _, err := d.Admit(at, Request{Write: true, OffsetBytes: at % (1 << 26) * 4096, Bytes: 4096}); err != nil {
			b.Fatal(err)
		}
	}
}
