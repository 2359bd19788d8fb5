package ingest

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"tidemark/internal/scan"
	"tidemark/model"
)

// unresolved stands for every address that no symbol was found for, so that
// equal stacks stay equal wherever a library was loaded.
const unresolved = "0x…"

// A frameText is a frame as a sampler writes it, taken apart.
type frameText struct {
	function, file []byte
	line           int32
	whole          bool // has a file, so it is a frame by itself and no piece of a name
	native         bool
}

// splitFrame takes "name (file:line)" or "name (file)" apart. Names and files
// may hold blanks and brackets, so the file is what the last bracket closes.
// Text of another shape is a name.
func splitFrame(b []byte) frameText {
	open := fileBracket(b)
	if open < 0 {
		return splitColons(b)
	}
	f := frameText{function: b[:open-1], file: b[open+1 : len(b)-1], whole: true}
	if i := bytes.LastIndexByte(f.file, ':'); i > 0 {
		if n, ok := scan.Int(f.file[i+1:]); ok && n >= 0 && n < 1<<31 && f.file[i+1] != '+' {
			f.file, f.line = f.file[:i], int32(n)
		}
	}
	f.native = nativeFile(f.file, f.line) || isAddress(f.function)
	return f
}

// fileBracket returns where the bracket with the file opens, -1 where none does.
func fileBracket(b []byte) int {
	if len(b) < 4 || b[len(b)-1] != ')' {
		return -1
	}
	depth := 0
	for i := len(b) - 1; i > 1; i-- {
		switch b[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 && b[i-1] == ' ' {
				return i
			}
		}
	}
	if i := bytes.LastIndex(b, []byte(" (")); i > 0 {
		return i + 1
	}
	return -1
}

// splitColons takes apart the frames of other writers of Python stacks:
// "file.py:name:line" and "file.py:line:name", and "file.py(line):_name" as
// torch's export_stacks writes it.
func splitColons(b []byte) frameText {
	file, rest, ok := bytes.Cut(b, []byte(".py:"))
	if ok {
		file = b[:len(file)+3]
		first, second, two := bytes.Cut(rest, []byte{':'})
		if n, ok := scan.Int(second); two && ok && n >= 0 && n < 1<<31 {
			return frameText{function: first, file: file, line: int32(n), whole: true}
		}
		if n, ok := scan.Int(first); two && ok && n >= 0 && n < 1<<31 {
			return frameText{function: second, file: file, line: int32(n), whole: true}
		}
	}
	if file, line, name, ok := torchFrame(b); ok {
		return frameText{function: name, file: file, line: line, whole: true}
	}
	return frameText{function: withoutObject(b), native: isAddress(b)}
}

// torchFrame takes "file(line):_name" apart.
func torchFrame(b []byte) (file []byte, line int32, name []byte, ok bool) {
	head, name, ok := bytes.Cut(b, []byte("):_"))
	i := bytes.LastIndexByte(head, '(')
	if !ok || i <= 0 {
		return nil, 0, nil, false
	}
	n, ok := scan.Int(head[i+1:])
	return head[:i], int32(n), name, ok && n >= 0 && n < 1<<31
}

// isAddress reports whether a name is a bare address.
func isAddress(b []byte) bool { return len(b) > 2 && addressLen(b) == len(b) }

// addressLen is the length of the address that b begins with, 0 for none.
func addressLen(b []byte) int {
	if len(b) < 3 || b[0] != '0' || b[1] != 'x' {
		return 0
	}
	for i := 2; i < len(b); i++ {
		if c := b[i]; c-'0' > 9 && c-'a' > 5 && c-'A' > 5 {
			if i == 2 {
				return 0
			}
			return i
		}
	}
	return len(b)
}

// nativeFile tells machine code from Python by the file alone: Python names
// its sources with .py or in angle brackets, or gives a line; a shared object
// has no line, and a debugged one has a line in C or the like.
func nativeFile(file []byte, line int32) bool {
	name := string(file[bytes.LastIndexByte(file, '/')+1:])
	if strings.HasPrefix(name, "<") {
		return false
	}
	ext := name[strings.LastIndexByte(name, '.')+1:]
	switch ext {
	case "py", "pyw", "pyx", "pxd", "pxi", "ipynb":
		return false
	case "c", "cc", "cpp", "cxx", "cu", "cuh", "h", "hh", "hpp", "hxx", "rs", "go", "s", "S", "inc", "inl":
		return true
	}
	return line == 0 && len(file) > 0
}

// frame interns a frame. A Python file keeps what lies under its library
// directory, a shared object its base name.
func (f frameText) frame(pool *model.Strings) model.Frame {
	out := model.Frame{Line: f.line, Native: f.native}
	if isAddress(f.function) {
		out.Function = pool.Code(unresolved)
	} else {
		out.Function = pool.CodeBytes(valid(f.function))
	}
	file := f.file
	if f.native {
		file = file[bytes.LastIndexByte(file, '/')+1:]
	} else {
		file = underLibrary(file)
	}
	out.File = pool.CodeBytes(valid(file))
	return out
}

// underLibrary cuts a Python file's name as py-spy does without --full-filenames.
func underLibrary(file []byte) []byte {
	if len(file) == 0 || file[0] != '/' {
		return file
	}
	for _, dir := range []string{"/site-packages/", "/dist-packages/"} {
		if i := bytes.LastIndex(file, []byte(dir)); i >= 0 {
			return file[i+len(dir):]
		}
	}
	i := bytes.LastIndex(file, []byte("/lib/python3."))
	if i < 0 {
		return file
	}
	rest := file[i+len("/lib/python3."):]
	if k := bytes.IndexByte(rest, '/'); k > 0 && k <= 3 {
		return rest[k+1:]
	}
	return file
}

// valid returns b with a mark in place of what is not UTF-8.
func valid(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}
