package textfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace writes a file whole or not at all: beside path, then renamed into place. A
// machine that goes down may bring back what stood there before.
func Replace(path string, data []byte) error {
	return replace(path, data, func(*os.File) error { return nil })
}

// ReplaceSynced is Replace for what nothing else can tell again: when it returns, the
// file is on disk and stays there.
func ReplaceSynced(path string, data []byte) error {
	if err := replace(path, data, (*os.File).Sync); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func replace(path string, data []byte, settle func(*os.File) error) error {
	temporary := path + ".tmp"
	f, err := os.Create(temporary)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = settle(f)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
	}
	return err
}
