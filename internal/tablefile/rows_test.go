package tablefile

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

type runRow struct {
	Name       string   `parquet:"name"`
	Start      string   `parquet:"start"`
	Throughput *float64 `parquet:"throughput,optional"`
	Targets    int64    `parquet:"target_gpus"`
}

// TestReadRows reads what was written, a null as absent, and refuses damage.
func TestReadRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.parquet")
	v := 11.5
	if err := parquet.WriteFile(path, []runRow{{"a", "2026-01-01T00:00:00Z", &v, 5}, {"b", "2026-01-02T00:00:00Z", nil, 5}}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := ReadRows(f)
	if err != nil || len(rows) != 2 || rows[0]["name"] != "a" || rows[0]["throughput"] != 11.5 || rows[1]["target_gpus"] != int64(5) {
		t.Fatalf("%v, %v", rows, err)
	}
	if _, ok := rows[1]["throughput"]; ok {
		t.Error("a null is there")
	}
	b, _ := os.ReadFile(path)
	for cut := 0; cut < len(b); cut += 37 {
		os.WriteFile(path, b[:cut], 0o666)
		g, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRows(g); err == nil {
			t.Errorf("cut at %d: read without an error", cut)
		}
		g.Close()
	}
}

// TestWriteRows: what is written is read back, a missing cell as absent; a cell
// without a column is an error.
func TestWriteRows(t *testing.T) {
	cols := []RowColumn{{"name", "text"}, {"start", "time"}, {"target_gpus", "whole"}, {"target.capacity", "number"}}
	want := []map[string]any{
		{"name": "a", "start": int64(1778189271123456789), "target_gpus": int64(5), "target.capacity": 11.5},
		{"name": "b"},
	}
	if got := roundTrip(t, func(w io.Writer) error { return WriteRows(w, cols, want) }); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if err := WriteRows(io.Discard, cols, []map[string]any{{"nme": "a"}}); err == nil || !strings.Contains(err.Error(), `row 1: no column "nme"`) {
		t.Errorf("%v, want an error that names the cell", err)
	}
	if got := roundTrip(t, func(w io.Writer) error { return WriteRows(w, cols, nil) }); len(got) != 0 {
		t.Errorf("%v, want no rows", got)
	}
}

// TestTimesOfOthers: the same instant in each unit, as ns; a date is its midnight.
func TestTimesOfOthers(t *testing.T) {
	const second = int64(1778189271)
	type row struct {
		Milli int64 `parquet:"milli,timestamp(millisecond)"`
		Micro int64 `parquet:"micro,timestamp(microsecond)"`
		Nano  int64 `parquet:"nano,timestamp(nanosecond)"`
		Day   int32 `parquet:"day,date"`
		Plain int64 `parquet:"plain"`
	}
	got := roundTrip(t, func(w io.Writer) error {
		return parquet.Write(w, []row{{second * 1e3, second * 1e6, second * 1e9, 20580, 7}})
	})
	want := []map[string]any{{"milli": second * 1e9, "micro": second * 1e9, "nano": second * 1e9, "day": int64(20580) * 86400e9, "plain": int64(7)}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestDecimals: the same number under each of the types that hold decimals.
func TestDecimals(t *testing.T) {
	for name, c := range map[string]struct {
		typ   parquet.Type
		value parquet.Value
	}{
		"int32": {parquet.Int32Type, parquet.ValueOf(int32(-1190050))},
		"int64": {parquet.Int64Type, parquet.ValueOf(int64(-1190050))},
		"fixed": {parquet.FixedLenByteArrayType(5), parquet.FixedLenByteArrayValue([]byte{0xff, 0xff, 0xed, 0xd7, 0x5e})},
		"bytes": {parquet.ByteArrayType, parquet.ByteArrayValue([]byte{0xed, 0xd7, 0x5e})},
	} {
		got := roundTrip(t, func(w io.Writer) error {
			x := parquet.NewWriter(w, parquet.NewSchema("runs", parquet.Group{"throughput": parquet.Decimal(2, 9, c.typ)}))
			if _, err := x.WriteRows([]parquet.Row{{c.value.Level(0, 0, 0)}}); err != nil {
				return err
			}
			return x.Close()
		})
		if want := []map[string]any{{"throughput": -11900.5}}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func roundTrip(t *testing.T, write func(io.Writer) error) []map[string]any {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "runs.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := write(f); err != nil {
		t.Fatal(err)
	}
	rows, err := ReadRows(f)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestJulianDays reads times as Spark and Impala write them, also before 1970.
func TestJulianDays(t *testing.T) {
	type row struct {
		At deprecated.Int96 `parquet:"at"`
	}
	path := filepath.Join(t.TempDir(), "runs.parquet")
	write := func(day uint32, ns uint64) row { return row{deprecated.Int96{uint32(ns), uint32(ns >> 32), day}} }
	if err := parquet.WriteFile(path, []row{write(2440588, 0), write(2440589, 86399999999999), write(2440587, 1)}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := ReadRows(f)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{0, 2*dayNS - 1, 1 - dayNS} {
		if rows[i]["at"] != want {
			t.Errorf("row %d: %v, want %d ns", i, rows[i]["at"], want)
		}
	}
}
