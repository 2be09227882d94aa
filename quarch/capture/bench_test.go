package capture_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"powerd/quarch"
	"powerd/quarch/capture"
)

const benchStripes = 125_000

// noise is half a second of a plausible module: sigma 2 mV and 4 mA on 5 V,
// 3 mV and 2 mA on 12 V.
func noise() *quarch.Block {
	r := rand.New(rand.NewPCG(1, 2))
	b := &quarch.Block{PeriodNs: 4000}
	for _, q := range []struct {
		rail             quarch.Rail
		v, a, sigV, sigA float64
	}{{quarch.Rail5V, 5000, 420_000, 2, 4000}, {quarch.Rail12V, 12_000, 300_000, 3, 2000}} {
		t := quarch.Trace{Rail: q.rail, LSBVolts: 1e-3, LSBAmps: 1e-6}
		for range benchStripes {
			t.V = append(t.V, int32(q.v+q.sigV*r.NormFloat64()))
			t.A = append(t.A, int32(q.a+q.sigA*r.NormFloat64()))
		}
		b.Traces = append(b.Traces, t)
	}
	return b
}

func rate(b *testing.B) {
	b.ReportMetric(float64(b.N)*benchStripes/b.Elapsed().Seconds()/1e6, "Mstripes/s")
}

// BenchmarkCopy is what the others are measured against: copying the columns.
func BenchmarkCopy(b *testing.B) {
	in := noise()
	out := in.Clone()
	for b.Loop() {
		for k := range in.Traces {
			copy(out.Traces[k].V, in.Traces[k].V)
			copy(out.Traces[k].A, in.Traces[k].A)
		}
	}
	rate(b)
}

// BenchmarkWrite records parts, to the disk and synced.
func BenchmarkWrite(b *testing.B) {
	in := noise()
	w := create(b, filepath.Join(b.TempDir(), "capture"))
	must(b, w.BeginStream(ppm(4000)))
	for b.Loop() {
		must(b, w.Write(in))
		in.First += benchStripes
	}
	must(b, w.Sync())
	rate(b)
	must(b, w.Close())
}

// BenchmarkScan reads them back.
func BenchmarkScan(b *testing.B) {
	in := noise()
	const parts = 8
	var blocks []*quarch.Block
	for range parts {
		blocks = append(blocks, in.Clone())
		in.First += benchStripes
	}
	s := open(b, record(b, blocks...)).Streams()[0]
	n := uint64(0)
	for b.Loop() {
		for blk, err := range s.Blocks(0, capture.ToEnd) {
			must(b, err)
			n += uint64(blk.Len())
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mstripes/s")
}
