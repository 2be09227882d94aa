package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"powerd/quarch"
)

// arrivals are the columns of a table of arrivals.
type arrivals struct{ first, n, lost, readAtNs []int64 }

func (a *arrivals) add(x quarch.Arrival) {
	a.first = append(a.first, int64(x.First))
	a.n = append(a.n, int64(x.N))
	a.lost = append(a.lost, int64(x.Lost))
	a.readAtNs = append(a.readAtNs, x.ReadAtNs)
}

// arrivalColumn names one column of a table of arrivals.
type arrivalColumn struct {
	name   string
	values *[]int64
}

func (a *arrivals) columns() []arrivalColumn {
	return []arrivalColumn{{"first", &a.first}, {"n", &a.n}, {"lost", &a.lost}, {"read_mono_ns", &a.readAtNs}}
}

func (a *arrivals) table() []column {
	var cols []column
	for _, c := range a.columns() {
		cols = append(cols, column{name: c.name, i64: *c.values})
	}
	return cols
}

// Arrivals returns when the stream's blocks came, in order. An arrival stays
// true where its stripes are damaged. Tables that cannot be read are named in an
// ErrDamaged beside the rest.
func (s *Stream) Arrivals() ([]quarch.Arrival, error) {
	var all []quarch.Arrival
	var errs []error
	var r tableReader
	for _, p := range s.parts {
		path := filepath.Join(s.dir, arrivalsPrefix+p.name)
		rows, err := readArrivals(&r, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // no block ended in this part
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("read arrivals %s: %w: %w", path, ErrDamaged, err))
			continue
		}
		all = append(all, rows...)
	}
	return all, errors.Join(errs...)
}

func readArrivals(r *tableReader, path string) ([]quarch.Arrival, error) {
	t, err := r.open(path)
	if err != nil {
		return nil, err
	}
	var a arrivals
	for _, c := range a.columns() {
		if *c.values, err = t.int64s(nil, c.name); err != nil {
			return nil, err
		}
	}
	rows := make([]quarch.Arrival, t.rows)
	for i := range rows {
		rows[i] = quarch.Arrival{First: uint64(a.first[i]), N: uint64(a.n[i]), Lost: uint64(a.lost[i]), ReadAtNs: a.readAtNs[i]}
	}
	return rows, nil
}
