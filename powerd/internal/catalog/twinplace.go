package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"powerd/engine/twin/serve"
)

// twinName begins the names of what twins leave in the folder for temporary files.
const twinName = "powerd-twin"

// TwinDir returns where the drive of a twin is mounted unless its user says otherwise, in
// a folder for temporary files: that of the process pid, or of a twin alone if pid is 0.
func TwinDir(temporary string, pid int) string {
	if pid == 0 {
		return filepath.Join(temporary, twinName)
	}
	return filepath.Join(temporary, twinName+"-"+strconv.Itoa(pid))
}

// ClearTwin takes away what a twin that has ended left at dir: its mount if it was
// killed, the folder, and the lock beside it.
func ClearTwin(dir string) error { return serve.Clear(dir) }

// SweepTwins takes away what twins that were killed have left where TwinDir puts them in a
// folder for temporary files. One that is served is left alone, and one whose process
// lives: that cleans up itself.
func SweepTwins(temporary string) {
	folder, err := os.Open(temporary)
	if err != nil {
		return
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1) // names only: a look at a stale mount would hang
	if err != nil {
		return
	}
	for _, name := range names {
		name = strings.TrimSuffix(name, ".lock")
		if leftBehind(name) {
			_ = ClearTwin(filepath.Join(temporary, name)) // one that is served refuses
		}
	}
}

// leftBehind reports whether a name is of TwinDir and of no living process.
func leftBehind(name string) bool {
	digits, ofProcess := strings.CutPrefix(name, twinName+"-")
	if !ofProcess {
		return name == twinName
	}
	pid, err := strconv.Atoi(digits)
	return err == nil && pid > 0 && strconv.Itoa(pid) == digits && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
