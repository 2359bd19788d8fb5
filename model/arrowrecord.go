package model

import (
	"iter"

	"github.com/apache/arrow/go/v14/arrow"
	"github.com/apache/arrow/go/v14/arrow/array"
)

// recordRows is how many rows a record has at most.
const recordRows = 8 * BatchRows

// Records returns the records in the order of the rows. Each is valid until the
// next one. It may be called more than once, also at the same time.
func (a *ArrowTable) Records() iter.Seq[arrow.Record] {
	return func(yield func(arrow.Record) bool) {
		w := newRecordWriter(a)
		for left := a.table.Batches; len(left) > 0; {
			n, rows := 0, 0
			for n < len(left) && rows+left[n].n <= recordRows {
				rows += left[n].n
				n++
			}
			if rows > 0 && !yield(w.record(left[:n], rows)) {
				return
			}
			left = left[n:]
		}
	}
}

// A recordWriter makes records of batches, one in the memory of the other.
type recordWriter struct {
	*ArrowTable
	cols             []recordColumn
	file, line, byte recordColumn
}

// A recordColumn is the values of a column in one of ints, floats and codes, and
// which of them are valid.
type recordColumn struct {
	ints   []int64
	floats []float64
	codes  []int32
	valid  []uint64
	rows   *Reader // of a Text column
}

func newRecordWriter(a *ArrowTable) *recordWriter {
	w := &recordWriter{ArrowTable: a, cols: make([]recordColumn, len(a.text))}
	for i := range w.cols {
		w.cols[i].rows = NewReader(a.table.Spec, i)
	}
	return w
}

func (w *recordWriter) record(batches []*Batch, rows int) arrow.Record {
	cols := make([]arrow.Array, 0, len(w.text)+3)
	for i := range w.text {
		cols = append(cols, w.column(batches, i, rows))
	}
	file, line, off := sized(&w.file.codes, rows), sized(&w.line.ints, rows), sized(&w.byte.ints, rows)
	from := 0
	for _, b := range batches {
		to := from + b.n
		for r := from; r < to; r++ {
			file[r] = w.ArrowTable.file.code[b.File] - 1
		}
		b.line.spread(line[from:to])
		b.byte.spread(off[from:to])
		from = to
	}
	cols = append(
		cols,
		w.ArrowTable.file.indices(file, nil, 0),
		fixed(arrow.PrimitiveTypes.Int64, rows, arrow.Int64Traits.CastToBytes(line), nil, 0),
		fixed(arrow.PrimitiveTypes.Int64, rows, arrow.Int64Traits.CastToBytes(off), nil, 0),
	)
	return array.NewRecord(w.Schema, cols, int64(rows))
}

func (w *recordWriter) column(batches []*Batch, i, rows int) arrow.Array {
	out, typ := &w.cols[i], w.Schema.Field(i).Type
	valid, nulls := out.validity(batches, i, rows)
	switch w.table.Spec.Columns[i].Kind {
	case Text:
		codes := sized(&out.codes, rows)
		eachPart(batches, func(b *Batch, from, to int) {
			out.rows.Read(b)
			w.text[i].recode(out.rows.Texts(i), codes[from:to])
		})
		return w.text[i].indices(codes, valid, nulls)
	case Float:
		floats := sized(&out.floats, rows)
		eachPart(batches, func(b *Batch, from, to int) { b.cols[i].copyFloats(floats[from:to]) })
		return fixed(typ, rows, arrow.Float64Traits.CastToBytes(floats), valid, nulls)
	}
	ints := sized(&out.ints, rows)
	eachPart(batches, func(b *Batch, from, to int) { b.cols[i].copyInts(ints[from:to]) })
	return fixed(typ, rows, arrow.Int64Traits.CastToBytes(ints), valid, nulls)
}

// eachPart calls f with each batch and its rows in the record.
func eachPart(batches []*Batch, f func(b *Batch, from, to int)) {
	from := 0
	for _, b := range batches {
		f(b, from, from+b.n)
		from += b.n
	}
}

// validity returns the bitmap of a column, nil where all rows are valid, and how
// many are not. Arrow counts bits from the low end of each byte, as a
// little-endian uint64 does.
func (out *recordColumn) validity(batches []*Batch, i, rows int) (bitmap []byte, nulls int) {
	nulls = rows
	for _, b := range batches {
		nulls -= b.count(&b.cols[i])
	}
	if nulls == 0 {
		return nil, 0
	}
	valid := sized(&out.valid, (rows+63)/64)
	clear(valid)
	eachPart(batches, func(b *Batch, from, _ int) {
		c := &b.cols[i]
		if c.set == 0 {
			return
		}
		set := func(first, end int) {
			for r := from + first; r < from+end; r++ {
				valid[r>>6] |= 1 << (r & 63)
			}
		}
		for k := range b.cells(c) {
			switch {
			case !c.has(k):
			case c.rec == nil:
				set(k, k+1)
			default:
				set(int(c.rec.from[k]), c.rec.end(k, b.n))
			}
		}
	})
	return arrow.Uint64Traits.CastToBytes(valid)[:(rows+7)/8], nulls
}

// copyInts copies the cells of an Int column, 0 where one is missing.
func (c *column) copyInts(dst []int64) {
	if c.set == 0 {
		clear(dst)
		return
	}
	c.spread(dst)
	if c.rec == nil {
		gap(c, dst, 0)
		return
	}
	for k, from := range c.rec.from {
		if !c.has(k) {
			clear(dst[from:c.rec.end(k, len(dst))])
		}
	}
}

// spread copies the cells of all rows, whether they have a value or not.
func (c *column) spread(dst []int64) {
	cells := c.i
	if cells == nil {
		if c.rec == nil {
			c.ints.into(dst)
			return
		}
		cells = make([]int64, len(c.rec.from))
		c.ints.into(cells)
	}
	if c.rec == nil {
		copy(dst, cells)
		return
	}
	gather(dst, cells, c.rec)
}

func (c *column) copyFloats(dst []float64) {
	switch {
	case c.set == 0:
		clear(dst)
		return
	case c.f != nil:
		copy(dst, c.f)
	default:
		c.float.into(dst)
	}
	gap(c, dst, 0)
}

// recode writes the dictionary codes of cells. A missing cell has the code of
// the pool's "", which may not be in the dictionary: its slot is 0.
func (t textColumn) recode(codes, dst []int32) {
	if codes == nil {
		clear(dst)
		return
	}
	for i, c := range codes {
		dst[i] = max(t.code[c]-1, 0)
	}
}
