package tablefile

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v14/arrow"
	"github.com/apache/arrow/go/v14/arrow/array"
	"github.com/klauspost/compress/s2"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A chunk is one column of the row group being filled: encoded pages.
//
// Numbers that rise or repeat (times, positions, indices) are delta-packed,
// others stand as they are, text is codes of a dictionary of its own for each
// row group; all of it is compressed by Snappy.
type chunk struct {
	name     string
	optional bool
	kind     arrow.Type
	encoding format.Encoding

	pages    []byte // with their headers
	plain    int64  // size of pages before compression
	values   int64
	nulls    int64
	lo, hi   int64 // of an integer column, where some is set
	set      bool
	dict     *array.String
	local    []int32 // 1 + code in this row group, by code of dict
	used     []int32 // codes of dict in the order of local
	err      error
	raw      []byte // scratch
	packed   []byte
	encoded  []byte
	compact8 []int64
	compact4 []int32
}

func newChunk(f arrow.Field) *chunk {
	c := &chunk{name: f.Name, optional: f.Nullable, kind: f.Type.ID(), encoding: format.DeltaBinaryPacked}
	switch c.kind {
	case arrow.DICTIONARY:
		c.encoding = format.RLEDictionary
	case arrow.FLOAT64:
		c.encoding = format.Plain
	}
	return c
}

// add appends a page with the values of an array.
func (c *chunk) add(a arrow.Array) error {
	d := a.Data()
	n, nulls := a.Len(), a.NullN()
	c.raw = c.raw[:0]
	if c.optional {
		c.levels(a.NullBitmapBytes(), n, nulls)
	}
	var err error
	switch c.kind {
	case arrow.DICTIONARY:
		err = c.codes(a.(*array.Dictionary))
	case arrow.FLOAT64:
		// Eight bytes are eight bytes: floats are compacted as integers are.
		c.raw = append(c.raw, arrow.Int64Traits.CastToBytes(c.present(arrow.Int64Traits.CastFromBytes(d.Buffers()[1].Bytes())[:n], a, nulls))...)
	default:
		err = c.integers(c.present(arrow.Int64Traits.CastFromBytes(d.Buffers()[1].Bytes())[:n], a, nulls))
	}
	if err != nil {
		return err
	}
	c.values += int64(n)
	c.nulls += int64(nulls)
	return c.page(format.PageHeader{
		Type: format.DataPage,
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: int32(n), Encoding: c.encoding,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		}),
	})
}

// levels appends the definition levels, 0 for a null: one run where all are
// alike, else the bitmap as it stands, which is what bit packing would give.
func (c *chunk) levels(bitmap []byte, n, nulls int) {
	at := len(c.raw)
	c.raw = append(c.raw, 0, 0, 0, 0)
	switch nulls {
	case 0:
		c.raw = append(binary.AppendUvarint(c.raw, uint64(n)<<1), 1)
	case n:
		c.raw = append(binary.AppendUvarint(c.raw, uint64(n)<<1), 0)
	default:
		size := (n + 7) / 8
		c.raw = append(binary.AppendUvarint(c.raw, uint64(size)<<1|1), bitmap[:size]...)
	}
	binary.LittleEndian.PutUint32(c.raw[at:], uint32(len(c.raw)-at-4))
}

// present returns the values that are not null.
func (c *chunk) present(v []int64, a arrow.Array, nulls int) []int64 {
	switch nulls {
	case 0:
		return v
	case len(v):
		return nil
	}
	c.compact8 = appendPresent(slices.Grow(c.compact8[:0], len(v)), v, a.NullBitmapBytes())
	return c.compact8
}

// appendPresent appends the values whose bit is set.
func appendPresent[T int32 | int64](dst, v []T, bitmap []byte) []T {
	for i := 0; i < len(v); i += 8 {
		m := bitmap[i/8]
		if m == 0xff && i+8 <= len(v) {
			dst = append(dst, v[i:i+8]...)
			continue
		}
		for ; m != 0; m &= m - 1 {
			if k := i + bits.TrailingZeros8(m); k < len(v) {
				dst = append(dst, v[k])
			}
		}
	}
	return dst
}

func (c *chunk) integers(v []int64) error {
	for _, x := range v {
		if !c.set {
			c.lo, c.hi, c.set = x, x, true
		}
		c.lo, c.hi = min(c.lo, x), max(c.hi, x)
	}
	var err error
	c.encoded, err = (&delta.BinaryPackedEncoding{}).EncodeInt64(c.encoded, v)
	c.raw = append(c.raw, c.encoded...)
	return err
}

// codes appends the codes of a text array in the row group's own dictionary.
func (c *chunk) codes(a *array.Dictionary) error {
	if c.dict == nil {
		c.dict = a.Dictionary().(*array.String)
		c.local = make([]int32, c.dict.Len())
	}
	v := arrow.Int32Traits.CastFromBytes(a.Indices().Data().Buffers()[1].Bytes())[:a.Len()]
	dst := slices.Grow(c.compact4[:0], len(v))
	switch a.NullN() {
	case 0:
		dst = append(dst, v...)
	case len(v):
	default:
		dst = appendPresent(dst, v, a.NullBitmapBytes())
	}
	for i, g := range dst {
		if c.local[g] == 0 {
			c.used = append(c.used, g)
			c.local[g] = int32(len(c.used))
		}
		dst[i] = c.local[g] - 1
	}
	c.compact4 = dst
	var err error
	c.encoded, err = (&rle.DictionaryEncoding{}).EncodeInt32(c.encoded, dst)
	c.raw = append(c.raw, c.encoded...)
	return err
}

// page appends what stands in raw as a page.
func (c *chunk) page(h format.PageHeader) error {
	c.packed = s2.EncodeSnappy(c.packed[:cap(c.packed)], c.raw)
	h.UncompressedPageSize, h.CompressedPageSize = int32(len(c.raw)), int32(len(c.packed))
	head, err := thrift.Marshal(&thrift.CompactProtocol{}, &h)
	if err != nil {
		return err
	}
	c.pages = append(append(c.pages, head...), c.packed...)
	c.plain += int64(len(head) + len(c.raw))
	return nil
}

// flush writes the column of the row group at w and empties it.
func (c *chunk) flush(w *teller) (format.ColumnMetaData, error) {
	m := format.ColumnMetaData{
		Type: format.Int64, Codec: format.Snappy, PathInSchema: []string{c.name}, NumValues: c.values,
		Encoding:   []format.Encoding{c.encoding, format.RLE},
		Statistics: format.Statistics{NullCount: c.nulls},
	}
	from := w.n
	data := c.pages
	switch c.kind {
	case arrow.DICTIONARY:
		m.Type = format.ByteArray
		m.Encoding = append(m.Encoding, format.Plain)
		m.DictionaryPageOffset = from
		c.pages = nil
		if err := c.dictionary(); err != nil {
			return m, err
		}
		if _, err := w.Write(c.pages); err != nil {
			return m, err
		}
	case arrow.FLOAT64:
		m.Type = format.Double
	default:
		if c.set {
			m.Statistics.MinValue = binary.LittleEndian.AppendUint64(nil, uint64(c.lo))
			m.Statistics.MaxValue = binary.LittleEndian.AppendUint64(nil, uint64(c.hi))
		}
	}
	m.DataPageOffset = w.n
	_, err := w.Write(data)
	m.TotalUncompressedSize, m.TotalCompressedSize = c.plain, w.n-from
	c.pages, c.plain, c.values, c.nulls, c.set = data[:0], 0, 0, 0, false
	return m, err
}

// dictionary makes the page of the strings that the row group uses.
func (c *chunk) dictionary() error {
	c.raw = c.raw[:0]
	for _, g := range c.used {
		s := c.dict.Value(int(g))
		c.raw = append(binary.LittleEndian.AppendUint32(c.raw, uint32(len(s))), s...)
		c.local[g] = 0
	}
	n := len(c.used)
	c.used = c.used[:0]
	return c.page(format.PageHeader{
		Type:                 format.DictionaryPage,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(n), Encoding: format.Plain}),
	})
}
