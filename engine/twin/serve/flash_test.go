package serve

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"powerd/engine/twin/model"
	"powerd/engine/twin/model/modeltest"
)

// opened opens a served drive for the length of a test.
func opened(t *testing.T, m *Mounted) *os.File {
	t.Helper()
	f, err := os.OpenFile(m.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestAPunchedHoleIsADiscard(t *testing.T) {
	// 16 MiB, written once and a half: a fresh drive takes 1.15 times that. A hole over
	// all of it makes it fresh, and reads as zeros; over what holds nothing it does nothing.
	const size = 16 << 20
	c := modeltest.Published(1)
	c.CapacityBytes, c.Unlimited = size, true
	d, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(monotonic()-10e9, true)
	f := opened(t, served(t, d, size))
	block := make([]byte, 64<<10)
	for i := range block {
		block[i] = 0xa5
	}
	for k := range int64(size / len(block) * 3 / 2) {
		if _, err := f.WriteAt(block, k*7*int64(len(block))%size); err != nil {
			t.Fatal(err)
		}
	}
	if s := d.Flash(); s.FreshBytes != 0 || s.LiveBytes != size {
		t.Fatalf("after writing all of it and a half more: %+v", s)
	}
	hole := func(off, n int64) error {
		return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
	}
	if err := hole(0, size/4); err != nil {
		t.Fatal(err)
	}
	if s := d.Flash(); s.LiveBytes != size*3/4 || s.FreshBytes != 1.15*size/4 {
		t.Errorf("after a hole of a quarter: %+v, want a quarter of what is fresh", s)
	}
	if err := hole(0, size); err != nil {
		t.Fatal(err)
	}
	if s := d.Flash(); s.LiveBytes != 0 || s.FreshBytes != 1.15*size {
		t.Errorf("after a hole over all: %+v, want fresh", s)
	}
	if _, err := f.ReadAt(block, size/2); err != nil {
		t.Fatal(err)
	}
	for i, x := range block {
		if x != 0 {
			t.Fatalf("byte %d of the hole is %#x", i, x)
		}
	}
	d.SetPower(monotonic(), false)
	if err := hole(0, size); !errors.Is(err, syscall.EIO) {
		t.Errorf("a hole without power: got %v, want EIO", err)
	}
}

func TestTimeToReadyIsServed(t *testing.T) {
	// A drive that is switched on serves its first read when it is ready and not before:
	// 78 ms of ramp to the lock-out, and 100 ms here from there. What was written before
	// is still there.
	c := modeltest.Published(4)
	c.ReadyNs = 100e6
	for _, r := range []*model.Rail{&c.Rail5V, &c.Rail12V} { // its start-up current would last longer
		r.Plateaus, r.Crest = nil, model.Crest{}
	}
	d, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(monotonic()-10e9, true)
	f := opened(t, served(t, d, 1<<20))
	page := make([]byte, 4096)
	page[7] = 7
	if _, err := f.WriteAt(page, 4096); err != nil {
		t.Fatal(err)
	}
	d.SetPower(monotonic(), false)
	if _, err := f.ReadAt(page, 4096); !errors.Is(err, syscall.EIO) {
		t.Fatalf("read without power: got %v, want EIO", err)
	}
	d.SetPower(monotonic(), true)
	inrush := func() model.InrushTruth {
		all := d.Inrushes(model.InrushSpec{})
		return all[len(all)-1]
	}
	readyNs := inrush().FirstNs + int64(inrush().ReadyS*1e9)
	for {
		askedNs := monotonic()
		_, err := f.ReadAt(page, 4096)
		endNs := monotonic()
		switch {
		case err == nil && endNs < readyNs:
			t.Fatalf("served %.3f ms before it was ready", float64(readyNs-endNs)*1e-6)
		case err == nil:
			if page[7] != 7 {
				t.Error("what was written before the power was cut is gone")
			}
			return
		case !errors.Is(err, syscall.EIO):
			t.Fatal(err)
		case askedNs > readyNs+1e6:
			t.Fatalf("still EIO %.3f ms after it was ready", float64(askedNs-readyNs)*1e-6)
		}
	}
}

func TestSyncWaitsForTheWriteCache(t *testing.T) {
	// What was written 20 ms of write cache ago at least has left it.
	c := modeltest.Published(4)
	c.Flash.DrainMinNs, c.Flash.DrainMaxNs = 20e6, 20e6
	d, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(monotonic()-10e9, true)
	f := opened(t, served(t, d, 1<<20))
	startNs := monotonic()
	if _, err := f.WriteAt(make([]byte, 4096), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if tookNs := monotonic() - startNs; tookNs < 20e6-earlyNs {
		t.Errorf("written and flushed within %.3f ms, the cache takes 20", float64(tookNs)*1e-6)
	}
}
