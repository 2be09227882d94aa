package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"powerd/engine"
	"powerd/engine/diskstats"
	"powerd/engine/twin/serve"
)

// What a target's block statistics are followed and read with.
type (
	// Follower writes down what the kernel counts on a target.
	Follower = diskstats.Follower
	// BlockStatistics is what it wrote down.
	BlockStatistics = diskstats.Series
	// BlockCounts is what was completed on a target.
	BlockCounts = diskstats.Counts
)

// DiskStats is the engine's name in figures that come from block statistics.
const DiskStats = diskstats.EngineName

// Follow returns what follows a target: a drive or a partition by the kernel's
// counters, a twin's file by those beside it. Of any other file nobody counts what
// reaches its drive; following it ends at once, with that reason.
func Follow(target string, now func() int64) *Follower {
	return diskstats.New(diskstats.Options{Now: now, Find: func() (string, error) { return statisticsOf(target) }})
}

// LoadStatistics reads what was written into a run's engine folder. Where a target was
// not followed the error is fs.ErrNotExist.
func LoadStatistics(dir string) (*BlockStatistics, error) { return diskstats.Load(dir) }

// statisticsOf finds the file of a target's statistics. Nothing is sent to a drive.
func statisticsOf(target string) (string, error) {
	var st unix.Stat_t
	if err := unix.Stat(target, &st); err != nil {
		return "", fmt.Errorf("look at %s: %w", target, err)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFBLK:
		device := fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev))
		return device + "/stat", counting(target, device)
	case unix.S_IFREG:
		path, ok, err := serve.Statistics(target)
		if err == nil && !ok {
			err = fmt.Errorf("%w: %s is a file, and the kernel counts IO by drives; name the drive itself to have its IO followed", engine.ErrTarget, target)
		}
		return path, err
	}
	return "", fmt.Errorf("%w: %s is neither a block device nor a regular file", engine.ErrTarget, target)
}

// counting refuses a device whose counters were switched off: they would stand still
// under any load. device is its folder in sysfs; a partition's queue is its disk's.
func counting(target, device string) error {
	for _, queue := range []string{device + "/queue", device + "/../queue"} { // not joined: ".." is of what the link leads to
		text, err := os.ReadFile(queue + "/iostats")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && strings.TrimSpace(string(text)) == "0" {
			return fmt.Errorf("%w: the kernel's counters of %s are switched off; `echo 1 > %s/iostats` as root switches them on", engine.ErrTarget, target, queue)
		}
		return nil
	}
	return nil
}
