package tablefile

import (
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
)

// maxRows bounds what ReadRows keeps.
const maxRows = 100_000

// ReadRows reads a flat Parquet file as rows of column name to value: string,
// float64, int64 or bool; a null is absent. Damage is an error.
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
	var names []string
	for _, path := range file.Schema().Columns() {
		if len(path) != 1 {
			return nil, fmt.Errorf("parquet: column %v is nested, want a flat table", path)
		}
		names = append(names, path[0])
	}
	buf := make([]parquet.Row, 64)
	for {
		n, err := r.ReadRows(buf)
		for _, row := range buf[:n] {
			if len(rows) == maxRows {
				return nil, fmt.Errorf("parquet: over %d rows", maxRows)
			}
			rows = append(rows, rowCells(names, row))
		}
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("parquet: row %d: %w", len(rows)+1, err)
		}
	}
}

func rowCells(names []string, row parquet.Row) map[string]any {
	m := map[string]any{}
	for _, v := range row {
		if v.IsNull() || v.Column() >= len(names) {
			continue
		}
		name := names[v.Column()]
		switch v.Kind() {
		case parquet.ByteArray, parquet.FixedLenByteArray:
			m[name] = v.String()
		case parquet.Double:
			m[name] = v.Double()
		case parquet.Float:
			m[name] = float64(v.Float())
		case parquet.Int32:
			m[name] = int64(v.Int32())
		case parquet.Int64:
			m[name] = v.Int64()
		case parquet.Boolean:
			m[name] = v.Boolean()
		}
	}
	return m
}
