package diskstats_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/engine"
	"powerd/engine/diskstats"
	"powerd/engine/enginetest"
	"powerd/engine/fio"
	"powerd/engine/twin/model"
	"powerd/engine/twin/model/modeltest"
	"powerd/engine/twin/serve"
)

func monotonic() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err)
	}
	return t.Nano()
}

// served mounts an emulated drive for the length of a test.
func served(t *testing.T) string {
	t.Helper()
	if err := serve.Available(); err != nil {
		t.Skip(err)
	}
	d, err := model.New(modeltest.Published(4))
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(monotonic()-10e9, true)
	m, err := serve.Mount(t.Context(), serve.Options{Dir: filepath.Join(t.TempDir(), "mnt"), SizeBytes: 64 << 20, Drive: d, Now: monotonic})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Unmount(); err != nil {
			t.Error(err)
		}
		m.Wait()
	})
	return m.Path()
}

// Real fio reads and writes a served drive while it is followed. Over the whole job the
// counts are fio's own, to the IO and the byte; the series adds up to them; and none of
// it happened outside the time that fio's process lived.
func TestFollowsFioToTheIO(t *testing.T) {
	if _, err := exec.LookPath("fio"); err != nil {
		t.Skip("fio is not installed")
	}
	target, dir := served(t), t.TempDir()
	f := diskstats.New(diskstats.Options{
		Now: monotonic,
		Find: func() (string, error) {
			path, _, err := serve.Statistics(target)
			return path, err
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Follow(ctx, dir, nil) }()

	e := fio.New(fio.Options{Now: monotonic})
	startNs := monotonic()
	run, err := e.Start(t.Context(), engine.Job{
		Step: "mixed", Target: target, RW: "randrw", ReadPct: 70, BlockBytes: 4096, QueueDepth: 16, Jobs: 1, Duration: time.Second, Dir: dir,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range run.Progress() {
	}
	res, err := run.Wait()
	endNs := monotonic()
	if err != nil {
		t.Fatal(err)
	}
	cancel() // which looks once more
	if err := <-ended; err != nil {
		t.Fatal(err)
	}

	s, err := diskstats.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := diskstats.Counts{
		Reads: res.Read.IOs, ReadBytes: res.Read.Bytes, Writes: res.Write.IOs, WriteBytes: res.Write.Bytes,
	}
	all, err := s.Result(startNs-1e9, endNs+1e9)
	if err != nil {
		t.Fatal(err)
	}
	got := diskstats.Counts{Reads: all.Read.IOs, ReadBytes: all.Read.Bytes, Writes: all.Write.IOs, WriteBytes: all.Write.Bytes}
	if got != want {
		t.Errorf("followed %+v, fio did %+v", got, want)
	}
	enginetest.CheckIntervals(t, all.Intervals)
	var added diskstats.Counts
	for _, iv := range all.Intervals {
		added.Reads, added.Writes = added.Reads+iv.Reads, added.Writes+iv.Writes
		added.ReadBytes, added.WriteBytes = added.ReadBytes+iv.ReadBytes, added.WriteBytes+iv.WriteBytes
		if iv.Reads+iv.Writes > 0 && (iv.EndNs < startNs || iv.StartNs > endNs) {
			t.Errorf("%+v: IO outside [%d, %d)", iv, startNs, endNs)
		}
	}
	if added != want {
		t.Errorf("intervals add up to %+v, fio did %+v", added, want)
	}
	if b := s.Between(res.StartNs, res.EndNs); b.Least.IOs() > res.IOs() {
		t.Errorf("at least %+v in fio's own window, fio did %+v", b.Least, want)
	}
}
