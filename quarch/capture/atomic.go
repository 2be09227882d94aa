package capture

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tempSuffix ends the name of a file that is not whole yet.
const tempSuffix = ".tmp"

// writeWhole writes a file so that its name never stands for half of it: under
// a temporary name, synced, renamed, and the folder synced.
func writeWhole(path string, data []byte) (err error) {
	temp := path + tempSuffix
	f, err := os.Create(temp)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp) // the first error is the one to report
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the names in a folder last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makeDir makes a folder whose name lasts.
func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	return syncDir(filepath.Dir(dir))
}

// folderName turns a module's serial number into a folder's name.
func folderName(serial string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, serial)
	if strings.Trim(name, "._") == "" {
		return "unknown" + name
	}
	return name
}
