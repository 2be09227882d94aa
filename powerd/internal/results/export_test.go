package results

import "powerd/analysis/align"

// MapOf returns the map of a stream of the run, by its number.
func (d *Document) MapOf(number int) *align.Map {
	for i := range d.folder.streams {
		if s := &d.folder.streams[i]; s.Number == number {
			return s.m
		}
	}
	return nil
}

// BurstsOf returns the bursts of all beacons in a stream of the run.
func (d *Document) BurstsOf(number int) (out []Burst, err error) {
	for i := range d.folder.streams {
		if s := &d.folder.streams[i]; s.Number == number {
			trains, err := d.folder.trains(s)
			for _, t := range trains {
				out = append(out, t...)
			}
			return out, err
		}
	}
	return nil, nil
}
