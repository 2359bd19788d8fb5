package model

// A recordMap says which rows are of one record: those next to each other from its first
// one on.
type recordMap struct {
	from []uint16 // the first row of each record
}

// of returns the record of a row. Records are about as long as each other, so that it looks
// first where the row would stand then.
func (m *recordMap) of(row int) int {
	last := len(m.from) - 1
	top := int(m.from[last])
	if row >= top {
		return last
	}
	guess := row * last / top
	lo, hi := max(guess-8, 0), min(guess+8, last)
	if int(m.from[lo]) > row || int(m.from[hi]) <= row {
		lo, hi = 0, last
	}
	for lo+1 < hi { // the record is lo or one between it and hi
		if mid := (lo + hi) / 2; int(m.from[mid]) <= row {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// end returns the row behind a record, in a batch of n rows.
func (m *recordMap) end(record, n int) int {
	if record+1 < len(m.from) {
		return int(m.from[record+1])
	}
	return n
}

// gather sets dst, with one entry a row, to the cell of its record.
func gather[T any](dst, cells []T, m *recordMap) {
	for k, v := range cells[:len(m.from)] {
		for r := int(m.from[k]); r < m.end(k, len(dst)); r++ {
			dst[r] = v
		}
	}
}
