package hostcmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kernelFile makes a file that the kernel would have.
func kernelFile(t *testing.T, elem ...string) string {
	t.Helper()
	p := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func content(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A SCSI disk has a "delete" of its own; an NVMe namespace goes with its controller's
// PCI function; a disk that has neither (virtio) cannot be taken away, and nothing is
// made up for it.
func TestDetachByKind(t *testing.T) {
	sys := t.TempDir()
	d := Drives{Sys: sys}
	sda := kernelFile(t, sys, "class/block/sda/device/delete")
	nvme := kernelFile(t, sys, "class/block/nvme0n1/device/device/remove")
	kernelFile(t, sys, "class/block/vda/size")
	for disk, file := range map[string]string{"sda": sda, "nvme0n1": nvme} {
		if err := d.Detach(disk); err != nil || content(t, file) != "1" {
			t.Errorf("%s: %v, wrote %q", disk, err, content(t, file))
		}
	}
	for _, disk := range []string{"vda", "gone"} {
		if err := d.Detach(disk); err == nil || !strings.Contains(err.Error(), "detach: false") {
			t.Errorf("%s: %v, want what to do", disk, err)
		}
	}
	if _, err := os.Stat(filepath.Join(sys, "class/block/vda/device")); err == nil {
		t.Error("a file was made in the kernel's place")
	}
}

// All hosts are asked, whatever they are called.
func TestRescanAsksEveryHost(t *testing.T) {
	sys := t.TempDir()
	hosts := []string{kernelFile(t, sys, "class/scsi_host/host0/scan"), kernelFile(t, sys, "class/scsi_host/host12/scan")}
	pci := kernelFile(t, sys, "bus/pci/rescan")
	if err := (Drives{Sys: sys}).Rescan(); err != nil {
		t.Fatal(err)
	}
	for _, h := range hosts {
		if content(t, h) != "- - -" {
			t.Errorf("%s: %q", h, content(t, h))
		}
	}
	if content(t, pci) != "1" {
		t.Errorf("PCI: %q", content(t, pci))
	}
	if err := (Drives{Sys: t.TempDir()}).Rescan(); err != nil {
		t.Errorf("a machine without hosts: %v", err)
	}
}

func TestFlushOfAFile(t *testing.T) {
	file := kernelFile(t, t.TempDir(), "drive")
	if err := (Drives{}).Flush(file); err != nil {
		t.Error(err)
	}
	if err := (Drives{}).Flush(file + "x"); err == nil {
		t.Error("a drive that is not there was flushed")
	}
}
