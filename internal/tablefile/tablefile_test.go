package tablefile

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v14/arrow"
	"github.com/apache/arrow/go/v14/arrow/array"
	"github.com/apache/arrow/go/v14/arrow/ipc"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"tidemark/model"
)

// sample is a run with rows of several files in the gpu and events tables: a
// column without nulls, with some, with none but in some batches, and with
// nothing but nulls; text that is no UTF-8; a few rows a file and many.
func sample(rows int) *model.Run {
	r := model.NewRun()
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, n := range []int{3, rows, 1, 9} {
		f := &model.File{Path: fmt.Sprintf("node%d/gpu.csv", i)}
		b := model.NewRunBuilder(f)
		for row := range n {
			g := b.GPU.Add(row+2, int64(40*row))
			g.SetInt(model.GPUT, 1_767_225_600_000_000_000+int64(row)*500_000_000)
			g.SetInt(model.GPUIndex, int64(row%8))
			g.SetText(model.GPUHost, b.Strings.Code(f.Path[:5]))
			g.SetText(model.GPUUUID, b.Strings.Code(fmt.Sprintf("GPU-%d", rnd.IntN(1+row))))
			if i != 2 && row%3 > 0 {
				g.SetFloat(model.GPUSMUtil, rnd.Float64())
			}
			if row%70_000 < 3 {
				g.SetText(model.GPUSide, b.Strings.Code([]string{"target", "drafter", ""}[row%3]))
				g.SetInt(model.GPUClockReasons, rnd.Int64()-rnd.Int64())
			}
		}
		b.Event(1, 0, 0, "note", "caf\xe9 "+f.Path)
		r.Files = append(r.Files, f)
		r.Join(b, int32(i))
	}
	return r
}

// cells are the rows of a table in words, straight from the model.
func cells(r *model.Run, t *model.Table) []string {
	var out []string
	for _, b := range t.Batches {
		for row := range b.Rows() {
			var sb strings.Builder
			for c, col := range t.Spec.Columns {
				sb.WriteString(cell(r, b, c, row, col.Kind))
				sb.WriteByte('|')
			}
			p := r.Pos(b, row)
			fmt.Fprintf(&sb, "%s|%d|%d", p.File, p.Line, p.Byte)
			out = append(out, sb.String())
		}
	}
	return out
}

func cell(r *model.Run, b *model.Batch, c, row int, k model.Kind) string {
	if !b.OK(c, row) {
		return "-"
	}
	switch k {
	case model.Int:
		v, _ := b.Int(c, row)
		return fmt.Sprint(v)
	case model.Float:
		v, _ := b.Float(c, row)
		return fmt.Sprint(v)
	}
	v, _ := b.Text(c, row)
	return strings.ToValidUTF8(r.Text(v), "\uFFFD")
}

func TestIPC(t *testing.T) {
	for _, rows := range []int{0, 5, 140_000} {
		r := sample(rows)
		for _, table := range r.Tables() {
			var buf bytes.Buffer
			if err := WriteIPC(&buf, arrowOf(t, r, table)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(cells(r, table), readIPC(t, buf.Bytes())); diff != "" {
				t.Errorf("%s with %d rows (-want +got):\n%.2000s", table.Spec.Name, rows, diff)
			}
		}
	}
}

func arrowOf(t testing.TB, r *model.Run, table *model.Table) *model.ArrowTable {
	t.Helper()
	a, err := r.Arrow(table)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func readIPC(t *testing.T, data []byte) []string {
	t.Helper()
	f, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range f.NumRecords() {
		rec, err := f.Record(i)
		if err != nil {
			t.Fatal(err)
		}
		for row := range int(rec.NumRows()) {
			var list []string
			for _, c := range rec.Columns() {
				list = append(list, arrowCell(c, row))
			}
			out = append(out, strings.Join(list, "|"))
		}
	}
	return out
}

func arrowCell(a arrow.Array, row int) string {
	if a.IsNull(row) {
		return "-"
	}
	switch a := a.(type) {
	case *array.Int64:
		return fmt.Sprint(a.Value(row))
	case *array.Timestamp:
		return fmt.Sprint(int64(a.Value(row)))
	case *array.Float64:
		return fmt.Sprint(a.Value(row))
	case *array.Dictionary:
		return a.Dictionary().(*array.String).Value(a.GetValueIndex(row))
	}
	return fmt.Sprintf("%T", a)
}

func TestParquet(t *testing.T) {
	for _, rows := range []int{0, 5, 140_000, 300_000} {
		r := sample(rows)
		for _, table := range r.Tables() {
			var buf bytes.Buffer
			if err := WriteParquet(&buf, arrowOf(t, r, table)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(cells(r, table), readParquet(t, buf.Bytes())); diff != "" {
				t.Errorf("%s with %d rows (-want +got):\n%.2000s", table.Spec.Name, rows, diff)
			}
		}
	}
}

func readParquet(t *testing.T, data []byte) []string {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buf := make([]parquet.Row, 1000)
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				var list []string
				for _, v := range row {
					list = append(list, parquetCell(v))
				}
				out = append(out, strings.Join(list, "|"))
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		rows.Close()
	}
	return out
}

func parquetCell(v parquet.Value) string {
	switch {
	case v.IsNull():
		return "-"
	case v.Kind() == parquet.Int64:
		return fmt.Sprint(v.Int64())
	case v.Kind() == parquet.Double:
		return fmt.Sprint(v.Double())
	}
	return string(v.ByteArray())
}

func TestSchema(t *testing.T) {
	r := sample(1)
	a := arrowOf(t, r, r.GPU)
	var arrowFile, parquetFile bytes.Buffer
	if err := WriteIPC(&arrowFile, a); err != nil {
		t.Fatal(err)
	}
	if err := WriteParquet(&parquetFile, a); err != nil {
		t.Fatal(err)
	}
	f, err := ipc.NewFileReader(bytes.NewReader(arrowFile.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if !f.Schema().Equal(a.Schema) {
		t.Errorf("schema of the file:\n%v\nwant\n%v", f.Schema(), a.Schema)
	}
	field, _ := f.Schema().FieldsByName("t")
	if got := field[0].Type.String(); got != "timestamp[ns, tz=UTC]" {
		t.Errorf("t is %s", got)
	}
	p, err := parquet.OpenFile(bytes.NewReader(parquetFile.Bytes()), int64(parquetFile.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"unit.t": "ns", "unit.sm_util": "ratio", "unit.mem_used": "B", "unit.sm_clock": "Hz"} {
		if got, ok := p.Lookup(key); !ok || got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
		name := strings.TrimPrefix(key, "unit.")
		field, _ := f.Schema().FieldsByName(name)
		if got, _ := field[0].Metadata.GetValue("unit"); got != want {
			t.Errorf("unit of %s is %q, want %q", name, got, want)
		}
	}
}

func TestWriteAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "tables")
	r := sample(100)
	stack(r)
	label := func(int) (string, string, string, string) { return "target", "", "gpu.launch", "forward" }
	if err := WriteAll(dir, nil, r, label); err != nil {
		t.Fatal(err)
	}
	var names []string
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		names = append(names, e.Name())
	}
	want := strings.Fields("events.arrow events.parquet frames.arrow frames.parquet gpu.arrow gpu.parquet metrics.arrow metrics.parquet " +
		"queue.arrow queue.parquet stacks.arrow stacks.parquet threads.arrow threads.parquet")
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for table, want := range map[string][]string{
		"stacks": {"node0/gpu.csv|-|-|7|0x1|MainThread|target|2|5|0.5|-|gpu.launch|forward|node0/gpu.csv|3|99"},
		"frames": {"2|0|main|train.py|12|-|node0/gpu.csv|3|99", "2|1|cuLaunchKernel|-|-|libcuda.so|node0/gpu.csv|3|99"},
	} {
		a, _ := os.ReadFile(filepath.Join(dir, table+".arrow"))
		p, _ := os.ReadFile(filepath.Join(dir, table+".parquet"))
		if diff := cmp.Diff(want, readIPC(t, a)); diff != "" {
			t.Errorf("%s.arrow (-want +got):\n%s", table, diff)
		}
		if diff := cmp.Diff(want, readParquet(t, p)); diff != "" {
			t.Errorf("%s.parquet (-want +got):\n%s", table, diff)
		}
	}
}

// stack adds one sample of two frames, the second native.
func stack(r *model.Run) {
	p := r.Stacks
	code := r.Strings.Code
	root := p.Set.Push(0, p.Set.Frame(model.Frame{Function: code("main"), File: code("train.py"), Line: 12}))
	leaf := p.Set.Push(root, p.Set.Frame(model.Frame{Function: code("cuLaunchKernel"), File: code("libcuda.so"), Native: true}))
	p.Captures = append(p.Captures, model.Capture{File: 0, Writer: "py-spy raw"})
	p.Threads = append(p.Threads, model.StackThread{PID: 7, TID: "0x1", Name: "MainThread"})
	p.Samples = append(p.Samples, model.Sample{Stack: leaf, N: 5, Seconds: 0.5, Line: 3, Byte: 99})
}

func TestSameBytesTwice(t *testing.T) {
	write := func() (string, string) {
		r := sample(2000)
		a := arrowOf(t, r, r.GPU)
		var x, y bytes.Buffer
		if err := WriteIPC(&x, a); err != nil {
			t.Fatal(err)
		}
		if err := WriteParquet(&y, a); err != nil {
			t.Fatal(err)
		}
		return x.String(), y.String()
	}
	a1, p1 := write()
	a2, p2 := write()
	if a1 != a2 || p1 != p2 {
		t.Error("the same run gave different bytes")
	}
}

func BenchmarkWrite(b *testing.B) {
	r := sample(1 << 20)
	for name, f := range map[string]func(io.Writer, *model.ArrowTable) error{"ipc": WriteIPC, "parquet": WriteParquet} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var n countWriter
			for b.Loop() {
				if err := f(&n, arrowOf(b, r, r.GPU)); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(n) / int64(b.N))
		})
	}
}

type countWriter int64

func (c *countWriter) Write(p []byte) (int, error) {
	*c += countWriter(len(p))
	return len(p), nil
}
