package target

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"powerd/engine"
)

// fake is a machine of a test: what its kernel would show under /proc and /sys.
type fake struct {
	t *testing.T
	Kernel
}

func newFake(t *testing.T) fake {
	f := fake{t, Kernel{Proc: t.TempDir(), Sys: t.TempDir()}}
	f.write(f.proc("swaps"), "Filename\tType\tSize\tUsed\tPriority\n")
	f.write(f.proc("self", "mountinfo"), "")
	return f
}

func (f fake) write(path, text string) {
	f.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		f.t.Fatal(err)
	}
}

func (f fake) link(to, path string) {
	f.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(to, path)); err != nil {
		f.t.Fatal(err)
	}
}

// device adds a block device; on is the disk that it is a partition of, "" for none.
func (f fake) device(name, numbers, on string) {
	dir := f.sys("devices", name)
	if on != "" {
		dir = f.sys("devices", on, name)
		f.write(filepath.Join(dir, "partition"), "1\n")
	}
	f.write(filepath.Join(dir, "dev"), numbers+"\n")
	f.link(dir, f.sys("dev", "block", numbers))
	f.link(dir, f.sys("class", "block", name))
}

// holds makes holder something that is built from name.
func (f fake) holds(holder, name string) {
	f.write(filepath.Join(f.sys("class", "block", name), "holders", holder), "")
	f.write(filepath.Join(f.sys("class", "block", holder), "slaves", name), "")
}

func (f fake) mount(numbers, where, source string) {
	f.write(f.proc("self", "mountinfo"), read(f.proc("self", "mountinfo"))+"\n36 35 "+numbers+" / "+where+" rw,noatime master:1 - ext4 "+source+" rw\n")
}

// machine has what is found on a server: sda with the system on LVM, sdb and sdc in an
// array, nvme0n1 with one mounted partition, sdd with two partitions that nothing
// lives on, sde empty.
func machine(t *testing.T) fake {
	f := newFake(t)
	f.device("sda", "8:0", "")
	f.device("sda1", "8:1", "sda")
	f.device("sda2", "8:2", "sda")
	f.device("dm-0", "253:0", "")
	f.write(f.sys("devices", "dm-0", "dm", "uuid"), "LVM-abc\n")
	f.write(f.sys("devices", "dm-0", "dm", "name"), "vg-root\n")
	f.holds("dm-0", "sda2")
	f.mount("253:0", "/", "/dev/mapper/vg-root")
	f.mount("8:1", "/boot/efi", "/dev/sda1")
	f.device("sdb", "8:16", "")
	f.device("sdc", "8:32", "")
	f.device("md0", "9:0", "")
	f.holds("md0", "sdb")
	f.holds("md0", "sdc")
	f.device("nvme0n1", "259:0", "")
	f.device("nvme0n1p1", "259:1", "nvme0n1")
	f.device("nvme0n1p2", "259:2", "nvme0n1")
	f.mount("0:44", `/srv/my\040data`, "/dev/nvme0n1p2") // of a kind with numbers of its own
	f.device("sdd", "8:48", "")
	f.device("sdd1", "8:49", "sdd")
	f.device("sdd2", "8:50", "sdd")
	f.device("sde", "8:64", "")
	return f
}

// What lives on each disk of that machine, and on each device by itself.
func TestUsesOfDevices(t *testing.T) {
	f := machine(t)
	for _, tc := range []struct {
		of   string
		disk bool
		want []string
	}{
		{"8:0", false, []string{"sda1 is mounted at /boot/efi system", "dm-0 is mounted at / system", "sda2 is part of LVM volume vg-root (dm-0)"}},
		{"8:1", false, []string{"sda1 is mounted at /boot/efi system"}},
		{"8:1", true, []string{"sda1 is mounted at /boot/efi system", "dm-0 is mounted at / system", "sda2 is part of LVM volume vg-root (dm-0)"}},
		{"8:16", false, []string{"sdb is part of array md0"}},
		{"259:1", false, nil},
		{"259:1", true, []string{"nvme0n1p2 is mounted at /srv/my data"}},
		// Of a volume and an array: what else is on the disks under them.
		{"253:0", false, []string{"dm-0 is mounted at / system"}},
		{"253:0", true, []string{"sda1 is mounted at /boot/efi system", "dm-0 is mounted at / system", "sda2 is part of LVM volume vg-root (dm-0)"}},
		{"9:0", true, []string{"sdb is part of array md0", "sdc is part of array md0"}},
		{"8:48", true, nil},
		{"8:64", true, nil},
		{"7:9", true, nil}, // the kernel knows of no such device
	} {
		parts := f.parts(tc.of)
		if tc.disk {
			parts = f.below(tc.of)
		}
		var got []string
		for _, u := range f.uses(parts) {
			text := u.Device + " " + u.What
			if u.System {
				text += " system"
			}
			got = append(got, text)
			if u.Cure == "" {
				t.Errorf("%s: no cure", text)
			}
		}
		if !sameSet(got, tc.want) {
			t.Errorf("%s, whole disk %v: %q, want %q", tc.of, tc.disk, got, tc.want)
		}
	}
	if got := f.partitioned("8:48"); len(got) != 1 || !strings.Contains(got[0].What, "sdd1") {
		t.Errorf("a disk with partitions: %+v", got)
	}
	for _, none := range []string{"8:49", "8:64", "7:9"} {
		if got := f.partitioned(none); got != nil {
			t.Errorf("%s is partitioned: %+v", none, got)
		}
	}
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		found := false
		for _, y := range b {
			found = found || x == y
		}
		if !found {
			return false
		}
	}
	return true
}

// Swap on a partition is a use, and one that the machine runs from.
func TestSwapOnAPartition(t *testing.T) {
	f := machine(t)
	f.write(f.proc("swaps"), "Filename\tType\tSize\tUsed\tPriority\n/dev/sdd2                               partition\t1048572\t0\t-2\n")
	uses := f.uses(f.parts("8:48"))
	if len(uses) != 1 || uses[0].Kind != Swap || uses[0].Device != "sdd2" || !uses[0].System {
		t.Errorf("%+v", uses)
	}
}

// A mount in a container shows in the table of one of its processes only. A table of
// the same namespace is read once.
func TestMountInAContainer(t *testing.T) {
	f := machine(t)
	f.link("mnt:[1]", f.proc("self", "ns", "mnt"))
	for pid, ns := range map[string]string{"10": "mnt:[1]", "20": "mnt:[2]", "21": "mnt:[2]"} {
		f.link(ns, f.proc(pid, "ns", "mnt"))
	}
	f.write(f.proc("20", "mountinfo"), "36 35 8:64 / /data rw - xfs /dev/sde rw\n")
	f.write(f.proc("21", "mountinfo"), "36 35 8:64 / /data rw - xfs /dev/sde rw\n")
	if uses := f.uses(f.parts("8:64")); len(uses) != 1 || uses[0].What != "is mounted at /data" {
		t.Errorf("%+v, want one mount at /data", uses)
	}
}

// A database on a raw device holds it open: its process is named. One that only reads
// is none of ours, and neither are we.
func TestDeviceOpenInAnotherProcess(t *testing.T) {
	f := machine(t)
	open := func(pid, fd, file, flags, name string) {
		f.link(file, f.proc(pid, "fd", fd))
		f.write(f.proc(pid, "fdinfo", fd), "pos:\t0\nflags:\t"+flags+"\nmnt_id:\t10\n")
		f.write(f.proc(pid, "comm"), name+"\n")
	}
	open("77", "3", "/dev/sde", "0140002", "mysqld")
	open("78", "4", "/dev/sde", "0100000", "hexdump")
	open("79", "5", "/tmp/other", "0100002", "vi")
	open(strconv.Itoa(os.Getpid()), "6", "/dev/sde", "0100002", "powerd")
	uses := f.uses(f.parts("8:64"))
	if len(uses) != 1 || uses[0].Kind != Open || uses[0].What != "is open for writing in mysqld (pid 77)" {
		t.Errorf("%+v, want mysqld alone", uses)
	}
}

// A loop device over a partition is made of it.
func TestLoopOverAPartition(t *testing.T) {
	f := machine(t)
	f.write(f.sys("block", "loop3", "loop", "backing_file"), "/dev/sdd1\n")
	if uses := f.uses(f.parts("8:48")); len(uses) != 1 || uses[0].Kind != Loop || !strings.Contains(uses[0].Cure, "losetup -d /dev/loop3") {
		t.Errorf("%+v", uses)
	}
}

// Of a file the kernel says the same by any of its names: what is made of it, and
// whether it is swap, its spaces written as octal numbers.
func TestUsesOfAFile(t *testing.T) {
	f := newFake(t)
	image := filepath.Join(t.TempDir(), "my image")
	link := filepath.Join(t.TempDir(), "link.img")
	f.write(image, "content")
	if err := os.Link(image, link); err != nil {
		t.Skip(err)
	}
	if uses := f.fileUses(link); len(uses) != 0 {
		t.Errorf("of a free file: %+v", uses)
	}
	f.write(f.sys("block", "loop3", "loop", "backing_file"), image+"\n")
	f.write(f.proc("swaps"), "Filename\tType\tSize\n"+strings.ReplaceAll(image, " ", `\040`)+"   file\t1024\n")
	uses := f.fileUses(link)
	if len(uses) != 2 || uses[0].Kind != Loop || uses[1].Kind != Swap {
		t.Errorf("%+v, want a loop device and swap", uses)
	}
}

// A file lies in a file system, and that on a drive, as far as the kernel has one for
// it: by the numbers of its device, or by the name that its mount gives.
func TestDriveUnderAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "image")
	f := newFake(t)
	f.write(file, "content")
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	numbers := join(st.Sys().(*unixStat).Dev)
	if uses := f.under(file); uses != nil {
		t.Errorf("in memory, or served by a program: %+v", uses)
	}
	f.mount(numbers, "/data", "/dev/mapper/data")
	if uses := f.under(file); len(uses) != 1 || uses[0].Device != "data" {
		t.Errorf("named by its mount: %+v", uses)
	}
	f.device("sdf1", numbers, "sdf")
	if uses := f.under(file); len(uses) != 1 || uses[0].Device != "sdf1" || !strings.Contains(uses[0].Cure, "unmount it") {
		t.Errorf("known by numbers: %+v", uses)
	}
}

// Nobody is told to unmount what the machine runs from.
func TestCureOfTheMachinesOwnDisk(t *testing.T) {
	for where, system := range map[string]bool{"/": true, "/usr": true, "/boot/efi": true, "/bootleg": false, "/data": false} {
		u := mountedAt("sda1", where)
		if u.System != system || strings.Contains(u.Cure, "umount") == system {
			t.Errorf("%s: %+v", where, u)
		}
	}
}

// The refusal names the target, what lives there and the cure; the machine's own disk
// before all else.
func TestRefusalNamesTheWorst(t *testing.T) {
	if err := refuse("/dev/sda", "the job writes", nil); err != nil {
		t.Errorf("nothing lives there: %v", err)
	}
	err := refuse("/dev/sda", "the job writes", []Use{
		{Kind: Mounted, Device: "sda3", What: "is mounted at /data", Cure: "unmount it (umount /data)"},
		{Kind: Mounted, Device: "sda1", What: "is mounted at /", Cure: "name another drive", System: true},
	})
	const want = "unusable target: /dev/sda (sda1) is mounted at / and the job writes; name another drive"
	if !errors.Is(err, engine.ErrTarget) || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	if err := CheckWrite(filepath.Join(t.TempDir(), "none")); !errors.Is(err, engine.ErrTarget) {
		t.Errorf("a target that does not exist: %v", err)
	}
}

// A real file that a real process writes to.
func TestFileThatIsBeingWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CheckWrite(file); err != nil {
		t.Errorf("free: %v", err)
	}
	writer := exec.Command("sh", "-c", `exec 3>>"$1"; echo open; read wait`, "sh", file)
	in, err := writer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = writer.Wait() }()
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"write": CheckWrite(file), "power": CheckPower(file)} {
		if !errors.Is(err, engine.ErrTarget) || !strings.Contains(err.Error(), "pid "+strconv.Itoa(writer.Process.Pid)) {
			t.Errorf("%s: %v, want a refusal that names the process", what, err)
		}
	}
}

// A real file that a real process only reads may be written to, but its power is not cut
// under it, a plain one's or an emulated one's; the refusal names the process.
func TestFileThatIsBeingRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CheckEmulatedPower(file); err != nil {
		t.Errorf("free: %v", err)
	}
	reader := exec.Command("sh", "-c", `exec 3<"$1"; echo open; read wait`, "sh", file)
	in, err := reader.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := reader.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = reader.Wait() }()
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	if err := CheckWrite(file); err != nil {
		t.Errorf("to be written to: %v", err)
	}
	if uses, err := Uses(file); err != nil || len(uses) != 0 {
		t.Errorf("a reader is a use: %+v, %v", uses, err)
	}
	for what, err := range map[string]error{"plain": CheckPower(file), "emulated": CheckEmulatedPower(file)} {
		want := "is open for reading in sh (pid " + strconv.Itoa(reader.Process.Pid) + ") and its power is to be cut"
		if !errors.Is(err, engine.ErrTarget) || !OnlyRead(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a refusal that says %s", what, err, want)
		}
	}
}

// With a real loop device, where one can be made: the image under it is refused, the
// free device is taken, and refused once it is mounted; then it is held as well.
func TestRealLoopDevice(t *testing.T) {
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, make([]byte, 8<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("losetup", "--find", "--show", image).Output()
	if err != nil {
		t.Skip("no loop device can be made here: ", err)
	}
	device := strings.TrimSpace(string(out))
	t.Cleanup(func() { _ = exec.Command("losetup", "-d", device).Run() })
	if err := CheckWrite(image); err == nil || !strings.Contains(err.Error(), device) {
		t.Errorf("the image: %v, want a refusal that names %s", err, device)
	}
	if err := CheckWrite(device); err != nil {
		t.Errorf("the free device: %v", err)
	}
	folder := t.TempDir()
	if exec.Command("mkfs.ext4", "-q", device).Run() != nil || exec.Command("mount", device, folder).Run() != nil {
		t.Skip("no file system can be made or mounted here")
	}
	defer func() { _ = exec.Command("umount", folder).Run() }()
	for what, err := range map[string]error{"write": CheckWrite(device), "power": CheckPower(device)} {
		if err == nil || !strings.Contains(err.Error(), folder) {
			t.Errorf("%s on the mounted device: %v, want a refusal that names %s", what, err, folder)
		}
	}
	if !isHeld(device) {
		t.Error("a mounted device is not held")
	}
}
