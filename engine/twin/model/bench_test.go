package model

import "testing"

// BenchmarkFill makes stripes as a module at 250 kS/s and at 1 kS/s would, of an idle
// drive and of one that is writing at full rate. An hour of the first in ten minutes is
// 670 ns a stripe, instrument noise included.
func BenchmarkFill(b *testing.B) {
	for _, rate := range []struct {
		name     string
		periodNs int64
	}{{"250kSps", 4000}, {"1kSps", msNs}} {
		for _, iops := range []int64{0, 27_500} {
			name := rate.name + "/idle"
			if iops > 0 {
				name = rate.name + "/writing"
			}
			b.Run(name, func(b *testing.B) {
				d, err := New(Seagate1200(4))
				if err != nil {
					b.Fatal(err)
				}
				d.SetPower(0, true)
				benchmarkFill(b, d, rate.periodNs, iops)
			})
		}
	}
}

func benchmarkFill(b *testing.B, d *Drive, periodNs, iops int64) {
	const n = 1000
	var v, a [2][]int32
	for i := range v {
		v[i], a[i] = make([]int32, n), make([]int32, n)
	}
	// Milliseconds that had work are kept: ten seconds of it, which the ring forgets.
	at, begin, end := 10*second, 10*second, 20*second
	if iops > 0 {
		load(d, begin, end, float64(iops), true)
	}
	stripes := 0
	for b.Loop() {
		d.Fill(at, periodNs, []string{"5v", "12v"}, v[:], a[:])
		stripes += n
		if at += n * periodNs; iops > 0 && at+n*periodNs > end {
			at = begin
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(stripes), "ns/stripe")
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
