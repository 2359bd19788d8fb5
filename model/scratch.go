package model

// A scratch is memory for the batches in work: once a batch is packed, the next one
// is written where it stood. A nil scratch has none to spare.
type scratch struct {
	ints   [][]int64
	floats [][]float64
	codes  [][]int32
	taken  int
	forms  map[*Spec][]uint8 // of each column, how its numbers were packed last
}

func newScratch() *scratch { return &scratch{forms: map[*Spec][]uint8{}} }

func (r *scratch) formsOf(s *Spec) []uint8 {
	if r.forms[s] == nil {
		r.forms[s] = make([]uint8, len(s.Columns)+2)
	}
	return r.forms[s]
}

func (r *scratch) int(n int) []int64 {
	if r == nil {
		return make([]int64, n)
	}
	return take(&r.ints, n, r.stagger(), false)
}

func (r *scratch) float(n int) []float64 {
	if r == nil {
		return make([]float64, n)
	}
	return take(&r.floats, n, r.stagger(), false)
}

func (r *scratch) code(n int) []int32 {
	if r == nil {
		return make([]int32, n)
	}
	return take(&r.codes, n, r.stagger(), true)
}

// stagger returns how many cells to skip, so that columns written row by row do
// not all fall on the same lines of the first cache.
func (r *scratch) stagger() int {
	r.taken++
	return r.taken % 16 * 16
}

// take returns n cells, of 0 where that is wanted: of a Text cell without a value the
// code is handed out, of others nothing is. The last of a list serves small batches as
// well.
func take[T any](list *[][]T, n, skip int, zero bool) []T {
	if k := len(*list) - 1; k >= 0 && n <= BatchRows {
		s := (*list)[k][:n]
		*list = (*list)[:k]
		if zero {
			clear(s)
		}
		return s
	}
	if n > firstBatch && n <= BatchRows {
		return make([]T, BatchRows+skip)[skip : skip+n : skip+BatchRows]
	}
	return make([]T, n)
}

// mostSpare is more columns than any table has.
const mostSpare = 64

// give gives cells back that take has returned. Those of a small batch are not
// worth keeping.
func give[T any](list *[][]T, s []T) []T {
	if cap(s) >= BatchRows && len(*list) < mostSpare {
		*list = append(*list, s)
	}
	return nil
}

// shorten returns the first n cells of what take has returned, and no more memory
// than they need.
func shorten[T any](list *[][]T, s []T, n int) []T {
	if n == cap(s) {
		return s[:n]
	}
	short := append(make([]T, 0, n), s[:n]...)
	give(list, s)
	return short
}
