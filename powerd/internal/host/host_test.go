package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// A mistyped target: an error that names it, and no file of that name afterwards.
func TestLookCreatesNothing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sdx")
	_, err := Look(name)
	if err == nil || !strings.Contains(err.Error(), "sdx") {
		t.Fatalf("got %v, want an error that names the target", err)
	}
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Fatalf("the target exists after looking at it: %v", err)
	}
}

// A character device cannot be loaded: /dev/null would give splendid IOPS.
func TestLookRefusesCharacterDevice(t *testing.T) {
	if _, err := Look("/dev/null"); err == nil {
		t.Fatal("/dev/null was taken for a drive")
	}
}

// The kernel's size is in 512-byte units: 781422768 of them are the 400 GB
// (400,088,457,216 bytes) of the drive. A partition is described by its disk.
func TestSysfs(t *testing.T) {
	root := fstest.MapFS{
		"sdb/size":              {Data: []byte("781422768\n")},
		"sdb/device/vendor":     {Data: []byte("SEAGATE \n")},
		"sdb/device/model":      {Data: []byte("ST400FM0053     \n")},
		"sdb/device/rev":        {Data: []byte("0004\n")},
		"sdb/device/vpd_pg80":   {Data: []byte("\x00\x80\x00\x14            Z1F0ABCD")},
		"sdb/queue/rotational":  {Data: []byte("1\n")},
		"sdb1/size":             {Data: []byte("2048\n")},
		"sdb1/partition":        {Data: []byte("1\n")},
		"nvme0n1p2/size":        {Data: []byte("8\n")},
		"nvme0n1p2/partition":   {Data: []byte("2\n")},
		"nvme0n1/device/model":  {Data: []byte("SSD\n")},
		"nvme0n1/device/vendor": {Data: []byte("0x144d\n")},
		"nvme0n1/device/serial": {Data: []byte("S1\n")},
	}
	d := Target{Block: "sdb"}
	d.sysfs(root)
	if d.SizeBytes != 400_088_457_216 || d.Vendor != "SEAGATE" || d.Model != "ST400FM0053" || d.Firmware != "0004" || d.Serial != "Z1F0ABCD" || !d.Spins || d.Interface != "scsi" {
		t.Errorf("disk: %+v", d)
	}
	p := Target{Block: "sdb1"}
	p.sysfs(root)
	if p.SizeBytes != 2048*512 || p.Model != "ST400FM0053" {
		t.Errorf("partition: %+v", p)
	}
	n := Target{Block: "nvme0n1p2"}
	n.sysfs(root)
	if n.Spins || n.Vendor != "" || n.Model != "SSD" || n.Serial != "S1" || n.Interface != "nvme" {
		t.Errorf("nvme partition: %+v", n)
	}
}

// A drive's own page of its serial number, and what is none: the serial number is what a
// drive is known by, so nothing is made up.
func TestUnitSerialNumber(t *testing.T) {
	for page, want := range map[string]string{
		"\x00\x80\x00\x08S3Z8NB0K":         "S3Z8NB0K",
		"\x00\x80\x00\x0a  S3Z8NB0K":       "S3Z8NB0K",
		"\x00\x80\x00\x0aS3Z8NB0K\x00\x00": "S3Z8NB0K",
		"\x00\x80\x00\x04S3Z8NB0K":         "S3Z8", // as long as it says
		"\x00\x80\x00\x20S3Z8":             "S3Z8", // cut short
		"\x00\x83\x00\x04S3Z8":             "",     // another page
		"\x00\x80\x00\x02\xff\xfe":         "",
		"\x00\x80":                         "",
		"":                                 "",
	} {
		if got := unitSerial([]byte(page)); got != want {
			t.Errorf("%q: %q, want %q", page, got, want)
		}
	}
}

func FuzzUnitSerial(f *testing.F) {
	f.Add([]byte("\x00\x80\x00\x08S3Z8NB0K"))
	f.Fuzz(func(_ *testing.T, page []byte) { unitSerial(page) })
}

// What is known of an interface by a disk's name, and of the disk by a partition's;
// where nothing is known, nothing is said.
func TestInterfaceIsNotGuessed(t *testing.T) {
	for _, c := range []struct{ partition, disk, vendor, want string }{
		{"sda1", "sda", "ATA", "ata"},
		{"sdb12", "sdb", "SEAGATE", "scsi"},
		{"nvme0n1p2", "nvme0n1", "", "nvme"},
		{"loop0p1", "loop0", "", ""},
		{"vda1", "vda", "0x1af4", ""},
		{"mmcblk0p1", "mmcblk0", "", ""},
		{"md127p1", "md127", "", ""},
	} {
		if got := diskOf(c.partition); got != c.disk {
			t.Errorf("%s is on %q, want %s", c.partition, got, c.disk)
		}
		if got := interfaceOf(c.disk, c.vendor); got != c.want {
			t.Errorf("%s: interface %q, want %q", c.disk, got, c.want)
		}
	}
}

// The first processor's name stands for the machine.
func TestCPUModel(t *testing.T) {
	in := "processor\t: 0\nmodel name\t: AMD EPYC 7B13\nprocessor\t: 1\nmodel name\t: AMD EPYC 7B13\n"
	if got := cpuModel([]byte(in)); got != "AMD EPYC 7B13" {
		t.Errorf("got %q", got)
	}
	if got := cpuModel(nil); got != "" {
		t.Errorf("nothing known, got %q", got)
	}
}
