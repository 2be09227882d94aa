package host

import (
	"os"
	"path/filepath"
	"testing"
)

// kernel makes a /sys of files, and of a block device that leads to its place on a bus.
func kernel(t *testing.T, disk, place string, files map[string]string) string {
	t.Helper()
	sys := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(sys, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(place, "model"), "X1")
	put(filepath.Join("class/block", disk, "size"), "8")
	if err := os.Symlink(filepath.Join(sys, place), filepath.Join(sys, "class/block", disk, "device")); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(name, text)
	}
	return sys
}

// Idle watts with and without link power management differ ten-fold, so that the setting
// stands beside them: what the kernel says, of this disk's own adapter or drive; where it
// says nothing, nothing is said.
func TestLinkPower(t *testing.T) {
	const (
		ata   = "devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0"
		nvme  = "devices/pci0000:00/0000:01:00.0/nvme/nvme0"
		limit = "module/nvme_core/parameters/default_ps_max_latency_us"
		own   = nvme + "/power/pm_qos_latency_tolerance_us"
		aspm  = "module/pcie_aspm/parameters/policy"
	)
	for name, c := range map[string]struct {
		disk, iface, place string
		files              map[string]string
		want               string
	}{
		"SATA": {"sdb", "ata", ata, map[string]string{
			"class/scsi_host/host2/link_power_management_policy": "med_power_with_dipm",
			"class/scsi_host/host0/link_power_management_policy": "max_performance",
		}, "SATA link med_power_with_dipm"},
		"SATA behind another adapter": {"sdb", "ata", ata, nil, ""},
		"SAS":                         {"sdb", "scsi", ata, nil, ""},
		"all NVMe drives":             {"nvme0n1", "nvme", nvme, map[string]string{limit: "100000", aspm: "[default] performance powersave powersupersave"}, "APST up to 100000 µs, PCIe ASPM default"},
		"this NVMe drive":             {"nvme0n1", "nvme", nvme, map[string]string{limit: "100000", own: "25000"}, "APST up to 25000 µs"},
		"this one as all":             {"nvme0n1", "nvme", nvme, map[string]string{limit: "0", own: "auto", aspm: "default performance [powersave]"}, "APST off, PCIe ASPM powersave"},
		"without limit":               {"nvme0n1", "nvme", nvme, map[string]string{own: "any"}, "APST without limit"},
		"unreadable":                  {"nvme0n1", "nvme", nvme, map[string]string{own: "soon", aspm: "default"}, ""},
	} {
		if got := linkPower(kernel(t, c.disk, c.place, c.files), c.disk, c.iface); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
