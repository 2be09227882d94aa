package comparison

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"powerd/powerd/internal/results"
)

// Most is how many runs are compared at once: each has a colour of its own.
const Most = 8

// Subject is a run that is compared.
type Subject struct {
	Label string // "A"
	Path  string // of its results.json
	*results.Document
}

// Open reads subjects by their names: a file, a folder, or a run in the folder of runs.
func Open(names []string, runs string) ([]*Subject, error) {
	var out []*Subject
	for i, name := range names {
		path, err := find(name, runs)
		if err != nil {
			return nil, err
		}
		for _, s := range out {
			if s.Path == path {
				return nil, fmt.Errorf("%s is named twice: a run is not compared with itself", path)
			}
		}
		d, err := results.Load(path)
		if err != nil {
			return nil, err
		}
		out = append(out, &Subject{Label: string(rune('A' + i)), Path: path, Document: d})
	}
	return out, nil
}

// find returns the results.json that is meant, with all links followed.
func find(name, runs string) (string, error) {
	for _, path := range []string{name, filepath.Join(runs, name)} {
		st, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("find run: %w", err)
		}
		if st.IsDir() {
			path = filepath.Join(path, results.File)
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", fmt.Errorf("read results: %w; the folder of a run has it once its first step has ended", err)
		}
		return filepath.Abs(path)
	}
	return "", fmt.Errorf("no run is called %q, neither a file or folder nor in %s; `powerd runs` lists what there is", name, runs)
}
