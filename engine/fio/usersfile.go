package fio

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"powerd/engine"
)

// maxSizeBytes bounds sizes so that their sum stays in range; no target has as
// many.
const maxSizeBytes = 1 << 60

// usersFile is what Check knows of a user's own job file.
type usersFile struct {
	path      string
	target    string // the job's; empty if the file names it
	targets   []string
	sections  int
	needBytes int64 // end of the region that its jobs use
	largest   map[string]int64
}

// refusedOptions start programs, name files by other ways than filename=, or
// delete and grow files.
func refusedOptions() []string {
	return []string{
		"exec_prerun", "exec_postrun",
		"directory", "opendir", "nrfiles", "filename_format",
		"unlink", "unlink_each_loop", "file_append", "overwrite", "fill_device", "create_on_open",
		"read_iolog", "write_iolog",
	}
}

// ioEngines read and write the target that filename= names, and do nothing else.
// Others start programs (exec), load code (external:, a path), use a network, or
// make and delete files.
func ioEngines() []string {
	return []string{
		"libaio", "io_uring", "io_uring_cmd", "sync", "psync", "vsync", "pvsync", "pvsync2", "posixaio", "mmap", "splice", "sg",
	}
}

// readUsersFile reads a job file for what powerd must not run, and for the
// targets and the size that it needs. The size is no formality: told to create
// nothing, fio deletes a regular file that is smaller than the region asked.
func readUsersFile(job engine.Job) (*usersFile, error) {
	f, err := os.Open(job.JobFile)
	if err != nil {
		return nil, fmt.Errorf("read job file of step %s: %w", job.Step, err)
	}
	defer f.Close()
	u := &usersFile{path: job.JobFile, target: job.Target, largest: map[string]int64{}}
	sc := bufio.NewScanner(f)
	for line := 1; sc.Scan(); line++ {
		if err := u.take(strings.TrimSpace(sc.Text())); err != nil {
			return nil, fmt.Errorf("%w: %s:%d: %w", engine.ErrTarget, job.JobFile, line, err)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read job file %s: %w", job.JobFile, err)
	}
	return u, u.finish()
}

// take looks at one line.
func (u *usersFile) take(text string) error {
	if name, ok := sectionName(text); ok && name != "global" {
		u.sections++
	}
	name, val, _ := strings.Cut(text, "=")
	name, val = strings.TrimSpace(name), strings.TrimSpace(val)
	switch {
	case strings.HasPrefix(text, "include "):
		return fmt.Errorf("included files are not followed; put the options here")
	case slices.Contains(refusedOptions(), name):
		return fmt.Errorf("%s is not run by powerd; name one existing target by filename=", name)
	case name == "ioengine" && !slices.Contains(ioEngines(), val):
		return fmt.Errorf("ioengine=%s is not run by powerd; take one of %s", val, strings.Join(ioEngines(), ", "))
	case name == "filename":
		return u.addTargets(val)
	case slices.Contains([]string{"size", "filesize", "offset", "offset_increment", "numjobs"}, name):
		return u.addSize(name, val)
	}
	return nil
}

func (u *usersFile) addTargets(val string) error {
	for _, t := range splitTargets(val) {
		if !filepath.IsAbs(t) {
			return fmt.Errorf("filename=%s is relative; give the whole path", t)
		}
		if u.target != "" && t != u.target {
			return fmt.Errorf("filename=%s is not the target %s", t, u.target)
		}
		u.targets = append(u.targets, t)
	}
	return nil
}

// addSize keeps the largest of each; sections are not told apart, so that a
// region is rather taken too large than too small.
func (u *usersFile) addSize(name, val string) error {
	if strings.HasSuffix(val, "%") { // of the target, never beyond it
		return nil
	}
	n, err := parseSize(val)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	u.largest[name] = max(u.largest[name], min(n, maxSizeBytes))
	return nil
}

func (u *usersFile) finish() error {
	if u.sections == 0 {
		return fmt.Errorf("check job file %s: no job section ([name]) in it", u.path)
	}
	if u.target != "" {
		u.targets = append(u.targets, u.target)
	}
	if len(u.targets) == 0 {
		return fmt.Errorf("%w: %s names no file: set filename= there or the step's target", engine.ErrTarget, u.path)
	}
	u.needBytes = max(u.largest["size"], u.largest["filesize"]) + u.largest["offset"]
	steps, increment := u.largest["numjobs"]-1, u.largest["offset_increment"]
	if steps > 0 && increment > 0 {
		if increment > maxSizeBytes/steps {
			increment, steps = maxSizeBytes, 1
		}
		u.needBytes += steps * increment
	}
	return nil
}

// splitTargets splits a filename option at colons that are not escaped.
func splitTargets(val string) []string {
	const escaped = "\x00"
	var out []string
	for t := range strings.SplitSeq(strings.ReplaceAll(val, `\:`, escaped), ":") {
		out = append(out, strings.ReplaceAll(t, escaped, ":"))
	}
	return out
}
