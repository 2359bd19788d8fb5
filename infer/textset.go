package infer

import "tidemark/model"

// A textSet tells which codes stand for texts of a kind. Each text is looked at once.
type textSet struct {
	run   *model.Run
	is    func(text string) bool
	known []textState // by code
}

type textState uint8

const (
	textNew textState = iota
	textIn
	textOut
)

func newTextSet(run *model.Run, is func(text string) bool) *textSet {
	return &textSet{run, is, make([]textState, run.Strings.Len())}
}

func (s *textSet) has(code int32) bool {
	state := &s.known[code]
	if *state == textNew {
		if *state = textOut; s.is(s.run.Text(code)) {
			*state = textIn
		}
	}
	return *state == textIn
}
