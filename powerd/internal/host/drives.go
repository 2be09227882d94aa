package host

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Drives lists the whole disks that the kernel knows, in its order, each by its stable
// path where it has one. What is no drive in a fixture is left out: memory disks, loops,
// arrays and volumes, optical drives, readers without a card.
func Drives() ([]Target, error) {
	return drives(os.DirFS("/sys/class/block"), func(device string) string { return byID("/dev/disk/by-id", device) })
}

// drives reads root, which is /sys/class/block; link returns the stable path of a
// device, "" if it has none.
func drives(root fs.FS, link func(device string) string) ([]Target, error) {
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, fmt.Errorf("list drives: %w", err)
	}
	has := func(elem ...string) bool {
		_, err := fs.Stat(root, path.Join(elem...))
		return err == nil
	}
	var all []Target
	for _, e := range entries {
		name := e.Name()
		hidden, _ := fs.ReadFile(root, path.Join(name, "hidden")) // one path of several to a drive
		if has(name, "partition") || !has(name, "device") || strings.HasPrefix(name, "sr") || strings.TrimSpace(string(hidden)) == "1" {
			continue
		}
		device := "/dev/" + name
		t := Target{Path: device, Block: name, ByID: link(device)}
		if t.ByID != "" {
			t.Path = t.ByID
		}
		t.sysfs(root)
		if t.SizeBytes > 0 {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b Target) int { return strings.Compare(a.Block, b.Block) })
	return all, nil
}
