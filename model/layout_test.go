package model

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A laidRow is a row as it was added.
type laidRow struct {
	Line, Key, Unit int32
	T, Step         int64
	HasStep         bool
	Value           float64
}

// TestLayouts: rows with a layout are those with keys and units of their own, whatever
// stands between them and is done to them.
func TestLayouts(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	laid := 0
	for round := range 400 {
		x := NewTable(Metrics)
		var layouts []*Layout
		for range []int{1, 2, 5, 2 * mostLayouts}[rng.IntN(4)] {
			n := 1 + rng.IntN(6)
			keys, units := make([]int32, n), make([]int32, n)
			for i := range n {
				keys[i], units[i] = 1+rng.Int32N(300), 1+rng.Int32N(5)
			}
			layouts = append(layouts, NewLayout(keys, units))
		}
		var want []laidRow
		odd := rng.IntN(3) == 0
		for record := range rng.IntN(2500) {
			l := layouts[rng.IntN(len(layouts))]
			if rng.IntN(900) == 0 {
				l = l.Own()
			}
			want = addRecord(x, l, record, odd && rng.IntN(400) == 0, want, rng)
		}
		if round%5 > 0 {
			x.Pack()
		}
		for range round % 6 {
			want = changeLaid(x, want, rng)
			sameLaid(t, x, want)
		}
		for _, b := range x.Batches {
			if b.lay != nil {
				laid++
			}
		}
		sameLaid(t, x, want)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	if laid < 200 {
		t.Errorf("%d batches end with layouts, want hundreds", laid)
	}
}

// addRecord adds a record, with its layout or, where plain is set, without.
func addRecord(x *Table, l *Layout, record int, plain bool, want []laidRow, rng *rand.Rand) []laidRow {
	n, line := len(l.codes[0]), record+1
	var b *Batch
	var first int
	switch {
	case !plain:
		b, first = x.AddLaid(l, line, int64(90*line))
	case rng.IntN(2) == 0:
		b, first = x.AddAll(n, line, int64(90*line))
		b.PutTexts(MetricKey, first, l.codes[0])
		b.PutTexts(MetricUnit, first, l.codes[1])
	default:
		n = 1
		b = x.Add(line, int64(90*line))
		first = b.Rows() - 1
		b.SetText(MetricKey, l.codes[0][0])
		b.SetText(MetricUnit, l.codes[1][0])
	}
	row := laidRow{Line: int32(line), T: int64(1000 * line), HasStep: rng.IntN(3) == 0}
	b.FillInt(MetricT, first, first+n, row.T)
	if row.HasStep {
		row.Step = int64(record)
		b.FillInt(MetricStep, first, first+n, row.Step)
	}
	for i := range n {
		row.Key, row.Unit, row.Value = l.codes[0][i], l.codes[1][i], rng.Float64()
		b.PutFloats(MetricValue, first+i, []float64{row.Value})
		want = append(want, row)
	}
	return want
}

// changeLaid does to a table and to the plain rows what is done after reading.
func changeLaid(x *Table, rows []laidRow, rng *rand.Rand) []laidRow {
	switch rng.IntN(6) {
	case 0, 1:
		gone := map[int]bool{}
		at := 0
		x.KeepRecords(0, len(x.Batches), func(b *Batch, kept []int32) []int32 {
			for k := range b.Records() {
				if rng.IntN(3) == 0 {
					for r := b.FirstRow(k); r < b.FirstRow(k+1); r++ {
						gone[at+r] = true
					}
				} else {
					kept = append(kept, int32(k))
				}
			}
			at += b.Rows()
			return kept
		})
		var left []laidRow
		for i, r := range rows {
			if !gone[i] {
				left = append(left, r)
			}
		}
		return left
	case 2:
		x.JoinIn(0, len(x.Batches))
	case 3:
		at, salt := -1, rng.Uint32()
		drop := func() bool { at++; return (uint32(at)*2654435761^salt)%9 == 0 }
		x.Keep(func(*Batch, int) bool { return !drop() })
		at = -1
		return slices.DeleteFunc(rows, func(laidRow) bool { return drop() })
	case 4:
		codes := make([]int32, 301)
		for i := range codes {
			codes[i] = int32(i)
			if i > 290 {
				codes[i] = int32(i) - 100
			}
		}
		for _, b := range x.Batches {
			b.Recode(codes, 291)
		}
		for i := range rows {
			rows[i].Key = codes[rows[i].Key]
		}
	default:
		at := 0
		for _, b := range x.Batches {
			if b.Rows() > 0 && rng.IntN(2) == 0 {
				r := rng.IntN(b.Rows())
				b.PutText(MetricKey, r, 7)
				rows[at+r].Key = 7
			}
			at += b.Rows()
		}
		x.Pack()
	}
	return rows
}

// sameLaid holds a table against plain rows, read in each way.
func sameLaid(t *testing.T, x *Table, want []laidRow) {
	t.Helper()
	var got []laidRow
	var odd []int32
	labelled := 0
	rows, n := NewReader(Metrics, MetricT, MetricStep, MetricKey, MetricValue, MetricUnit), 0
	for _, b := range x.Batches {
		rows.Read(b)
		keys, units, first := rows.Texts(MetricKey), rows.Texts(MetricUnit), rows.RecordTexts(MetricKey)
		for r := range b.Rows() {
			row := laidRow{Line: b.Line(r)}
			row.Key, _ = b.Text(MetricKey, r)
			row.Unit, _ = b.Text(MetricUnit, r)
			row.T, _ = b.Int(MetricT, r)
			row.Step, row.HasStep = rows.Int(MetricStep, r)
			row.Value, _ = rows.Float(MetricValue, r)
			if keys[r] != row.Key || units[r] != row.Unit || b.FirstRow(b.RecordOf(r)) == r && b.rec != nil && first[b.rec.of(r)] != row.Key {
				t.Fatalf("row %d: key %d and unit %d by the reader, %d and %d by the cell", n+r, keys[r], units[r], row.Key, row.Unit)
			}
			k := b.RecordOf(r)
			step, has := b.RecordInt(MetricStep, k)
			at, _ := rows.RecordInt(MetricT, k)
			key, _ := b.RecordText(MetricKey, k)
			if b.FirstRow(k) == r && (step != row.Step || has != row.HasStep || at != row.T || key != row.Key || b.RecordLine(k) != row.Line || rows.RecordBytes()[k] != b.Byte(r) || b.RecordByte(k) != b.Byte(r)) {
				t.Fatalf("row %d: %+v, of its record step %d (%t), time %d, key %d, line %d", n+r, row, step, has, at, key, b.RecordLine(k))
			}
			got = append(got, row)
		}
		for _, x := range b.Labelled(nil, MetricKey, MetricUnit, func(key, unit int32) bool { return key%5 == 0 || unit == 2 }) {
			if row := got[n+int(x.Row)]; x.Key != row.Key || x.Unit != row.Unit || int(x.Record) != b.RecordOf(int(x.Row)) {
				t.Fatalf("row %d: %+v, want the codes of %+v", n+int(x.Row), x, row)
			}
			labelled++
		}
		for _, r := range b.RowsWith(nil, MetricKey, func(code int32) bool { return code%7 == 0 }) {
			odd = append(odd, int32(n)+int32(r))
		}
		n += b.Rows()
	}
	if n != x.Rows() {
		t.Errorf("%d rows, and %d counted", n, x.Rows())
	}
	if !slices.Equal(want, got) {
		diff := cmp.Diff(want, got)
		t.Fatalf("(-want +got)\n%.3000s", diff)
	}
	var wanted []int32
	for i, w := range want {
		if w.Key%7 == 0 {
			wanted = append(wanted, int32(i))
		}
		if w.Key%5 == 0 || w.Unit == 2 {
			labelled--
		}
	}
	if labelled != 0 {
		t.Errorf("%d rows too many with labels", labelled)
	}
	if !slices.Equal(wanted, odd) {
		diff := cmp.Diff(wanted, odd)
		t.Fatalf("rows with some keys (-want +got)\n%.2000s", diff)
	}
}
