package serve

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"powerd/engine/twin/model"
	"powerd/engine/twin/model/modeltest"
)

// bare is a file in memory and nothing else: what FUSE itself can do here.
type bare struct {
	fs.Inode
	data memory
}

func (f *bare) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES, 0
}

func (f *bare) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	return fuse.ReadResultData(f.data.at(off, int64(len(dest)))), 0
}

func (f *bare) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	return uint32(copy(f.data.at(off, int64(len(data))), data)), 0
}

func (f *bare) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Nlink, out.Size, out.Blksize = fuse.S_IFREG|0o600, 1, uint64(len(f.data)), 4096
	return 0
}

// bareFolder holds a bare file.
type bareFolder struct {
	fs.Inode
	file *bare
}

func (d *bareFolder) OnAdd(ctx context.Context) {
	d.AddChild("drive", d.NewPersistentInode(ctx, d.file, fs.StableAttr{Mode: fuse.S_IFREG}), false)
}

// mountBare mounts a bare file with the options of a drive's and returns its path.
func mountBare(b *testing.B, size int64) string {
	b.Helper()
	if err := Available(); err != nil {
		b.Skip(err)
	}
	data, err := newMemory(size)
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	server, err := attach(dir, fsName, &bareFolder{file: &bare{data: data}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			b.Error(err)
		}
		server.Wait()
		_ = data.free()
	})
	return filepath.Join(dir, "drive")
}

// sampled has a drive measured at 62 500 samples a second, as a module that streams does.
func sampled(b *testing.B, d *model.Drive) {
	b.Helper()
	const periodNs, behindNs = 16_000, 5e6
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		v, a := [][]int32{make([]int32, 4096), make([]int32, 4096)}, [][]int32{make([]int32, 4096), make([]int32, 4096)}
		for at := monotonic() - behindNs; ; {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			n := min((monotonic()-behindNs-at)/periodNs, 4096)
			d.Fill(at, periodNs, []string{"5v", "12v"}, [][]int32{v[0][:n], v[1][:n]}, [][]int32{a[0][:n], a[1][:n]})
			at += n * periodNs
		}
	})
	b.Cleanup(func() {
		close(stop)
		all.Wait()
	})
}

// BenchmarkCap says how near a served drive comes to the IOPS that it is told: within 2 %
// where the host has the time. The ratio is to the cap.
func BenchmarkCap(b *testing.B) {
	for _, iops := range []float64{10_000, 20_000, 30_000} {
		c := modeltest.Published(1)
		c.Read.TopIOPS = iops
		d, err := model.New(c)
		if err != nil {
			b.Fatal(err)
		}
		d.SetPower(monotonic()-10e9, true)
		path := served(b, d, 256<<20).Path()
		b.Run(fmt.Sprintf("%.0f", iops), func(b *testing.B) {
			sum := 0.0
			for b.Loop() {
				sum += fio(b, path, "--ioengine=libaio", "--iodepth=32", "--rw=randread", "--runtime=4", "--norandommap", "--gtod_reduce=1").Read.IOPS
			}
			b.ReportMetric(sum/float64(b.N)/iops, "ratio")
		})
	}
}

// BenchmarkUnlimited holds a drive that does all its accounting and takes no time
// against a bare file in the same run: reads and writes of 4 KiB at depth 32 while a
// module samples it, and the ratio of the two. Run it with -benchtime=1x on a quiet machine.
func BenchmarkUnlimited(b *testing.B) {
	c := modeltest.Published(1)
	c.Unlimited = true
	d, err := model.New(c)
	if err != nil {
		b.Fatal(err)
	}
	d.SetPower(monotonic()-10e9, true)
	const size = 256 << 20
	plain, drive := mountBare(b, size), served(b, d, size).Path()
	sampled(b, d)
	for _, path := range []string{plain, drive} { // every page is there
		fio(b, path, "--ioengine=libaio", "--iodepth=8", "--rw=write", "--bs=1m", "--time_based=0")
	}
	for _, rw := range []string{"randread", "randwrite"} {
		b.Run(rw, func(b *testing.B) {
			iops := func(path string) float64 {
				got := fio(b, path, "--ioengine=libaio", "--iodepth=32", "--rw="+rw, "--runtime=2", "--norandommap", "--gtod_reduce=1")
				return got.Read.IOPS + got.Write.IOPS
			}
			var of [2]float64
			for b.Loop() {
				for range 3 { // by turns, for the machine's mood
					of[0] += iops(plain)
					of[1] += iops(drive)
				}
			}
			b.ReportMetric(of[0]/float64(3*b.N), "bare-IOPS")
			b.ReportMetric(of[1]/float64(3*b.N), "IOPS")
			b.ReportMetric(of[1]/of[0], "ratio")
		})
	}
}

// BenchmarkCliff writes over the cliff of the published drive at scale 4, with a capacity
// and a tail that bring the steady state within seconds, and says what fio and the drive's
// own joules make of it: 2.62 times fewer IOPS, 6.41 and 6.00 W.
func BenchmarkCliff(b *testing.B) {
	const size = 512 << 20 // fresh for 5.4 s
	c := modeltest.Published(4)
	c.CapacityBytes, c.Flash.TailNs = size, 1e9
	for b.Loop() {
		d, err := model.New(c)
		if err != nil {
			b.Fatal(err)
		}
		d.SetPower(monotonic()-10e9, true)
		path := served(b, d, size).Path()
		write := func(seconds string) (iops, watts float64) {
			startNs := monotonic()
			got := fio(b, path, "--ioengine=libaio", "--iodepth=32", "--rw=randwrite", "--norandommap", "--runtime="+seconds)
			truth := d.Truth(startNs, monotonic())
			first, last := truth.FirstIONs+100e6, truth.LastIONs-100e6
			return got.Write.IOPS, d.Truth(first, last).MeanW
		}
		fresh, freshW := write("4")
		write("12")
		steady, steadyW := write("20")
		b.ReportMetric(fresh, "fresh-IOPS")
		b.ReportMetric(steady, "steady-IOPS")
		b.ReportMetric(fresh/steady, "ratio")
		b.ReportMetric(freshW, "fresh-W")
		b.ReportMetric(steadyW, "steady-W")
	}
}
