package tty

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// Candidate is a serial port that a module may be on.
type Candidate struct {
	Path   string // the name to use: the stable by-id link where there is one
	Device string // what it resolves to now, like /dev/ttyUSB0
}

// List returns the USB serial ports, each once, ordered by device.
func List() ([]Candidate, error) { return listIn("/dev") }

func listIn(dev string) ([]Candidate, error) {
	found := map[string]Candidate{}
	for _, pattern := range []string{"ttyUSB*", "ttyACM*", "serial/by-id/*"} { // by-id last: it wins
		names, err := filepath.Glob(filepath.Join(dev, pattern))
		if err != nil {
			return nil, fmt.Errorf("list ports: %w", err)
		}
		for _, name := range names {
			device, err := filepath.EvalSymlinks(name)
			if err != nil {
				continue // a link whose device has gone
			}
			found[device] = Candidate{Path: name, Device: device}
		}
	}
	list := make([]Candidate, 0, len(found))
	for _, c := range found {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Candidate) int { return cmp.Compare(a.Device, b.Device) })
	return list, nil
}
