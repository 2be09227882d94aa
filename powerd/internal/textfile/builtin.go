package textfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Builtin is a folder of YAML files that come with the program.
type Builtin struct {
	Kind string // what one of them is, for messages: "suite"
	FS   fs.FS
	Dir  string
}

// Names lists the files without their ending, in order.
func (b Builtin) Names() []string {
	files, err := fs.Glob(b.FS, b.Dir+"/*.yaml")
	if err != nil {
		return nil // the pattern is a constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	slices.Sort(files) // "a-b" stood before "a" while they had their ending
	return files
}

// Find reads a built-in file by its name, or else a file by its path. file is what
// messages call it.
func (b Builtin) Find(name string) (file string, data []byte, err error) {
	names := b.Names()
	if slices.Contains(names, name) {
		data, err := fs.ReadFile(b.FS, path.Join(b.Dir, name+".yaml"))
		if err != nil {
			return "", nil, fmt.Errorf("read built-in %s %s: %w", b.Kind, name, err)
		}
		return name + ".yaml", data, nil
	}
	data, err = Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("no %s %q: it is neither a file nor built in (%s)", b.Kind, name, strings.Join(names, ", "))
	}
	if err != nil {
		return "", nil, fmt.Errorf("read %s: %w", b.Kind, err)
	}
	return name, data, nil
}
