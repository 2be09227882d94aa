package catalog

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"powerd/engine/twin/model"
	"powerd/powerd/internal/twinfile"
	"powerd/quarch/wire"
)

// BenchmarkVirtualModule makes the bytes that a module in the published drive's supply
// sends, noise included, in virtual time. It counts the processor's time, so that others
// on the machine do not matter: 2 million stripes a second of it make an hour at 250 kS/s
// in 450 s.
func BenchmarkVirtualModule(b *testing.B) {
	for _, rate := range []struct {
		name     string
		periodNs int64
	}{{"250kSps", 4000}, {"62kSps", 16_000}, {"1kSps", 1_000_000}} {
		b.Run(rate.name, func(b *testing.B) {
			c, err := twinfile.Find("seagate-1200-400")
			if err != nil {
				b.Fatal(err)
			}
			d, err := model.New(c.Scaled(4))
			if err != nil {
				b.Fatal(err)
			}
			d.SetPower(0, true)
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			const n = 1000
			var v, a [2][]int32
			for i := range v {
				v[i], a[i] = make([]int32, n), make([]int32, n)
			}
			mask := wire.Mask5VVolts | wire.Mask5VAmps | wire.Mask12VVolts | wire.Mask12VAmps
			var buf []byte
			at, stripes, begin := int64(10e9), 0.0, processorS(b)
			for b.Loop() {
				d.Fill(at, rate.periodNs, []string{"5v", "12v"}, v[:], a[:])
				buf = buf[:0]
				for i := range n {
					buf = wire.AppendStripe(buf, mask, v[0][i], a[0][i], v[1][i], a[1][i])
				}
				at += n * rate.periodNs
				stripes += n
			}
			took := processorS(b) - begin
			b.ReportMetric(stripes/took*1e-6, "Mstripes/cpu-s")
			b.ReportMetric(took/stripes*3600e9/float64(rate.periodNs), "cpu-s/hour")
		})
	}
}

// processorS returns the seconds that this thread has run.
func processorS(b *testing.B) float64 {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9
}
