package ingest

import (
	"errors"
	"fmt"

	"tidemark/internal/archive"
	"tidemark/model"
)

// A reading is how a file is read.
type reading struct {
	format *Format
	unwrap *wrapping // of lines with a container's stamp, else nil
	cut    *hardWrap // of lines that a terminal has cut, else nil
	under  binding   // of rows whose header is not in the file
}

// errWaits says that what a file is may stand in another one.
var errWaits = errors.New("waits for its columns")

// errFault is a panic of a format's own code.
var errFault = errors.New("internal error")

// recognise decides how a file is read by its path and its first bytes, under the same guard
// as parse.
func (r *reader) recognise(m archive.Member, f *model.File, head []byte) (how reading, err error) {
	defer func() {
		if p := recover(); p != nil {
			how, err = reading{}, fmt.Errorf("%w while its format was looked for: %v", errFault, p)
		}
	}()
	name := unpackedName(m.Path)
	how.format, how.unwrap, err = detectInside(name, head)
	if headless(how.format, head) {
		if r.wait(m, f) {
			return how, errWaits
		}
		if under, ok := r.columns(f.Path, how.format, head); ok {
			return reading{format: under.format, under: under}, nil
		}
	}
	if how.unwrap == nil {
		how.format, how.cut = detectHardWrap(name, head, how.format)
	}
	if how.format != nil {
		err = nil
	}
	return how, err
}

// parseAs reads the whole file, or what a pipe gives of it.
func (r *reader) parseAs(how *reading, src *Source, out *model.RunBuilder) error {
	src.Header = how.under.header
	if how.unwrap != nil {
		src.unwrap = how.unwrap.take
	}
	if how.cut != nil {
		lines := &rejoiner{hardWrap: *how.cut, lr: src.plain, file: out.File}
		defer lines.note()
		src.lr, src.plain = lines, nil
	}
	return r.parse(how.format, src, out)
}

// note says what the reader of a file should know of that. It comes last, since
// reading a file again forgets its notes.
func (how *reading) note(f *model.File) {
	if how.unwrap != nil {
		f.Note(how.unwrap.note)
	}
	if how.under.note != "" {
		f.Note(how.under.note)
	}
}
