package tablefile

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A RowColumn is a column of a table of rows. Kind is that of its values: text
// (string), time (int64 ns since 1970), whole (int64) or number (float64).
type RowColumn struct{ Name, Kind string }

func (c RowColumn) node() parquet.Node {
	switch c.Kind {
	case "text":
		return parquet.String()
	case "time":
		return parquet.Timestamp(parquet.Nanosecond)
	case "whole":
		return parquet.Int(64)
	}
	return parquet.Leaf(parquet.DoubleType)
}

// WriteRows writes rows as a flat Parquet file that ReadRows reads. A cell that
// is not in a row is null; one that no column has is an error.
func WriteRows(w io.Writer, cols []RowColumn, rows []map[string]any) error {
	group := parquet.Group{}
	for _, c := range cols {
		group[c.Name] = parquet.Optional(c.node())
	}
	schema := parquet.NewSchema("runs", group)
	at := map[string]int{}
	for i, path := range schema.Columns() {
		at[path[0]] = i
	}
	out := parquet.NewWriter(w, schema)
	for i, cells := range rows {
		row := make(parquet.Row, len(at))
		for _, k := range at {
			row[k] = parquet.NullValue().Level(0, 0, k)
		}
		for name, v := range cells {
			k, ok := at[name]
			if !ok {
				return fmt.Errorf("row %d: no column %q", i+1, name)
			}
			row[k] = parquet.ValueOf(v).Level(0, 1, k)
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return out.Close()
}
