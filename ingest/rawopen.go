package ingest

import "tidemark/model"

// maxOpenLines is how many lines one record may take.
const maxOpenLines = 64

// A rawOpen is a record whose process row is not closed on its first line:
// command lines are printed as they are, with the line feeds of "python -c".
type rawOpen struct {
	text []byte
	rawPlace
}

// begin keeps a line that may go on with the next.
func (p *rawParser) begin(line []byte, at rawPlace) bool {
	if at.lines > 1 {
		return false
	}
	if _, closed := rowsEnd(line, false); closed {
		return false
	}
	p.open = rawOpen{append(p.open.text[:0], line...), at}
	return true
}

// more adds a line to the open record, and reads the record once it is closed.
func (p *rawParser) more(line []byte) {
	if processPrefix(line) > 0 || p.open.lines >= maxOpenLines || len(p.open.text)+len(line) > model.MaxStackLine {
		p.drop()
		p.record(line, rawPlace{int32(p.src.Line()), p.src.Offset(), 1}, rawLook{})
		return
	}
	p.open.text = append(append(p.open.text, '\n'), line...)
	p.open.lines++
	stack, _, wrong := splitCount(p.open.text)
	if wrong != "" {
		return
	}
	if _, closed := rowsEnd(stack, true); closed {
		at := p.open.rawPlace
		p.open.lines = 0
		p.record(p.open.text, at, rawLook{})
	}
}

// drop rejects the open record, which nothing closed.
func (p *rawParser) drop() {
	if p.open.lines > 0 {
		at := p.open.rawPlace
		p.open.lines = 0
		p.reject(at, `a process row without its closing quote, want process PID:"COMMAND";`, p.open.text)
	}
}
