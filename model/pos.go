package model

import "strconv"

// A Pos is a place in an input. Line is 1-based, and 0 in a document that has
// no lines; Byte is the offset in the decompressed, transcoded content.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Byte int64  `json:"-"`
}

// String returns file:line, or file@byte where there are no lines.
func (p Pos) String() string {
	switch {
	case p.Line > 0:
		return p.File + ":" + strconv.Itoa(p.Line)
	case p.Byte > 0:
		return p.File + "@" + strconv.FormatInt(p.Byte, 10)
	}
	return p.File
}

// A SyntaxError is one line that was not read: where it stands, and what was
// wanted there. Reading goes on after it.
type SyntaxError struct {
	Pos Pos
	Msg string
}

func (e *SyntaxError) Error() string { return e.Pos.String() + ": " + e.Msg }
