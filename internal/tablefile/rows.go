package tablefile

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// maxRows bounds what ReadRows keeps.
const maxRows = 100_000

// ReadRows reads a flat Parquet file as rows of column name to value: string,
// float64, int64 or bool; a decimal is float64, a time is int64 ns since 1970, whatever the unit in the
// file; a null is absent. Damage is an error.
func ReadRows(f *os.File) (rows []map[string]any, err error) {
	defer func() {
		if p := recover(); p != nil { // the reader panics on some damage
			rows, err = nil, fmt.Errorf("parquet: damaged: %v", p)
		}
	}()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, st.Size())
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	r := parquet.NewReader(file)
	defer r.Close()
	cols, err := cellTypes(file.Schema())
	if err != nil {
		return nil, err
	}
	buf := make([]parquet.Row, 64)
	for {
		n, err := r.ReadRows(buf)
		for _, row := range buf[:n] {
			if len(rows) == maxRows {
				return nil, fmt.Errorf("parquet: over %d rows", maxRows)
			}
			rows = append(rows, rowCells(cols, row))
		}
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("parquet: row %d: %w", len(rows)+1, err)
		}
	}
}

// A cellType is a column with the ns that one of its numbers stands for, 0
// where it is no time, and how many of its digits stand behind the point.
type cellType struct {
	name    string
	ns      int64
	decimal *format.DecimalType // nil where it is none
}

const dayNS = 24 * 3600 * 1e9

func cellTypes(schema *parquet.Schema) ([]cellType, error) {
	var cols []cellType
	for _, path := range schema.Columns() {
		if len(path) != 1 {
			return nil, fmt.Errorf("parquet: column %v is nested, want a flat table", path)
		}
		c := cellType{name: path[0]}
		leaf, _ := schema.Lookup(path...)
		if leaf.Node.Leaf() {
			c.ns, c.decimal = nsOf(leaf.Node.Type()), decimalOf(leaf.Node.Type())
		}
		cols = append(cols, c)
	}
	return cols, nil
}

// nsOf takes the unit from the logical type, else from what older writers put
// in its place.
func nsOf(t parquet.Type) int64 {
	if logical := t.LogicalType(); logical != nil {
		switch v := logical.Value.(type) {
		case *format.DateType:
			return dayNS
		case *format.TimestampType:
			switch v.Unit.Value.(type) {
			case *format.MilliSeconds:
				return 1e6
			case *format.MicroSeconds:
				return 1e3
			}
			return 1
		}
	}
	if c := t.ConvertedType(); c != nil {
		switch *c {
		case deprecated.Date:
			return dayNS
		case deprecated.TimestampMillis:
			return 1e6
		case deprecated.TimestampMicros:
			return 1e3
		}
	}
	return 0
}

func decimalOf(t parquet.Type) *format.DecimalType {
	logical := t.LogicalType()
	if logical == nil {
		return nil
	}
	d, _ := logical.Value.(*format.DecimalType)
	return d
}

// decimal is the number that a decimal's digits stand for, in two's complement
// with the high byte first where they are bytes.
func decimal(v parquet.Value, d *format.DecimalType) float64 {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default:
		b := v.ByteArray()
		n.SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	x, _ := new(big.Float).SetInt(n).Float64()
	return x / math.Pow10(int(d.Scale))
}

func rowCells(cols []cellType, row parquet.Row) map[string]any {
	m := map[string]any{}
	for _, v := range row {
		if v.IsNull() || v.Column() >= len(cols) {
			continue
		}
		c := cols[v.Column()]
		if c.decimal != nil {
			m[c.name] = decimal(v, c.decimal)
			continue
		}
		switch v.Kind() {
		case parquet.ByteArray, parquet.FixedLenByteArray:
			m[c.name] = v.String()
		case parquet.Double:
			m[c.name] = v.Double()
		case parquet.Float:
			m[c.name] = float64(v.Float())
		case parquet.Int32:
			m[c.name] = int64(v.Int32()) * max(c.ns, 1)
		case parquet.Int64:
			m[c.name] = v.Int64() * max(c.ns, 1)
		case parquet.Int96:
			m[c.name] = julianNS(v.Int96())
		case parquet.Boolean:
			m[c.name] = v.Boolean()
		}
	}
	return m
}

// julianNS is a time as Spark and Impala write it: ns of the day, and a Julian day.
func julianNS(v deprecated.Int96) int64 {
	const unixDay = 2440588
	return (int64(v[2])-unixDay)*dayNS + int64(v[1])<<32 + int64(v[0])
}
