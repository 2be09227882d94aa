package host

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// linkPower says how this machine lets the link to a disk, and the drive at its end, save
// power; "" = nothing is known. What a drive draws when idle may differ ten-fold by it.
// sys is /sys. The kernel's own settings are read: the drive is asked for nothing.
func linkPower(sys, disk, iface string) string {
	var said []string
	switch iface {
	case "ata":
		if policy := setting(sys, "class/scsi_host", scsiHost(sys, disk), "link_power_management_policy"); policy != "" {
			said = append(said, "SATA link "+policy)
		}
	case "nvme":
		if text := apst(sys, disk); text != "" {
			said = append(said, text)
		}
		if policy := chosen(setting(sys, "module/pcie_aspm/parameters/policy")); policy != "" {
			said = append(said, "PCIe ASPM "+policy)
		}
	}
	return strings.Join(said, ", ")
}

// setting reads one of the kernel's settings; "" = it has none of the name.
func setting(elem ...string) string {
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// chosen returns the word in brackets of a list of choices.
func chosen(list string) string {
	_, after, _ := strings.Cut(list, "[")
	word, _, _ := strings.Cut(after, "]")
	return word
}

// scsiHost returns the name of the adapter that a disk hangs on: "host3".
func scsiHost(sys, disk string) string {
	real, err := filepath.EvalSymlinks(filepath.Join(sys, "class/block", disk, "device"))
	if err != nil {
		return ""
	}
	for part := range strings.SplitSeq(real, "/") {
		if n, ok := strings.CutPrefix(part, "host"); ok && n != "" && strings.Trim(n, "0123456789") == "" {
			return part
		}
	}
	return ""
}

// apst says which power states an NVMe drive may enter by itself: those that it leaves
// within a time, which the drive's own setting says, else that of all drives.
func apst(sys, disk string) string {
	us := setting(sys, "class/block", disk, "device/power/pm_qos_latency_tolerance_us")
	if us == "" || us == "auto" {
		us = setting(sys, "module/nvme_core/parameters/default_ps_max_latency_us")
	}
	switch n, err := strconv.ParseUint(us, 10, 63); {
	case us == "any":
		return "APST without limit"
	case err != nil:
		return ""
	case n == 0:
		return "APST off"
	}
	return "APST up to " + us + " µs"
}
