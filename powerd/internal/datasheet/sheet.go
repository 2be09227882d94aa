package datasheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"powerd/analysis/limits"
	"powerd/configs"
	"powerd/powerd/internal/textfile"
	"powerd/quarch"
)

// Sheet is a drive file.
type Sheet struct {
	Name          string // "seagate-1200-400"
	Vendor, Model string
	CapacityBytes int64 // 0 = not said
	Interface     string
	Rails         []quarch.Rail // that the drive has
	SpinUp        bool          // it has a motor
	Claims        []limits.Claim

	Source []byte // the file
}

// Has reports whether the drive has a rail.
func (s *Sheet) Has(r quarch.Rail) bool { return slices.Contains(s.Rails, r) }

// Names lists the built-in drive files.
func Names() []string {
	files, err := fs.Glob(configs.Drives, "drives/*.yaml")
	if err != nil {
		return nil // the pattern is a constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}

// Find reads a built-in drive file by its name, or else a file by its path.
func Find(name string) (*Sheet, error) {
	if slices.Contains(Names(), name) {
		data, err := fs.ReadFile(configs.Drives, "drives/"+name+".yaml")
		if err != nil {
			return nil, fmt.Errorf("read built-in drive file %s: %w", name, err)
		}
		return Parse(name+".yaml", data)
	}
	data, err := textfile.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no drive file %q: it is neither a file nor built in (%s)", name, strings.Join(Names(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("read drive file: %w", err)
	}
	return Parse(name, data)
}

// Parse reads a drive file; file names it in messages. Its error joins all faults.
func Parse(file string, data []byte) (*Sheet, error) {
	var f sheetFile
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	err := d.Decode(&f)
	wrong, wrongly := errors.AsType[*yaml.TypeError](err) // then the rest was read, and is looked at too
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("drive file %s is empty; it needs name, rails and claims", file)
	case err != nil && !wrongly:
		return nil, textfile.Located(file, []string{strings.TrimPrefix(err.Error(), "yaml: ")})
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("drive file %s: more than one YAML document; keep one a file", file)
	}
	c := &checker{file: file}
	if wrongly {
		c.faults = append(c.faults, textfile.Located(file, wrong.Errors))
	}
	s := c.sheet(&f)
	s.Source = data
	if err := errors.Join(c.faults...); err != nil {
		return nil, err
	}
	return s, nil
}
