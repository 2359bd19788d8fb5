package model

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rowsOf are all rows of a table with their cells, as text.
func rowsOf(t *Table) (list []string) {
	for _, b := range t.Batches {
		for r := range b.Rows() {
			text := fmt.Sprint(b.Line(r), b.Byte(r))
			for k, c := range t.Spec.Columns {
				switch c.Kind {
				case Int:
					v, ok := b.Int(k, r)
					text += fmt.Sprint(" ", v, ok)
				case Float:
					v, ok := b.Float(k, r)
					text += fmt.Sprint(" ", v, ok)
				default:
					v, ok := b.Text(k, r)
					text += fmt.Sprint(" ", v, ok)
				}
			}
			list = append(list, text)
		}
	}
	return list
}

// TestRowBlock: rows put in by a block are those put in cell by cell, whichever
// cells are missing and whenever the block is flushed.
func TestRowBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		cells, blocks := NewTable(GPU), NewTable(GPU)
		block := NewRowBlock(blocks, GPUT, GPUSMUtil, GPUUUID, GPUIndex)
		share := rng.Float64()
		for line := range rng.IntN(3 * firstBatch) {
			b := cells.Add(line, int64(line*100))
			block.Row(line, int64(line*100))
			if v := rng.Int64(); rng.Float64() < share {
				b.SetInt(GPUT, v)
				block.Int(0, v)
			}
			if v := rng.Float64(); rng.Float64() < share {
				b.SetFloat(GPUSMUtil, v)
				block.Float(1, v)
			}
			if v := rng.Int32N(9); line%200 < 150 {
				b.SetText(GPUUUID, v)
				block.Text(2, v)
			}
			if rng.IntN(90) == 0 {
				block.Flush()
			}
		}
		block.Flush()
		if d := cmp.Diff(rowsOf(cells), rowsOf(blocks)); d != "" {
			t.Fatalf("(-cell by cell +by the block)\n%s", d)
		}
	}
}

// TestJoinIn: joined batches hold the rows that they held apart, in fewer of them.
func TestJoinIn(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, spec := range []*Spec{GPU, Metrics} {
		for range 20 {
			x := NewTable(spec)
			for range 1 + rng.IntN(6) {
				for line := range 1 + rng.IntN(2*firstBatch) {
					b := x.Add(line, int64(line))
					for k, c := range spec.Columns {
						switch {
						case rng.IntN(3) == 0:
						case c.Kind == Int:
							b.SetInt(k, rng.Int64N(1000))
						case c.Kind == Float:
							b.SetFloat(k, rng.Float64())
						default:
							b.SetText(k, rng.Int32N(9))
						}
					}
				}
				x.Pack()
			}
			one := rng.IntN(7)
			x.Keep(func(_ *Batch, row int) bool { return row%7 == one })
			want, apart := rowsOf(x), len(x.Batches)
			gone := x.JoinIn(0, len(x.Batches))
			if d := cmp.Diff(want, rowsOf(x)); d != "" {
				t.Fatalf("(-apart +joined)\n%s", d)
			}
			if len(x.Batches) != apart-gone || len(x.Batches) > 1 && len(want) <= BatchRows || x.Rows() != len(want) {
				t.Fatalf("%d of %d batches are left after %d are gone, with %d rows of %d", len(x.Batches), apart, gone, x.Rows(), len(want))
			}
			x.Add(1, 1)
			if len(x.Batches) < 2 {
				t.Fatal("a row was added to a packed batch")
			}
		}
	}
}
