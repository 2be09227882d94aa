package serve

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// statOf reads the numbers beside a drive. The file is opened by its descriptor, since
// this process serves it.
func statOf(t *testing.T, m *Mounted) [17]uint64 {
	t.Helper()
	fd, err := unix.Open(filepath.Join(filepath.Dir(m.Path()), "stat"), unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	buf := make([]byte, 4096)
	n, err := unix.Pread(fd, buf, 0)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(buf[:n]))
	if len(words) != 17 || buf[n-1] != '\n' {
		t.Fatalf("%q has %d fields, a kernel's line has 17", buf[:n], len(words))
	}
	var out [17]uint64
	for i, w := range words {
		if _, err := fmt.Sscan(w, &out[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Each IO that an engine was told is done is counted by then, to the IO and the byte,
// and none is left in flight.
func TestStatisticsOfARealLoad(t *testing.T) {
	m := served(t, drive(t, 4), 64<<20)
	if before := statOf(t, m); before != [17]uint64{} {
		t.Errorf("before any IO: %v", before)
	}
	j := fio(t, m.Path(), "--rw=randrw", "--rwmixread=70", "--ioengine=libaio", "--iodepth=16", "--runtime=1")
	s := statOf(t, m)
	if s[0] != j.Read.TotalIOs || s[2]*512 != j.Read.Bytes {
		t.Errorf("%d reads, %d bytes; fio did %d, %d", s[0], s[2]*512, j.Read.TotalIOs, j.Read.Bytes)
	}
	if s[4] != j.Write.TotalIOs || s[6]*512 != j.Write.Bytes {
		t.Errorf("%d writes, %d bytes; fio did %d, %d", s[4], s[6]*512, j.Write.TotalIOs, j.Write.Bytes)
	}
	if s[8] != 0 || s[9] == 0 || s[10] < s[9] {
		t.Errorf("%d in flight, busy for %d ms, requests for %d ms", s[8], s[9], s[10])
	}
}

// A discard is a discard, a flush a flush, and IO that fails for want of power nothing.
func TestStatisticsOfOtherRequests(t *testing.T) {
	d := drive(t, 4)
	m := served(t, d, 64<<20)
	fd, err := unix.Open(m.Path(), unix.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, 1<<20); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fsync(fd); err != nil {
		t.Fatal(err)
	}
	d.SetPower(monotonic(), false)
	if _, err := unix.Pread(fd, aligned(4096), 0); err == nil {
		t.Error("a drive without power was read")
	}
	if s, want := statOf(t, m), ([17]uint64{11: 1, 13: 2048, 15: 1}); s != want {
		t.Errorf("%v, want %v", s, want)
	}
}

func aligned(n int) []byte {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		panic(err)
	}
	return b
}

// A reader in pieces gets the pieces of one line, however much is served in between.
func TestStatisticsInPieces(t *testing.T) {
	c := &counters{now: monotonic}
	v := &view{counters: c}
	read := func(off int64, n int) string {
		r, errno := v.Read(t.Context(), make([]byte, n), off)
		if errno != 0 {
			t.Fatal(errno)
		}
		b, _ := r.Bytes(nil)
		return string(b)
	}
	whole := string(c.line())
	first := read(0, 20)
	for range 1000 {
		c.flush()
	}
	if got := first + read(20, 4096); got != whole {
		t.Errorf("%q, want %q", got, whole)
	}
	if rest := read(int64(len(whole)), 4096); rest != "" {
		t.Errorf("past its end: %q", rest)
	}
	if again := read(0, 4096); again == whole {
		t.Error("read anew it says what it said before")
	}
}

// The statistics of a served drive are found by the mount it lies on; a file of any
// other name or place has none of this package's.
func TestWhereStatisticsAre(t *testing.T) {
	m := served(t, drive(t, 4), 1<<20)
	path, ok, err := Statistics(m.Path())
	if err != nil || !ok || path != filepath.Join(filepath.Dir(m.Path()), "stat") {
		t.Errorf("%s, %v, %v", path, ok, err)
	}
	other := filepath.Join(t.TempDir(), "drive")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := Statistics(other); ok || err != nil {
		t.Errorf("a plain file: %v, %v", ok, err)
	}
	if _, _, err := Statistics(other + "-mistyped"); err == nil || !strings.Contains(err.Error(), "mistyped") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Of two mounts on one place the table has both; a device is found by its number.
func TestMountOf(t *testing.T) {
	table := "36 25 0:32 / /mnt rw - fuse.powerd-twin powerd-twin rw\n37 25 8:1 / / rw - ext4 /dev/sda1 rw\n"
	for device, want := range map[string]string{"0:32": "fuse.powerd-twin", "8:1": "ext4", "0:3": ""} {
		if got, err := mountOf(bufio.NewScanner(strings.NewReader(table)), device); got.Type != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", device, got.Type, err, want)
		}
	}
}
