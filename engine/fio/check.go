package fio

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"powerd/engine"
	"powerd/engine/target"
)

// sectorBytes is the unit of sizes in /sys, and the least block of direct IO.
const sectorBytes = 512

// Check says whether the job can run: its fields make sense, its target exists,
// is a block device or a regular file, is large enough, may be opened by this
// user, and holds nothing that is in use if the job writes. It writes nothing and
// creates nothing; sizes come from stat and /sys.
func (e *Engine) Check(ctx context.Context, job engine.Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := checkStep(job.Step); err != nil {
		return err
	}
	if st, err := os.Stat(job.Dir); err != nil || !st.IsDir() {
		return fmt.Errorf("check step %s: folder %q for its results does not exist", job.Step, job.Dir)
	}
	if job.JobFile == "" {
		if err := checkFields(job); err != nil {
			return err
		}
		return checkTarget(job.Target, job.OffsetBytes+max(job.SizeBytes, job.BlockBytes), job.Writes(), job.Writes())
	}
	u, err := readUsersFile(job)
	if err != nil {
		return err
	}
	for _, t := range u.targets {
		// Whether the file writes is not known: it must not hit what is in use, but
		// may do with a target that can only be read.
		if err := checkTarget(t, u.needBytes, job.Writes(), false); err != nil {
			return err
		}
	}
	return nil
}

// checkStep allows names that are safe as file names and as fio's option values.
func checkStep(step string) error {
	for _, r := range step {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-+=@", r) {
			return fmt.Errorf("check step %q: %q is not allowed in its name; use letters, digits and . _ - + = @", step, r)
		}
	}
	if step == "" || step == "global" || len(step) > 120 || strings.HasPrefix(step, ".") || strings.HasPrefix(step, "-") {
		return fmt.Errorf("check step %q: a name of 1 to 120 characters is needed that begins with a letter or digit and is not \"global\"", step)
	}
	return nil
}

func checkFields(job engine.Job) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("check step %s: %s", job.Step, fmt.Sprintf(format, args...))
	}
	kinds := engine.RWKinds()
	switch {
	case !slices.Contains(kinds, job.RW):
		return bad("rw is %q, want one of %s", job.RW, strings.Join(kinds, ", "))
	case job.BlockBytes < sectorBytes || job.BlockBytes%sectorBytes != 0:
		return bad("block size is %d bytes, want a multiple of %d", job.BlockBytes, sectorBytes)
	case job.ReadPct < 0 || job.ReadPct > 100:
		return bad("share of reads is %d %%, want 0 to 100", job.ReadPct)
	case job.QueueDepth < 0 || job.Jobs < 0 || job.RateIOPS < 0 || job.SizeBytes < 0 || job.OffsetBytes < 0 || job.Ramp < 0:
		return bad("depth, jobs, rate, size, offset and ramp can't be negative")
	case job.CompressPct < 0 || job.CompressPct > 100:
		return bad("what compresses of the data is %d %%, want 0 to 100", job.CompressPct)
	case job.Duration.Milliseconds() <= 0:
		return bad("duration is %v, want at least 1 ms", job.Duration)
	case job.Pause < 0 || job.Pause > 0 && job.PauseEvery <= 0:
		return bad("pauses of %v come each %v of load, want lengths above 0", job.Pause, job.PauseEvery)
	case job.QueueDepth > 1 && isSync(job.IOEngine):
		return bad("%s keeps one IO in flight, depth %d needs libaio or io_uring", job.IOEngine, job.QueueDepth)
	case strings.Trim(job.IOEngine, "abcdefghijklmnopqrstuvwxyz0123456789_") != "":
		return bad("ioengine is %q, want a name such as libaio", job.IOEngine)
	case strings.ContainsAny(job.Target, "$\n\r\""):
		return fmt.Errorf("%w: %q holds characters that fio would interpret", engine.ErrTarget, job.Target)
	case !filepath.IsAbs(job.Target):
		return fmt.Errorf("%w: %q is no absolute path", engine.ErrTarget, job.Target)
	}
	return nil
}

// checkTarget looks at one target. writes: nothing in use may be on it;
// needsLeave: this user must have the right to write to it.
func checkTarget(path string, needBytes int64, writes, needsLeave bool) error {
	st, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%w: %w; check its name, and whether the drive is still there", engine.ErrTarget, err)
	}
	if kind := target.KindOf(st.Mode()); kind != "" {
		return fmt.Errorf("%w: %s is a %s, want a block device or a regular file", engine.ErrTarget, path, kind)
	}
	size := st.Size()
	if !st.Mode().IsRegular() {
		if size, err = deviceBytes(st); err != nil {
			return fmt.Errorf("%w: size of %s: %w", engine.ErrTarget, path, err)
		}
	}
	if size < max(needBytes, 1) {
		return fmt.Errorf("%w: %s has %d bytes, the job needs %d", engine.ErrTarget, path, size, max(needBytes, 1))
	}
	if err := checkLeave(path, needsLeave); err != nil || !writes {
		return err
	}
	return target.CheckWrite(path)
}

// checkLeave says whether this user may open the target as the job will.
func checkLeave(target string, writes bool) error {
	mode, deed := uint32(unix.R_OK), "read"
	if writes {
		mode, deed = unix.R_OK|unix.W_OK, "read and write"
	}
	if err := unix.Faccessat(unix.AT_FDCWD, target, mode, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("%w: %s %s: %w; run powerd as a user who may", engine.ErrTarget, deed, target, err)
	}
	return nil
}

// deviceBytes returns a block device's size from /sys.
func deviceBytes(st os.FileInfo) (int64, error) {
	numbers, ok := target.Numbers(st)
	if !ok {
		return 0, fmt.Errorf("its device numbers are unknown")
	}
	data, err := os.ReadFile(filepath.Join("/sys/dev/block", numbers, "size"))
	if err != nil {
		return 0, err
	}
	sectors, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read /sys/dev/block/%s/size: %w", numbers, err)
	}
	return sectors * sectorBytes, nil
}
