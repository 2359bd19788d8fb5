package ingest

import (
	"slices"

	"tidemark/model"
)

// burstGap, in ns, is longer than nvidia-smi takes from one GPU of a reading
// to the next: 0 to 10 ms in recordings. It serves only to find the period.
const burstGap = int64(50e6)

// firstBursts is how many bursts tell how many GPUs there are: all of them are
// there in the beginning, but for a first burst that is cut or slow.
const firstBursts = 5

// A burstRow is one row of a table and its time.
type burstRow struct {
	b   *model.Batch
	row int
	t   int64
}

// numberBursts gives an index to the rows [from, to) of a table by their order
// within each burst: the rows of one reading of all GPUs, which lie closer
// together than half the period. It returns how many rows a whole burst has,
// 0 where that cannot be told, and the first row of the first burst that has
// another number, -1 if there is none. Such bursts get no index, for nobody
// can say which GPU they lack.
func numberBursts(t *model.Table, from, to int) (size, odd int) {
	bursts := cutBursts(burstRows(t, from, to))
	if len(bursts) < 2 {
		return 0, -1
	}
	for _, rows := range bursts[:min(len(bursts), firstBursts)] {
		size = max(size, len(rows))
	}
	odd = -1
	for i, rows := range bursts {
		switch {
		case len(rows) == size, i == len(bursts)-1 && len(rows) < size:
			for k, r := range rows {
				r.b.PutInt(model.GPUIndex, r.row, int64(k))
			}
		case odd < 0 && i > 0: // the file may well begin within a burst
			odd = from
		}
		from += len(rows)
	}
	return size, odd
}

// burstRows returns the rows [from, to) of a table.
func burstRows(t *model.Table, from, to int) []burstRow {
	rows := make([]burstRow, 0, to-from)
	at := 0
	for _, b := range t.Batches {
		for r := max(0, from-at); r < min(b.Rows(), to-at); r++ {
			ns, _ := b.Int(model.GPUT, r)
			rows = append(rows, burstRow{b, r, ns})
		}
		at += b.Rows()
	}
	return rows
}

// cutBursts parts rows where the time between two is over half the median
// period, or the clock was set back; nil where no period is seen.
func cutBursts(rows []burstRow) [][]burstRow {
	var steps []int64
	for i := 1; i < len(rows); i++ {
		if d := rows[i].t - rows[i-1].t; d > burstGap {
			steps = append(steps, d)
		}
	}
	if len(steps) == 0 {
		return nil
	}
	slices.Sort(steps)
	half := steps[(len(steps)-1)/2] / 2
	var bursts [][]burstRow
	begin := 0
	for i := 1; i <= len(rows); i++ {
		if i == len(rows) || rows[i].t-rows[i-1].t > half || rows[i-1].t-rows[i].t > half {
			bursts = append(bursts, rows[begin:i])
			begin = i
		}
	}
	return bursts
}
