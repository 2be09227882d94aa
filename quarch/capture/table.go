package capture

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"powerd/quarch"
)

// column is one column of a table: counts that may be missing, or times and
// indices that may not.
type column struct {
	name string
	i32  []int32 // quarch.Missing = null
	i64  []int64
}

// keyValue is one entry of a table's metadata.
type keyValue struct{ key, value string }

const parquetMagic = "PAR1"

// encoder turns columns into Parquet files. The library's row writer takes a
// 24-byte value for each count; a flat table of integers needs none of that, so
// the pages are put together here from the library's own encodings: one row
// group, one page a column. Its buffers are reused.
type encoder struct {
	file   []byte
	levels []byte
	values []int32
	page   []byte
}

// encode returns a whole file, valid until the next call.
func (e *encoder) encode(cols []column, meta []keyValue) ([]byte, error) {
	rows := cols[0].rows()
	e.file = append(e.file[:0], parquetMagic...)
	group := format.RowGroup{NumRows: int64(rows), FileOffset: int64(len(parquetMagic))}
	for _, c := range cols {
		if c.rows() != rows {
			return nil, fmt.Errorf("column %s has %d rows, %s has %d", c.name, c.rows(), cols[0].name, rows)
		}
		chunk, err := e.addColumn(c)
		if err != nil {
			return nil, fmt.Errorf("encode column %s: %w", c.name, err)
		}
		group.Columns = append(group.Columns, chunk)
		group.TotalByteSize += chunk.MetaData.TotalUncompressedSize
		group.TotalCompressedSize += chunk.MetaData.TotalCompressedSize
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), fileMetaData(cols, group, meta))
	if err != nil {
		return nil, fmt.Errorf("encode footer: %w", err)
	}
	e.file = append(e.file, footer...)
	e.file = binary.LittleEndian.AppendUint32(e.file, uint32(len(footer)))
	e.file = append(e.file, parquetMagic...)
	return e.file, nil
}

// addColumn appends c's page and returns where it stands.
func (e *encoder) addColumn(c column) (format.ColumnChunk, error) {
	stats := format.Statistics{}
	e.page = e.page[:0]
	var err error
	if c.i64 != nil {
		e.levels = appendAllPresent(e.levels[:0], len(c.i64))
		e.page, err = new(delta.BinaryPackedEncoding).EncodeInt64(e.page, c.i64)
	} else {
		values := c.i32
		if nulls := countMissing(c.i32); nulls > 0 {
			stats.NullCount = int64(nulls)
			values, err = e.splitMissing(c.i32)
		} else {
			e.levels = appendAllPresent(e.levels[:0], len(c.i32))
		}
		if err == nil {
			stats.MinValue, stats.MaxValue = bounds(values)
			e.page, err = new(delta.BinaryPackedEncoding).EncodeInt32(e.page, values)
		}
	}
	if err != nil {
		return format.ColumnChunk{}, err
	}
	header, err := thrift.Marshal(new(thrift.CompactProtocol), e.pageHeader(c.rows(), stats.NullCount))
	if err != nil {
		return format.ColumnChunk{}, err
	}
	offset := int64(len(e.file))
	e.file = append(e.file, header...)
	e.file = append(e.file, e.levels...)
	e.file = append(e.file, e.page...)
	size := int64(len(e.file)) - offset
	return format.ColumnChunk{MetaData: format.ColumnMetaData{
		Type:                  c.physical(),
		Encoding:              []format.Encoding{format.DeltaBinaryPacked, format.RLE},
		PathInSchema:          []string{c.name},
		Codec:                 format.Uncompressed,
		NumValues:             int64(c.rows()),
		TotalUncompressedSize: size,
		TotalCompressedSize:   size,
		DataPageOffset:        offset,
		Statistics:            stats,
	}}, nil
}

// splitMissing sets e.levels and returns the values that are not missing.
func (e *encoder) splitMissing(src []int32) ([]int32, error) {
	present := make([]byte, len(src))
	e.values = e.values[:0]
	for i, v := range src {
		if v != quarch.Missing {
			present[i] = 1
			e.values = append(e.values, v)
		}
	}
	var err error
	e.levels, err = (&rle.Encoding{BitWidth: 1}).EncodeLevels(e.levels[:0], present)
	return e.values, err
}

func (e *encoder) pageHeader(rows int, nulls int64) *format.PageHeader {
	size := int32(len(e.levels) + len(e.page))
	crc := crc32.Update(crc32.ChecksumIEEE(e.levels), crc32.IEEETable, e.page)
	return &format.PageHeader{
		Type:                 format.DataPageV2,
		UncompressedPageSize: size,
		CompressedPageSize:   size,
		CRC:                  int32(crc),
		DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
			NumValues:                  int32(rows),
			NumNulls:                   int32(nulls),
			NumRows:                    int32(rows),
			Encoding:                   format.DeltaBinaryPacked,
			DefinitionLevelsByteLength: int32(len(e.levels)),
			IsCompressed:               thrift.New(false),
		}),
	}
}

func fileMetaData(cols []column, group format.RowGroup, meta []keyValue) *format.FileMetaData {
	root := format.SchemaElement{Name: "powerd"}
	root.NumChildren.Set(int32(len(cols)))
	f := &format.FileMetaData{
		Version:   2,
		Schema:    []format.SchemaElement{root},
		NumRows:   group.NumRows,
		RowGroups: []format.RowGroup{group},
		CreatedBy: "powerd",
	}
	for _, c := range cols {
		f.Schema = append(f.Schema, c.schema())
		f.ColumnOrders = append(f.ColumnOrders, format.ColumnOrder{Value: new(format.TypeDefinedOrder)})
	}
	for _, m := range meta {
		f.KeyValueMetadata = append(f.KeyValueMetadata, format.KeyValue{Key: m.key, Value: m.value})
	}
	return f
}

func (c column) rows() int { return max(len(c.i32), len(c.i64)) }

func (c column) physical() format.Type {
	if c.i64 != nil {
		return format.Int64
	}
	return format.Int32
}

func (c column) schema() format.SchemaElement {
	bits, converted := int8(32), deprecated.Int32
	if c.i64 != nil {
		bits, converted = 64, deprecated.Int64
	}
	return format.SchemaElement{
		Type:           thrift.New(c.physical()),
		RepetitionType: thrift.New(format.Optional),
		Name:           c.name,
		ConvertedType:  thrift.New(converted),
		LogicalType:    format.LogicalType{Value: &format.IntType{BitWidth: bits, IsSigned: true}},
	}
}

// appendAllPresent appends n definition levels of 1 as one run.
func appendAllPresent(dst []byte, n int) []byte {
	return append(binary.AppendUvarint(dst, uint64(n)<<1), 1)
}

func countMissing(src []int32) int {
	n := 0
	for _, v := range src {
		if v == quarch.Missing {
			n++
		}
	}
	return n
}

// bounds returns the least and the largest value as Parquet writes them; nil of
// none.
func bounds(values []int32) (lo, hi []byte) {
	if len(values) == 0 {
		return nil, nil
	}
	a, b := int32(math.MaxInt32), int32(math.MinInt32)
	for _, v := range values {
		a, b = min(a, v), max(b, v)
	}
	two := binary.LittleEndian.AppendUint32(make([]byte, 0, 8), uint32(a))
	two = binary.LittleEndian.AppendUint32(two, uint32(b))
	return slices.Clip(two[:4]), two[4:]
}
