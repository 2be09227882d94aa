package datasheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

func builtin() textfile.Builtin {
	return textfile.Builtin{Kind: "drive file", FS: configs.Drives, Dir: "drives"}
}

// Names lists the built-in drive files.
func Names() []string { return builtin().Names() }

// Find reads a built-in drive file by its name, or else a file by its path.
func Find(name string) (*Sheet, error) {
	file, data, err := builtin().Find(name)
	if err != nil {
		return nil, err
	}
	return Parse(file, data)
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
