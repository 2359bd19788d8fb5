package ingest

import (
	"bytes"
	"strings"

	"tidemark/model"
)

// A jsonDocs walks over the JSON objects of a file: one, many behind each
// other as a loop appends them, or the elements of one array. Lines between
// them may tell the time.
type jsonDocs struct {
	jsonCursor
	src     *Source
	out     *model.RunBuilder
	clock   lineClock
	from    int // where the object in work begins
	mark    int // what stands before it in this object was read, even if the rest is broken
	counted int // lines counted
	at      int // byte up to which line counts
	line    int // of at, from 1
	cuts    int // objects that ran to the end of the file
}

// maxCuts is after how many objects that run to the end of the file the rest
// is given up: each costs a pass over it.
const maxCuts = 16

// each calls fn with the cursor before each object; fn must pass over it.
func (d *jsonDocs) each(fn func()) error {
	b, err := d.src.All()
	d.b, d.line = b, 1
	for d.next() != 0 {
		switch d.b[d.i] {
		case '{':
			d.object(fn)
		case '[', ']', ',':
			d.i++
		default:
			d.between()
		}
	}
	d.out.Skip(d.out.File.Lines - d.counted)
	return err
}

// object reads one object. Where it is broken, reading goes on with the next
// one that begins a line.
func (d *jsonDocs) object(fn func()) {
	d.from, d.mark = d.i, d.i
	fn()
	if d.err == nil {
		d.count(d.i, &d.out.File.Claimed)
		return
	}
	if d.mark > d.from {
		d.count(d.mark, &d.out.File.Claimed)
	}
	d.out.Warn(&model.SyntaxError{Pos: d.pos(max(d.mark, d.from)), Msg: d.err.Error()})
	end := len(d.b)
	if strings.HasPrefix(d.err.Error(), "cut short") {
		d.cuts++
	}
	if d.cuts > maxCuts {
		d.out.File.Truncated = true
	} else if k := bytes.Index(d.b[min(d.mark+1, len(d.b)):], []byte("\n{")); k >= 0 {
		end = d.mark + 1 + k + 1
	} else {
		d.out.File.Truncated = true
	}
	d.count(end, &d.out.File.Rejected)
	d.err, d.i = nil, end
}

// between takes a line that is no JSON.
func (d *jsonDocs) between() {
	line := d.b[d.i:]
	if k := bytes.IndexByte(line, '\n'); k >= 0 {
		line = line[:k]
	}
	d.from = d.i
	d.i += len(line)
	line = bytes.TrimRight(line, " \t\r")
	if d.clock.line(line) {
		return
	}
	d.out.Warn(&model.SyntaxError{Pos: d.pos(d.from), Msg: "\"" + clip(line) + "\", want a JSON object"})
	d.count(d.i, &d.out.File.Rejected)
}

// pos returns the place of a byte.
func (d *jsonDocs) pos(off int) model.Pos {
	return model.Pos{File: d.out.File.Path, Line: d.lineAt(off), Byte: int64(off)}
}

// lineAt returns the line of a byte; bytes are asked for in rising order.
func (d *jsonDocs) lineAt(off int) int {
	if off < d.at {
		return max(1, d.line-bytes.Count(d.b[off:d.at], []byte{'\n'}))
	}
	d.line += bytes.Count(d.b[d.at:off], []byte{'\n'})
	d.at = off
	return d.line
}

// count adds the lines that begin before a byte, and were not counted yet, to n.
func (d *jsonDocs) count(off int, n *int) {
	line := d.lineAt(max(off-1, 0))
	if line > d.counted {
		first := d.counted + 1
		if at := d.lineAt(d.from); at > first { // blank lines before the object
			d.out.Skip(at - first)
			first = at
		}
		*n += line - first + 1
		d.counted = line
	}
}

// jsonLines calls fn for each line that holds a JSON object, with the cursor
// before it. fn reports whether the line gave rows. A broken line is rejected.
func jsonLines(src *Source, out *model.RunBuilder, fn func(j *jsonCursor) bool) error {
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		j := &jsonCursor{b: line}
		switch c := j.next(); {
		case c == 0:
			out.Skip(1)
		case c != '{':
			src.Reject("%q, want a JSON object", clip(line))
		default:
			jsonLine(src, out, j, fn)
		}
	}
}

func jsonLine(src *Source, out *model.RunBuilder, j *jsonCursor, fn func(j *jsonCursor) bool) {
	whole := jsonCursor{b: j.b}
	if whole.skip(); whole.err != nil {
		src.Reject("%v", whole.err)
		return
	}
	rejected := out.File.Rejected
	gave := fn(j)
	switch {
	case out.File.Rejected > rejected:
	case j.err != nil:
		src.Reject("%v", j.err)
	case gave:
		out.Claim(1)
	default:
		out.Skip(1)
	}
}

// jsonOpening is how much of a document shows which it is: the names that tell
// stand before its lists, or in the first entry of one.
const jsonOpening = 16 << 10

// jsonOpens reports whether the opening of a document has a text.
func jsonOpens(head []byte, text string) bool {
	return bytes.Contains(head[:min(len(head), jsonOpening)], []byte(text))
}

// jsonHead returns the keys of the first object of a file, as far as they stand
// in its opening, each with the first byte of its value; nil where the file does
// not begin with one.
func jsonHead(head []byte) map[string]byte {
	j := jsonCursor{b: head[:min(len(head), jsonOpening)]}
	for c := j.next(); c == '['; c = j.next() {
		j.i++
	}
	if j.next() != '{' {
		return nil
	}
	keys := map[string]byte{}
	j.members(func(key string) {
		if len(keys) < 4096 {
			keys[key] = j.next()
		}
		j.skip()
	})
	return keys
}

// cell passes over a scalar and returns it as it stands, without quotes; nil
// for null, an object or an array.
func (j *jsonCursor) cell() []byte {
	switch c := j.next(); c {
	case '"':
		s, _ := j.raw()
		return s
	case '{', '[':
		j.skip()
		return nil
	}
	from, to := j.span()
	if string(j.b[from:to]) == "null" || string(j.b[from:to]) == "None" {
		return nil
	}
	return j.b[from:to]
}
