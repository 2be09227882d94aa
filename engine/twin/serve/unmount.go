package serve

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// helperName is the set-user-ID program that mounts and unmounts for a process
// without the right to do so itself.
const helperName = "fusermount3"

// helper returns the helper's path, or "" if there is none on PATH.
func helper() string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, helperName)
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// unmount takes the mount at dir away; lazily, if asked, also while it is in use. A
// process without the right asks the helper.
func unmount(dir string, lazy bool) error {
	flags := 0
	if lazy {
		flags = unix.MNT_DETACH
	}
	err := unix.Unmount(dir, flags)
	if !errors.Is(err, unix.EPERM) || helper() == "" {
		return err
	}
	args := []string{helperName, "-u", "-q", dir}
	if lazy {
		args = []string{helperName, "-u", "-q", "-z", dir}
	}
	p, err := os.StartProcess(helper(), args, &os.ProcAttr{})
	if err != nil {
		return fmt.Errorf("start %s: %w", helperName, err)
	}
	switch state, err := p.Wait(); {
	case err != nil:
		return fmt.Errorf("wait for %s: %w", helperName, err)
	case state.Success():
		return nil
	case lazy:
		return fmt.Errorf("%s: %s", helperName, state)
	}
	return unix.EBUSY // the helper does not say why; a mount of ours stays for one reason
}
