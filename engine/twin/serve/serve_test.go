package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/engine/twin/model"
	"powerd/engine/twin/model/modeltest"
)

// serveEnv makes this test binary a process that serves a drive under load.
const serveEnv = "POWERD_TEST_SERVE_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveEnv); dir != "" {
		serveUnderLoad(dir)
	}
	if dir := os.Getenv(unprivilegedEnv); dir != "" {
		if err := mountUnprivileged(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func monotonic() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err)
	}
	return t.Nano()
}

// drive returns the published drive, ready for 6 s.
func drive(t testing.TB, scale int) *model.Drive {
	t.Helper()
	d, err := readyDrive(scale)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func readyDrive(scale int) (*model.Drive, error) {
	d, err := model.New(modeltest.Published(scale))
	if err == nil {
		d.SetPower(monotonic()-10e9, true)
	}
	return d, err
}

// served mounts a drive for the length of a test.
func served(t testing.TB, d *model.Drive, sizeBytes int64) *Mounted {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	m, err := Mount(t.Context(), Options{Dir: filepath.Join(t.TempDir(), "mnt"), SizeBytes: sizeBytes, Drive: d, Now: monotonic})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Unmount(); err != nil {
			t.Error(err)
		}
		m.Wait()
	})
	return m
}

// job is what fio's report says of a job.
type job struct {
	Read, Write struct {
		TotalIOs uint64 `json:"total_ios"`
		Bytes    uint64 `json:"io_bytes"`
		IOPS     float64
	}
	Error int
}

func fioCommand(path string, args ...string) *exec.Cmd {
	return exec.Command("fio", append([]string{
		"--name=job", "--filename=" + path, "--direct=1", "--thread", "--allow_file_create=0",
		"--time_based", "--output-format=json", "--bs=4k", "--randrepeat=1",
	}, args...)...)
}

// fio runs a job. It fails the test if fio is there and does not work.
func fio(t testing.TB, path string, args ...string) job {
	t.Helper()
	if _, err := exec.LookPath("fio"); err != nil {
		t.Skip("fio is not installed")
	}
	var out, errs bytes.Buffer
	cmd := fioCommand(path, args...)
	cmd.Dir = t.TempDir() // fio leaves its state of a verification where it runs
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("fio %v: %v\n%s%s", args, err, &errs, &out)
	}
	var report struct{ Jobs []job }
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Jobs) != 1 {
		t.Fatalf("fio's report: %v\n%s", err, &out)
	}
	return report.Jobs[0]
}

func TestEnginesOfFio(t *testing.T) {
	// Every way in which fio submits IO works, reads back what it wrote, and the
	// model has served exactly what fio says it did.
	for engine, depth := range map[string]string{"libaio": "8", "io_uring": "8", "psync": "1"} {
		depth := "--iodepth=" + depth
		t.Run(engine, func(t *testing.T) {
			d := drive(t, 4)
			m := served(t, d, 64<<20)
			start := monotonic()
			got := fio(t, m.Path(), "--ioengine="+engine, depth, "--rw=randrw", "--runtime=1")
			truth := d.Truth(start, monotonic())
			if got.Read.TotalIOs == 0 || got.Write.TotalIOs == 0 {
				t.Fatalf("no IO: %+v", got)
			}
			if truth.Reads != got.Read.TotalIOs || truth.Writes != got.Write.TotalIOs || truth.Bytes != got.Read.Bytes+got.Write.Bytes {
				t.Errorf("the drive served %d + %d IOs, %d bytes; fio says %+v", truth.Reads, truth.Writes, truth.Bytes, got)
			}
			verify := fio(t, m.Path(), "--ioengine="+engine, depth, "--rw=randwrite", "--size=8m", "--time_based=0",
				"--verify=crc32c", "--do_verify=1", "--verify_fatal=1")
			if verify.Error != 0 {
				t.Errorf("what was written does not read back: error %d", verify.Error)
			}
		})
	}
}

// deepest looks at the drive while a job runs and returns the most IOs that it
// saw in it at once.
func deepest(m *Mounted, run func()) (most int) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return most
		case <-tick.C:
			m.file.pacer.mu.Lock()
			most = max(most, len(m.file.pacer.waiting))
			m.file.pacer.mu.Unlock()
		}
	}
}

func TestDepthIsReal(t *testing.T) {
	// All IOs of a deep job are in the drive at once, although one process sends
	// them to one file; and the drive is never faster than its model. A read is
	// 290 µs · 4 in it, of which the pacer may give up to 60 µs back: at most 910 a
	// second at depth 1; the controller does 23 000. How near the host comes to that
	// is for the benchmark.
	m := served(t, drive(t, 4), 256<<20)
	for depth, atMost := range map[int]float64{1: 910, 32: 23_000 * 1.01} {
		var got job
		most := deepest(m, func() {
			got = fio(t, m.Path(), "--ioengine=libaio", fmt.Sprintf("--iodepth=%d", depth), "--rw=randread", "--runtime=2")
		})
		t.Logf("depth %d: %.0f IOPS, at most %d at once", depth, got.Read.IOPS, most)
		if got.Read.IOPS > atMost {
			t.Errorf("depth %d: got %.0f IOPS, the drive can do %.0f", depth, got.Read.IOPS, atMost)
		}
		if most > depth || most < (depth+1)/2 {
			t.Errorf("depth %d: saw at most %d IOs at once", depth, most)
		}
	}
}

// BenchmarkServed says how near the host comes to the drive's rates at scale 4:
// 27 500 writes and 23 000 reads at depth 32, about 860 reads at depth 1. Run it
// with -benchtime=1x on a quiet machine.
func BenchmarkServed(b *testing.B) {
	m := served(b, drive(b, 4), 256<<20)
	for _, c := range []struct{ rw, depth string }{{"randwrite", "32"}, {"randread", "32"}, {"randread", "1"}} {
		b.Run(c.rw+"-qd"+c.depth, func(b *testing.B) {
			var last job
			for b.Loop() {
				last = fio(b, m.Path(), "--ioengine=libaio", "--iodepth="+c.depth, "--rw="+c.rw, "--runtime=3")
			}
			b.ReportMetric(last.Read.IOPS+last.Write.IOPS, "IOPS")
		})
	}
}

func TestTruthOfARealLoad(t *testing.T) {
	// Joules of a real job are idle plus 31.15 µJ · 4 a write, whatever the rate.
	d := drive(t, 4)
	m := served(t, d, 64<<20)
	start := monotonic()
	got := fio(t, m.Path(), "--ioengine=libaio", "--iodepth=16", "--rw=randwrite", "--runtime=2")
	end := monotonic()
	truth := d.Truth(start-1e9, end)
	want := 2.981*float64(end-start+1e9)*1e-9 + 4*31.15e-6*float64(got.Write.TotalIOs)
	if off := truth.EnergyJ/want - 1; off > 0.003 || off < -0.003 { // idle noise: 10 mW·√(99 ms/3 s) of 3 W
		t.Errorf("got %.4f J, want %.4f J for %d writes", truth.EnergyJ, want, got.Write.TotalIOs)
	}
	if truth.FirstIONs < start || truth.LastIONs > end {
		t.Errorf("IO from %d to %d, outside of [%d, %d)", truth.FirstIONs, truth.LastIONs, start, end)
	}
}

func TestNoPowerNoIO(t *testing.T) {
	// A drive without power, or still starting, fails IO with EIO. Nothing is counted that was not done.
	d, err := model.New(modeltest.Published(4))
	if err != nil {
		t.Fatal(err)
	}
	m := served(t, d, 1<<20)
	f, err := os.OpenFile(m.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	fails := func(why string) {
		t.Helper()
		if _, err := f.ReadAt(page, 0); !errors.Is(err, syscall.EIO) {
			t.Errorf("%s, read: got %v, want EIO", why, err)
		}
		if _, err := f.WriteAt(page, 0); !errors.Is(err, syscall.EIO) {
			t.Errorf("%s, write: got %v, want EIO", why, err)
		}
		if err := f.Sync(); !errors.Is(err, syscall.EIO) {
			t.Errorf("%s, fsync: got %v, want EIO", why, err)
		}
	}
	fails("never powered")
	d.SetPower(monotonic()-2e9, true)
	fails("starting for 2 of 3.28 s")
	d.SetPower(monotonic()-1e9, false)
	fails("off again")
	if n := d.Truth(0, monotonic()).IOs; n != 0 {
		t.Errorf("%d IOs counted that failed", n)
	}
}

func TestDataAndBorders(t *testing.T) {
	const size = 1 << 20
	m := served(t, drive(t, 1), size)
	f, err := os.OpenFile(m.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || st.Size() != size || !st.Mode().IsRegular() {
		t.Fatalf("got %v, %v; want a regular file of %d bytes", st, err, size)
	}
	data := bytes.Repeat([]byte("powerful"), 8192) // 64 KiB
	if _, err := f.WriteAt(data, 12_288); err != nil {
		t.Fatal(err)
	}
	back := make([]byte, len(data)+4096)
	if _, err := f.ReadAt(back, 8192); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(back[4096:], data) || !bytes.Equal(back[:4096], make([]byte, 4096)) {
		t.Error("what was written does not read back, or what was not is no zero")
	}
	// A hole that begins and ends inside pages.
	if err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 14_000, 20_000); err != nil {
		t.Fatal(err)
	}
	copy(data[14_000-12_288:], make([]byte, 20_000))
	if _, err := f.ReadAt(back, 8192); err != nil || !bytes.Equal(back[4096:], data) {
		t.Errorf("after the hole: %v, or other bytes than zeros in it and the data around it", err)
	}
	if n, err := f.ReadAt(back, size-100); n != 100 || err != io.EOF {
		t.Errorf("reading over the end: got %d bytes, %v; want 100, EOF", n, err)
	}
	if _, err := f.WriteAt(data, size); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("writing behind the end: got %v, want ENOSPC", err)
	}
	if err := f.Truncate(2 * size); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("growing: got %v, want EINVAL", err)
	}
	if err := f.Sync(); err != nil {
		t.Errorf("fsync: %v", err)
	}
	if err := unix.Fallocate(int(f.Fd()), 0, size, 4096); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("allocating behind the end: got %v, want ENOSPC", err)
	}
}

func TestChildrenInheritNoDescriptor(t *testing.T) {
	// A child that held /dev/fuse open would keep a dead server's mount hanging.
	served(t, drive(t, 4), 1<<20)
	out, err := exec.Command("ls", "-l", "/proc/self/fd").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "/dev/fuse") {
		t.Errorf("a child process has it open:\n%s", out)
	}
}

func TestUnmountWhileOpen(t *testing.T) {
	// The mount goes at once, IO fails from then on, and everything has ended when
	// the file is closed.
	m := served(t, drive(t, 4), 1<<20)
	f, err := os.OpenFile(m.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Unmount(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(m.Path()); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	if _, err := f.ReadAt(make([]byte, 4096), 0); !errors.Is(err, syscall.EIO) {
		t.Errorf("read: got %v, want EIO", err)
	}
	f.Close()
	m.Wait()
	if err := m.Unmount(); err != nil {
		t.Errorf("unmounting again: %v", err)
	}
}

func TestOneServerAPlace(t *testing.T) {
	m := served(t, drive(t, 4), 1<<20)
	_, err := Mount(t.Context(), Options{Dir: m.dir, SizeBytes: 1 << 20, Drive: drive(t, 4), Now: monotonic})
	if err == nil || !strings.Contains(err.Error(), "another process serves a drive there") {
		t.Errorf("second mount: got %v", err)
	}
	if err := Clear(m.dir); err == nil {
		t.Error("a mount that is alive was taken for stale")
	}
	if _, err := os.Stat(m.Path()); err != nil {
		t.Errorf("the first one suffered: %v", err)
	}
}

func TestBadOptions(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	other := t.TempDir()
	if err := unix.Mount("none", other, "tmpfs", 0, "size=64k"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Unmount(other, 0) }()
	for name, o := range map[string]Options{
		"odd size":  {Dir: t.TempDir(), SizeBytes: 5000},
		"no size":   {Dir: t.TempDir()},
		"path name": {Dir: t.TempDir(), SizeBytes: 4096, FileName: "a/b"},
		"dots":      {Dir: t.TempDir(), SizeBytes: 4096, FileName: ".."},
		"other fs":  {Dir: other, SizeBytes: 4096},
	} {
		o.Drive, o.Now = drive(t, 4), monotonic
		if _, err := Mount(t.Context(), o); err == nil {
			t.Errorf("%s: mounted", name)
		} else {
			t.Log(err)
		}
	}
}

// serveUnderLoad serves a drive, starts fio on it, says so and waits to be killed.
func serveUnderLoad(dir string) {
	fail := func(err error) {
		fmt.Println(err)
		os.Exit(1)
	}
	d, err := model.New(modeltest.Published(4))
	if err != nil {
		fail(err)
	}
	d.SetPower(monotonic()-10e9, true)
	m, err := Mount(context.Background(), Options{Dir: dir, SizeBytes: 64 << 20, Drive: d, Now: monotonic})
	if err != nil {
		fail(err)
	}
	cmd := fioCommand(m.Path(), "--ioengine=libaio", "--iodepth=32", "--rw=randwrite", "--runtime=600")
	cmd.Stdout = os.NewFile(3, "held open by fio") // ends when the last holder does
	if err := cmd.Start(); err != nil {
		fail(err)
	}
	for d.Truth(0, monotonic()).IOs < 1000 {
		<-time.After(10 * time.Millisecond)
	}
	fmt.Println("serving")
	m.Wait()
}

func TestKilledServer(t *testing.T) {
	// kill -9 of a process that serves a drive to its own fio: fio ends, the stale
	// mount can be detached, nothing hangs, and the place can be used again.
	if err := Available(); err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("fio"); err != nil {
		t.Skip("fio is not installed")
	}
	dir := filepath.Join(t.TempDir(), "mnt")
	held, fioEnd, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), serveEnv+"="+dir)
	child.ExtraFiles = []*os.File{fioEnd}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	fioEnd.Close()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "serving\n" {
		t.Fatalf("the server says %q, %v", line, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed

	if err := held.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, held); err != nil {
		t.Fatalf("fio has not ended: %v", err)
	}
	if err := Clear(dir); err != nil {
		t.Fatal(err)
	}
	leavesNothing(t, dir)
	m, err := Mount(t.Context(), Options{Dir: dir, SizeBytes: 1 << 20, Drive: drive(t, 4), Now: monotonic})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Unmount(); err != nil {
		t.Error(err)
	}
	m.Wait()
	leavesNothing(t, dir)
}
