package model

import (
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow/go/v14/arrow"
	"github.com/apache/arrow/go/v14/arrow/array"
	"github.com/apache/arrow/go/v14/arrow/memory"
)

// An ArrowTable is a table as Arrow records of up to 65,536 rows. Text is a
// dictionary of the strings that the column really uses, one for the whole table,
// as the IPC file format wants it. After the table's own columns come file (dictionary),
// line and byte. Fields carry their unit as metadata {"unit": …}; times are
// timestamp[ns, UTC].
type ArrowTable struct {
	Name   string
	Schema *arrow.Schema
	table  *Table
	text   []textColumn // by column; zero where the column is no text
	file   textColumn
}

// textColumn maps the codes of a pool to those of a compact dictionary.
type textColumn struct {
	code []int32 // 1 + code in dict, by code of the pool; 0 where it is not used
	dict *array.Data
}

var dictType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

// Arrow returns t as Arrow records. The table must not change while they are in use.
func (r *Run) Arrow(t *Table) (*ArrowTable, error) {
	a := &ArrowTable{Name: t.Spec.Name, table: t, text: make([]textColumn, len(t.Spec.Columns))}
	fields := make([]arrow.Field, 0, len(t.Spec.Columns)+3)
	for i, c := range t.Spec.Columns {
		fields = append(fields, c.field())
		if c.Kind != Text {
			continue
		}
		var err error
		if a.text[i], err = r.textColumn(t, i); err != nil {
			return nil, fmt.Errorf("table %s, column %s: %w", t.Spec.Name, c.Name, err)
		}
	}
	fields = append(
		fields,
		arrow.Field{Name: "file", Type: dictType},
		arrow.Field{Name: "line", Type: arrow.PrimitiveTypes.Int64},
		arrow.Field{Name: "byte", Type: arrow.PrimitiveTypes.Int64, Metadata: unitOf("B")},
	)
	a.Schema = arrow.NewSchema(fields, nil)
	var err error
	a.file, err = r.fileColumn(t)
	return a, err
}

func (c Column) field() arrow.Field {
	f := arrow.Field{Name: c.Name, Nullable: true, Metadata: unitOf(c.Unit)}
	switch {
	case c.Kind == Text:
		f.Type = dictType
	case c.Kind == Float:
		f.Type = arrow.PrimitiveTypes.Float64
	case c.Name == "t" && c.Unit == "ns":
		f.Type = &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}
	default:
		f.Type = arrow.PrimitiveTypes.Int64
	}
	return f
}

func unitOf(unit string) arrow.Metadata {
	if unit == "" {
		return arrow.Metadata{}
	}
	return arrow.NewMetadata([]string{"unit"}, []string{unit})
}

// textColumn collects the strings that a Text column uses, in the order they
// are met.
func (r *Run) textColumn(t *Table, col int) (textColumn, error) {
	code := make([]int32, r.Strings.Len())
	var list []string
	rows := NewReader(t.Spec, col)
	for _, b := range t.Batches {
		rows.Read(b)
		for row, s := range rows.Texts(col) {
			if code[s] == 0 && b.OK(col, row) {
				list = append(list, r.Strings.At(s))
				code[s] = int32(len(list))
			}
		}
	}
	dict, err := stringData(list)
	return textColumn{code, dict}, err
}

func (r *Run) fileColumn(t *Table) (textColumn, error) {
	code := make([]int32, len(r.Files))
	var list []string
	for _, b := range t.Batches {
		if code[b.File] == 0 {
			list = append(list, r.Files[b.File].Path)
			code[b.File] = int32(len(list))
		}
	}
	dict, err := stringData(list)
	return textColumn{code, dict}, err
}

// stringData is a utf8 array. Bytes that are no UTF-8 become U+FFFD: readers
// refuse a whole file for one of them.
func stringData(list []string) (*array.Data, error) {
	offsets := make([]int32, 1, len(list)+1)
	var text []byte
	for _, s := range list {
		text = append(text, strings.ToValidUTF8(s, "\uFFFD")...)
		if len(text) > math.MaxInt32 {
			return nil, fmt.Errorf("over 2 GiB of distinct text, which no Arrow dictionary of this type holds")
		}
		offsets = append(offsets, int32(len(text)))
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(text)}
	return array.NewData(arrow.BinaryTypes.String, len(list), buffers, nil, 0, 0), nil
}

func (t textColumn) indices(codes []int32, valid []byte, nulls int) arrow.Array {
	d := array.NewDataWithDictionary(dictType, len(codes), buffers(valid, arrow.Int32Traits.CastToBytes(codes)), nulls, 0, t.dict)
	return array.NewDictionaryData(d)
}

func fixed(typ arrow.DataType, n int, values, valid []byte, nulls int) arrow.Array {
	return array.MakeFromData(array.NewData(typ, n, buffers(valid, values), nil, nulls, 0))
}

func buffers(valid, values []byte) []*memory.Buffer {
	if valid == nil {
		return []*memory.Buffer{nil, memory.NewBufferBytes(values)}
	}
	return []*memory.Buffer{memory.NewBufferBytes(valid), memory.NewBufferBytes(values)}
}
