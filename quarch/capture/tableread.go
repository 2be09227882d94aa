package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"powerd/quarch"
)

// maxRows is more rows than a table of ours ever has: a footer that claims more
// is damaged, and is not believed with the host's memory.
const maxRows = 1 << 22

// table is an opened Parquet file of ours.
type table struct {
	file *parquet.File
	rows int
}

// tableReader reads tables one after the other, reusing its memory.
type tableReader struct {
	data []byte
}

// open reads the file at path. The table is valid until the next call.
func (r *tableReader) open(path string) (*table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r.data = slices.Grow(r.data[:0], int(st.Size()))[:st.Size()]
	if _, err := io.ReadFull(f, r.data); err != nil {
		return nil, err
	}
	return openTable(r.data)
}

// openTable opens a file in memory.
func openTable(data []byte) (t *table, err error) {
	defer recoverTo(&err)
	if err := checkFooter(data); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	if f.NumRows() < 0 || f.NumRows() > maxRows || len(f.RowGroups()) != 1 {
		return nil, fmt.Errorf("%d rows in %d row groups, want 1 group of at most %d", f.NumRows(), len(f.RowGroups()), maxRows)
	}
	return &table{file: f, rows: int(f.NumRows())}, nil
}

// checkFooter looks at the end of a file: the library takes memory for as long a
// footer as the file claims, up to 4 GiB.
func checkFooter(data []byte) error {
	const frame = 2*len(parquetMagic) + 4
	if len(data) < frame || string(data[len(data)-len(parquetMagic):]) != parquetMagic {
		return fmt.Errorf("%d bytes that do not end as a Parquet file", len(data))
	}
	size := binary.LittleEndian.Uint32(data[len(data)-len(parquetMagic)-4:])
	if int64(size) > int64(len(data)-frame) {
		return fmt.Errorf("a footer of %d bytes in a file of %d", size, len(data))
	}
	return nil
}

// recoverTo turns a panic of the Parquet library, which some damaged files
// cause, into an error.
func recoverTo(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("not a readable Parquet file: %v", p)
	}
}

func (t *table) meta(key string) (string, bool) { return t.file.Lookup(key) }

// column returns a column's chunk by name, nil if the table has none.
func (t *table) column(name string) parquet.ColumnChunk {
	leaf, ok := t.file.Schema().Lookup(name)
	if !ok {
		return nil
	}
	return t.file.RowGroups()[0].ColumnChunks()[leaf.ColumnIndex]
}

// int32s appends a column's counts to dst, quarch.Missing where they are null.
func (t *table) int32s(dst []int32, name string) ([]int32, error) {
	dst = slices.Grow(dst, t.rows)
	err := t.pages(name, parquet.Int32, func(p parquet.Page) error {
		data := p.Data()
		var err error
		dst, err = spread(dst, data.Int32(), p.DefinitionLevels(), quarch.Missing)
		return err
	})
	return dst, err
}

// int64s appends a column's values to dst. A null in it is damage.
func (t *table) int64s(dst []int64, name string) ([]int64, error) {
	dst = slices.Grow(dst, t.rows)
	err := t.pages(name, parquet.Int64, func(p parquet.Page) error {
		data := p.Data()
		values := data.Int64()
		if int64(len(values)) != p.NumRows() {
			return fmt.Errorf("%d values in %d rows", len(values), p.NumRows())
		}
		dst = append(dst, values...)
		return nil
	})
	return dst, err
}

// spread appends values to dst, one for each level of 1, and null for the rest.
func spread[T any](dst, values []T, levels []byte, null T) ([]T, error) {
	if len(values) == len(levels) {
		return append(dst, values...), nil
	}
	for _, l := range levels {
		if l == 0 {
			dst = append(dst, null)
			continue
		}
		if len(values) == 0 {
			return dst, errors.New("fewer values than rows that have one")
		}
		dst, values = append(dst, values[0]), values[1:]
	}
	if len(values) != 0 {
		return dst, errors.New("more values than rows that have one")
	}
	return dst, nil
}

// pages calls read with each page of a column, and checks that they have as
// many rows as the table.
func (t *table) pages(name string, kind parquet.Kind, read func(parquet.Page) error) (err error) {
	defer recoverTo(&err)
	chunk := t.column(name)
	if chunk == nil {
		return fmt.Errorf("no column %s", name)
	}
	if chunk.Type().Kind() != kind {
		return fmt.Errorf("column %s holds %s, want %s", name, chunk.Type(), kind)
	}
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	rows := int64(0)
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
		if rows += p.NumRows(); rows <= int64(t.rows) {
			err = read(p)
		}
		parquet.Release(p)
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
	}
	if rows != int64(t.rows) {
		return fmt.Errorf("column %s has %d rows, want %d", name, rows, t.rows)
	}
	return nil
}
