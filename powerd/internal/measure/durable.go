package measure

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// keep has what an engine left of a step on the disk: a machine that goes down afterwards
// brings it back.
func keep(dir, step string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("keep what step %s left: %w", step, err)
	}
	errs := []error{syncFile(dir)}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), step) && e.Type().IsRegular() {
			errs = append(errs, syncFile(filepath.Join(dir, e.Name())))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("keep what step %s left: %w", step, err)
	}
	return nil
}

// syncFile has a file, or the names in a folder, on the disk. One that is gone needs none.
func syncFile(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
