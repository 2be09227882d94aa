package catalog

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/engine/twin/model"
	"powerd/powerd/internal/clock"
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

// BenchmarkUnlimitedBesideStream loads a drive without limits with 4 KiB IO at depth 32
// while its module streams 62 500 samples a second over TCP to a reader in this process.
// Run it with -benchtime=1x on a quiet machine.
func BenchmarkUnlimitedBesideStream(b *testing.B) {
	for _, rw := range []string{"randread", "randwrite"} {
		b.Run(rw, func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			twin, err := OpenTwin(ctx, TwinOptions{Name: "unlimited", Scale: 1, Dir: filepath.Join(b.TempDir(), "twin"), SizeBytes: 256 << 20, Now: clock.Mono})
			if err != nil {
				b.Skip(err)
			}
			defer twin.Mount.Wait()
			defer twin.Close()
			address, wait, err := twin.Module.ServeTCP(ctx, "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			defer func() { cancel(); _ = wait() }()
			m, err := OpenModule(ctx, ModuleOptions{Port: "tcp:" + address, Timeout: 10 * time.Second, Now: clock.Mono})
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			if err := m.(interface {
				SetPeriod(context.Context, int64) error
			}).SetPeriod(ctx, 16_000); err != nil {
				b.Fatal(err)
			}
			reading, stop := context.WithCancel(ctx)
			var stripes, lost uint64
			var reader sync.WaitGroup
			reader.Go(func() {
				for block, err := range m.Stream(reading) {
					if err != nil {
						return
					}
					stripes, lost = stripes+uint64(block.Len()), lost+block.Lost
				}
			})
			begin := time.Now()
			for b.Loop() {
				out, err := exec.Command("fio", "--name=job", "--filename="+twin.Mount.Path(), "--direct=1", "--thread", "--allow_file_create=0",
					"--ioengine=libaio", "--iodepth=32", "--bs=4k", "--norandommap", "--rw="+rw, "--time_based", "--runtime=5", "--gtod_reduce=1", "--minimal").CombinedOutput()
				if err != nil {
					b.Fatalf("fio: %v\n%s", err, out)
				}
			}
			took := time.Since(begin)
			stop()
			reader.Wait()
			line := twin.Drive.Truth(0, clock.Mono())
			b.ReportMetric(float64(line.IOs)/(float64(b.N)*5), "IOPS")
			b.ReportMetric(float64(stripes)/took.Seconds(), "stripes/s")
			b.ReportMetric(float64(lost), "lost")
		})
	}
}
