package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// absent notes why a reading is missing, each reason of a column once.
func (p *smiRows) absent(col *smiColumn, b []byte) {
	if col.class < smiShare || len(p.out.File.Notes) >= model.MaxWarnings || col.noted && bytes.Equal(col.reason, b) {
		return
	}
	col.noted, col.reason = true, append(col.reason[:0], b...)
	reason := "empty cells"
	if len(b) > 0 {
		reason = clip(b)
	}
	p.out.File.Note(col.name + ": " + reason + ", taken as missing")
}

// complain warns of the bad cells of a row that was read.
func (p *smiRows) complain(s *smiSlot, line []byte, first int) {
	for k := first; k < len(p.cols); k++ {
		if c := s.cells[k]; c.state >= smiBad {
			cell := scan.Trim(line[c.from : c.from+c.n])
			p.src.warn("%s %q in cell %d, want %s", p.cols[k].name, clip(cell), k+1, p.cols[k].class.wish())
		}
	}
}
