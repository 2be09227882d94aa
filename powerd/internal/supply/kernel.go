package supply

import (
	"powerd/engine/target"
	"powerd/powerd/internal/host"
	"powerd/powerd/internal/hostcmd"
)

// Host is this machine's kernel.
type Host struct{ hostcmd.Drives }

// InUse implements Kernel.
func (Host) InUse(path string) error { return target.CheckPower(path) }

// Serial implements Kernel.
func (Host) Serial(path string) (string, error) {
	t, err := host.Look(path)
	return t.Serial, err
}
