package supply

import (
	"powerd/engine/target"
	"powerd/powerd/internal/host"
	"powerd/powerd/internal/hostcmd"
)

// Host is this machine's kernel.
type Host struct {
	hostcmd.Drives
	Emulated bool // the module is, and no drive loses its power: a file may stand for it
}

// OnlyRead implements Kernel.
func (Host) OnlyRead(err error) bool { return target.OnlyRead(err) }

// InUse implements Kernel.
func (h Host) InUse(path string) error {
	if h.Emulated {
		return target.CheckEmulatedPower(path)
	}
	return target.CheckPower(path)
}

// Detach implements Kernel. A file is nothing that the kernel could forget.
func (h Host) Detach(path string) error {
	t, err := host.Look(path)
	if err != nil || t.Block == "" {
		return err
	}
	return h.Drives.Detach(host.Disk(t.Block))
}

// Serial implements Kernel.
func (Host) Serial(path string) (string, error) {
	t, err := host.Look(path)
	return t.Serial, err
}
