package host

import (
	"testing"
	"testing/fstest"
)

// Of all block devices, those that can stand in a fixture: whole disks with something
// behind them.
func TestDrivesAreWholeDisks(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	root := fstest.MapFS{
		"sdb/size": file("781422768\n"), "sdb/device/vendor": file("SEAGATE \n"), "sdb/device/model": file("ST400FM0053\n"),
		"sdb1/size": file("2048\n"), "sdb1/partition": file("1\n"), "sdb1/device/model": file("x\n"),
		"nvme0n1/size": file("2000409264\n"), "nvme0n1/device/model": file("SSD\n"), "nvme0n1/device/serial": file("S1\n"),
		"nvme0c0n1/size": file("2000409264\n"), "nvme0c0n1/device/model": file("SSD\n"), "nvme0c0n1/hidden": file("1\n"),
		"sdc/size": file("0\n"), "sdc/device/model": file("card reader\n"),
		"sr0/size": file("2097151\n"), "sr0/device/model": file("DVD\n"),
		"loop0/size": file("8\n"), "dm-0/size": file("8\n"), "md0/size": file("8\n"), "zram0/size": file("8\n"),
	}
	all, err := drives(root, func(device string) string {
		return map[string]string{"/dev/sdb": "/dev/disk/by-id/scsi-X"}[device]
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Block != "nvme0n1" || all[1].Block != "sdb" {
		t.Fatalf("%+v, want nvme0n1 and sdb", all)
	}
	if all[0].Path != "/dev/nvme0n1" || all[0].ByID != "" || all[0].Serial != "S1" {
		t.Errorf("a drive without a stable name: %+v", all[0])
	}
	if all[1].Path != "/dev/disk/by-id/scsi-X" || all[1].Model != "ST400FM0053" || all[1].SizeBytes != 400_088_457_216 {
		t.Errorf("a drive with one: %+v", all[1])
	}
}

// On this machine it reads what there is, and every entry can be looked at again.
func TestDrivesOfThisMachine(t *testing.T) {
	all, err := Drives()
	if err != nil {
		t.Skip("no /sys:", err)
	}
	for _, d := range all {
		if d.Block == "" || d.SizeBytes <= 0 || d.Path == "" {
			t.Errorf("%+v", d)
		}
	}
}
