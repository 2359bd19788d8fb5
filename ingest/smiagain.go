package ingest

import (
	"bytes"
	"encoding/binary"

	"tidemark/model"
)

// An smiStep is how the cells of a column are read where there was an earlier row.
type smiStep struct {
	memo  *smiMemo // nil for none
	end   int      // of the columns from here on that rarely change, 0 if only one
	fresh bool     // they are hardly ever those of the row before
}

// stepsOf tells how columns are read. Where two or more begin that rarely change, their
// cells are compared at once; the last column is never among them.
func stepsOf(cols []smiColumn) []smiStep {
	steps := make([]smiStep, len(cols))
	end := len(cols) - 1
	for k := end - 1; k >= 0; k-- {
		switch {
		case !cols[k].steady():
			end = k
		case end-k > 1:
			steps[k].end = end
		}
	}
	for k := range cols {
		c := &cols[k]
		steps[k].fresh = c.class == smiTime
		if c.class >= smiShare && c.class != smiMask && c.col >= 0 && !c.steady() {
			steps[k].memo = &smiMemo{}
		}
	}
	return steps
}

// steady reports whether a column rarely changes.
func (c *smiColumn) steady() bool {
	switch c.class {
	case smiOther, smiUUID, smiBus, smiIndex:
		return true
	}
	return c.col == model.GPUMemTotal || c.col == model.GPUPowerLimit
}

// again is split of all columns where the slot has an earlier row: only cells that are
// new in this one are read. The row may have more text behind it, from a line end on. n is
// how long it is where it is ok.
func (p *smiRows) again(s *smiSlot, text []byte) (n int, bad, ok bool) {
	cells, old := s.cells, s.line
	last := len(cells) - 1
	steps := p.steps[:len(cells)]
	at, was := 0, 0 // the cell in this row, and in the earlier one
	p.rows++
	for k := 0; k < last; k++ {
		if steps[k].memo != nil {
			if k, at, was = p.recall(cells[:last], text, k, at, was); k == last {
				break
			}
		}
		c, step := &cells[k], &steps[k]
		if step.end > 0 {
			if n := s.sameBlock(k, step.end, text[at:], old[was:]); n > 0 {
				k, at, was = step.end-1, at+n+1, was+n+1
				continue
			}
		}
		n := int(c.n)
		if k == p.time && p.sameTime(text[at:]) {
			n = len(p.last)
		} else if step.fresh || !sameCell(text[at:], old[was:], n) {
			if n = p.cell(k, c, text[at:]); n < 0 {
				return 0, bad, false
			}
			bad = bad || c.state >= smiBad
			p.learn(step.memo, c, n)
		}
		was += int(c.n) + 1
		if c.n != int32(n) {
			c.n = int32(n)
			s.resized(steps, k)
		}
		if at += n; at == len(text) || text[at] != ',' {
			return 0, bad, false
		}
		at++
	}
	more, ok := p.lastAgain(&cells[last], text[at:], old[was:])
	return at + more, bad || cells[last].state >= smiBad, ok
}

// lastAgain is again of the last cell, which rest begins with.
func (p *smiRows) lastAgain(c *smiCell, rest, old []byte) (n int, ok bool) {
	n = int(c.n)
	if len(rest) >= n && string(rest[:n]) == string(old[:n]) && (len(rest) == n || lineEnd(rest[n:]) > 0) {
		return n, true
	}
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = bytes.TrimSuffix(rest[:end], []byte{'\r'})
	}
	n = p.cell(len(p.cols)-1, c, rest)
	c.n = int32(n)
	return n, n == len(rest)
}

// lineEnd returns how long the line end is that b begins with, 0 for none.
func lineEnd(b []byte) int {
	switch {
	case len(b) > 0 && b[0] == '\n':
		return 1
	case len(b) > 1 && b[0] == '\r' && b[1] == '\n':
		return 2
	}
	return 0
}

// sameCell reports whether b begins with the cell of n bytes that old begins with.
func sameCell(b, old []byte, n int) bool {
	if n < 16 && len(b) >= 16 && len(old) >= 16 { // with the comma behind it
		low := binary.LittleEndian.Uint64(b) ^ binary.LittleEndian.Uint64(old)
		if n < 8 {
			return low<<(8*(7-n)) == 0 && b[n] == ','
		}
		high := binary.LittleEndian.Uint64(b[8:]) ^ binary.LittleEndian.Uint64(old[8:])
		return low|high<<(8*(15-n)) == 0 && b[n] == ','
	}
	return len(b) >= n && (len(b) == n || b[n] == ',') && string(b[:n]) == string(old[:n])
}

// sameBlock reports whether b begins with the cells [k, end) that old begins with, and
// how long they are; 0 if not.
func (s *smiSlot) sameBlock(k, end int, b, old []byte) int {
	n := int(s.cells[k].block)
	if n == 0 {
		n = end - k - 1
		for i := k; i < end; i++ {
			n += int(s.cells[i].n)
		}
		s.cells[k].block = int32(n)
	}
	if len(b) <= n || b[n] != ',' || string(b[:n]) != string(old[:n]) {
		return 0
	}
	return n
}

// resized says that cell k has another length: so has the block that it is in.
func (s *smiSlot) resized(steps []smiStep, k int) {
	for i := k; i == k || i >= 0 && steps[i].end > k; i-- {
		s.cells[i].block = 0
	}
}
