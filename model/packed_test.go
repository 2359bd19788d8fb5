package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// plainRow is a row as it was written, to hold a packed one against.
type plainRow struct {
	line  int32
	off   int64
	step  int64
	value float64
	key   int32
	set   [3]bool
}

// numbers are kinds of values that columns have, and kinds that none should have.
func numbers(rng *rand.Rand) []func(r int) float64 {
	return []func(r int) float64{
		func(int) float64 { return 60 },
		func(r int) float64 { return float64(r) },
		func(int) float64 { return float64(rng.IntN(101)) / 100 },
		func(int) float64 { return float64(7500+rng.IntN(62000)) / 100 },
		func(int) float64 { return float64(118234+rng.IntN(20000)) * (1 << 20) },
		func(int) float64 { return float64(1200+rng.IntN(780)) * 1e6 },
		func(r int) float64 { return []float64{0, math.Copysign(0, -1)}[r%2] },
		func(r int) float64 { return []float64{1, math.NaN(), math.Inf(1), math.Inf(-1)}[r%4] },
		func(int) float64 { return rng.NormFloat64() },
		func(int) float64 { return float64(float32(rng.ExpFloat64())) },
		func(int) float64 { return math.Float64frombits(rng.Uint64()) },
		func(int) float64 { return 0.1 + 0.2 },
		func(r int) float64 { return []float64{0.5, 0.25, 0.1 + 0.2}[r%3] },
		func(int) float64 { return float64(rng.Int64N(1<<54)) - 1<<53 },
		func(int) float64 { return float64(rng.IntN(1<<20)) * 5e-7 },
	}
}

func wholeNumbers(rng *rand.Rand) []func(r int) int64 {
	return []func(r int) int64{
		func(int) int64 { return -3 },
		func(r int) int64 { return 7 - 3*int64(r) },
		func(int) int64 { return rng.Int64N(200) },
		func(int) int64 { return -rng.Int64N(1 << 15) },
		func(int) int64 { return rng.Int64N(1 << 31) },
		func(r int) int64 { return 1795939205e9 + 200e6*int64(r/8) },
		func(r int) int64 { return 1795939205e9 + int64(r)*1e9 + rng.Int64N(1e6)*1e3 },
		func(int) int64 { return int64(rng.Uint64()) },
		func(r int) int64 { return []int64{math.MinInt64, math.MaxInt64}[r%2] },
	}
}

// TestPack: a table gives every value back as it was set, to the bit, whatever
// the values are, which cells are missing, and what is done to it after packing.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		out := NewRunBuilder(&File{Path: "f"})
		out.Metrics = NewTable(&Spec{Name: "test", Columns: Metrics.Columns, Wide: round%5 == 0, Record: MetricKey})
		ints, floats := wholeNumbers(rng), numbers(rng)
		step, value := ints[rng.IntN(len(ints))], floats[rng.IntN(len(floats))]
		codes, full := []int32{1, 200, 60_000, 100_000}[rng.IntN(4)], rng.IntN(2) == 0
		var want []plainRow
		most := []int{1, 1, 8, 256}[rng.IntN(4)] // rows of a record
		for r, left := 0, []int{1, 5, 1024, 1025, 3 * BatchRows}[rng.IntN(5)]; left > 0; r++ {
			n := min(1+rng.IntN(most), left)
			left -= n
			one := plainRow{line: int32(r + 1), off: 90*int64(r) + rng.Int64N(9), step: step(r)}
			one.set[0] = full || rng.IntN(3) > 0
			var b *Batch
			var first int
			if most > 1 && rng.IntN(9) > 0 {
				b, first = out.Metrics.AddAll(n, int(one.line), one.off)
			} else {
				n, left = 1, left+n-1
				b = out.Metrics.Add(int(one.line), one.off)
				first = b.Rows() - 1
			}
			if one.set[0] {
				b.FillInt(MetricStep, first, first+n, one.step)
			}
			for i := range n {
				w := one
				w.value, w.key = value(len(want)), 1+rng.Int32N(codes)
				if w.set[1] = full || rng.IntN(3) > 0; w.set[1] {
					b.PutFloats(MetricValue, first+i, []float64{w.value})
				}
				if w.set[2] = full || rng.IntN(3) > 0; w.set[2] {
					b.PutText(MetricKey, first+i, w.key)
				}
				if b.rec != nil && b.rec.of(first+i) != b.rec.of(first) {
					t.Fatal("a record in two")
				}
				want = append(want, w)
			}
		}
		if round%4 > 0 {
			out.Pack()
		}
		if !out.Metrics.Spec.Wide && round%4 > 0 && out.Metrics.Batches[0].Rows() == BatchRows && out.Metrics.Batches[0].line.ints == nil {
			t.Fatal("a full batch is wide")
		}
		for range round % 5 {
			want = changeRows(out, want, rng)
		}
		samePlain(t, out.Metrics, want)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

// changeRows does to a table and to the plain rows what is done after reading.
func changeRows(out *RunBuilder, rows []plainRow, rng *rand.Rand) []plainRow {
	var kept []plainRow
	salt := rng.Uint32()
	at := -1
	drop := func() bool { at++; return (uint32(at)*2654435761^salt)%7 == 0 }
	switch what := rng.IntN(8); what {
	case 0, 7:
		out.Metrics.Keep(func(*Batch, int) bool { return !drop() })
		if what == 7 {
			out.Metrics.JoinIn(0, len(out.Metrics.Batches))
		}
		at = -1
		for _, w := range rows {
			if !drop() {
				kept = append(kept, w)
			}
		}
		return kept
	case 1:
		out.Pack()
	case 2:
		for _, b := range out.Metrics.Batches {
			from := rng.IntN(b.Rows())
			to := from + rng.IntN(b.Rows()-from+1)
			b.FillInt(MetricStep, from, to, 77)
			for r := range b.Rows() {
				if at++; r >= from && r < to {
					rows[at].step, rows[at].set[0] = 77, true
				}
			}
		}
	default:
		for _, b := range out.Metrics.Batches {
			for r := range b.Rows() {
				gone := drop()
				switch w := &rows[at]; {
				case !gone:
				case what == 3:
					b.PutInt(MetricStep, r, 12345)
					w.step, w.set[0] = 12345, true
				case what == 4:
					b.PutText(MetricKey, r, 99)
					w.key, w.set[2] = 99, true
				case what == 5:
					b.PutFloats(MetricValue, r, []float64{1. / 3})
					w.value, w.set[1] = 1./3, true
				default:
					b.Clear(MetricStep, r)
					w.set[0] = false
				}
			}
			b.Shift(MetricStep, 1000)
		}
		for i := range rows {
			rows[i].step += 1000
		}
	}
	return rows
}

func samePlain(t *testing.T, table *Table, want []plainRow) {
	t.Helper()
	at, reader := 0, NewReader(Metrics, MetricStep, MetricValue, MetricKey)
	for _, b := range table.Batches {
		texts := textsOf(b, MetricKey)
		reader.Read(b)
		floats, steps := reader.Floats(MetricValue), reader.Ints(MetricStep)
		for r := range b.Rows() {
			w := want[at]
			at++
			got := plainRow{line: b.Line(r), off: b.Byte(r)}
			got.step, got.set[0] = b.Int(MetricStep, r)
			got.value, got.set[1] = b.Float(MetricValue, r)
			got.key, got.set[2] = b.Text(MetricKey, r)
			if b.Same(MetricStep) && (got.set[0] != want[at-1-r].set[0] || got.set[0] && got.step != want[at-1-r].step) {
				t.Errorf("row %d: step %d where all are %d", at, got.step, want[at-1-r].step)
			}
			switch {
			case got.line != w.line || got.off != w.off || got.set != w.set,
				w.set[0] && got.step != w.step,
				w.set[1] && math.Float64bits(got.value) != math.Float64bits(w.value),
				w.set[2] && (got.key != w.key || texts[r] != w.key), !w.set[2] && texts != nil && texts[r] != 0,
				floats == nil && b.cols[MetricValue].set == b.Rows(), !sameCells(reader, r, w),
				floats != nil && math.Float64bits(floats[r]) != math.Float64bits(w.value),
				steps == nil && w.set[0] && b.count(&b.cols[MetricStep]) == b.Rows(), steps != nil && steps[r] != w.step:
				t.Errorf("row %d: %+v, want %+v", at, got, w)
				return
			}
		}
	}
	if at != len(want) || table.Rows() != len(want) {
		t.Errorf("%d rows, and %d counted, want %d", at, table.Rows(), len(want))
	}
}

// sameCells reports whether a reader has the cells of a row.
func sameCells(b *Reader, r int, w plainRow) bool {
	step, ok := b.Int(MetricStep, r)
	value, ok1 := b.Float(MetricValue, r)
	key, ok2 := b.Text(MetricKey, r)
	return [3]bool{ok, ok1, ok2} == w.set && b.Byte(r) == w.off && (!ok || step == w.step) && (!ok2 || key == w.key) &&
		(!ok1 || math.Float64bits(value) == math.Float64bits(w.value))
}

// TestPackRecode: codes of a part that hold elsewhere in the whole are found
// again, packed or not.
func TestPackRecode(t *testing.T) {
	first := NewRunBuilder(&File{Path: "f"})
	first.Metrics.Add(1, 0).SetText(MetricKey, first.Strings.Code("loss"))
	seed := first.Seed()
	first.Strings.Code("of the first part alone")
	names := []string{"loss", "lr", "tok/s", "grad_norm"}
	part := seed.NewPart(&File{Path: "f"}, 1)
	part.Metrics = NewTable(&Spec{Name: "test", Columns: Metrics.Columns})
	for r := range 2 * BatchRows {
		part.Metrics.Add(r+1, int64(r)).SetText(MetricKey, part.Strings.Code(names[r%4]))
	}
	part.Pack()
	first.File.Lines = 1
	first.Part(part)
	n := 0
	for _, b := range first.Metrics.Batches[1:] {
		for r := range b.Rows() {
			code, ok := b.Text(MetricKey, r)
			if got := first.Strings.At(code); !ok || got != names[n%4] || b.Line(r) != int32(n+2) {
				t.Fatalf("row %d: %q at line %d, want %q at %d", n, got, b.Line(r), names[n%4], n+2)
			}
			n++
		}
	}
	if n != 2*BatchRows {
		t.Errorf("%d rows, want %d", n, 2*BatchRows)
	}
}

// TestPackSaves: what telemetry is made of takes a fraction of its 8 bytes.
func TestPackSaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	work := make([]int64, BatchRows)
	for i, width := range map[int]uint8{0: 0, 1: 2, 2: 1, 3: 2, 4: 2, 5: 2, 11: 0} {
		v := make([]float64, BatchRows)
		for r := range v {
			v[r] = numbers(rng)[i](r)
		}
		var form uint8
		if p := packFloats(v, work, &form); p == nil || p.width != width {
			t.Errorf("floats %d: %+v, want a width of %d", i, p, width)
		}
	}
	for i, width := range map[int]uint8{0: 0, 1: rising, 2: 1, 3: 2, 4: 4, 5: 4} {
		v := make([]int64, BatchRows)
		for r := range v {
			v[r] = wholeNumbers(rng)[i](r)
		}
		if p := pack(v); p == nil || p.width != width {
			t.Errorf("ints %d: %+v, want a width of %d", i, p, width)
		}
	}
}
