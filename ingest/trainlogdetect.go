package ingest

import (
	"bytes"

	"tidemark/model"
)

// detectTrainLog claims text in which lines look like records of a log: a time
// and a level, or pairs under names of the field. In a file without times
// three lines must be of one template, which no source code, settings file or
// table offers.
func detectTrainLog(_ string, head []byte) bool {
	if len(head) == 0 || isBinary(head) || isDocument(head) {
		return false
	}
	d := gatherLog(head)
	return d.enough()
}

// gatherLog looks at the lines of a head.
func gatherLog(head []byte) *logEvidence {
	d := &logEvidence{p: newLogParser(nil, model.NewRunBuilder(&model.File{})), templates: map[int32]int{}}
	whole := len(head) < model.HeadSize
	for n := 0; len(head) > 0 && n < 2000; n++ {
		i := bytes.IndexByte(head, '\n')
		if i < 0 {
			if !whole && n > 0 {
				break // cut by the end of what detection sees
			}
			i = len(head)
		}
		if n < everyLine || n%16 == 0 { // a sample of the rest tells as much
			d.line(bytes.TrimRight(head[:i], "\r"))
		}
		head = head[min(i+1, len(head)):]
	}
	return d
}

// everyLine: so many lines are looked at one by one; of those after them, one
// in sixteen.
const everyLine = 64

// isDocument reports whether text begins as JSON, XML or HTML do.
func isDocument(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] == '<' {
		return true
	}
	if head[0] != '{' && head[0] != '[' {
		return false
	}
	rest := bytes.TrimLeft(head[1:], " \t\r\n")
	if len(rest) == 0 {
		return true
	}
	return rest[0] == '"' || rest[0] == '{' || head[0] == '{' && rest[0] == '}' || head[0] == '[' && rest[0] == '['
}

// logEvidence is what speaks for a log in the lines seen so far.
type logEvidence struct {
	p         *logParser
	lines     int // with text
	stamped   int // with a time, and a level or pairs of the field
	records   int // with pairs of the field
	bars      int
	foreign   int           // that other formats write
	templates map[int32]int // records by template
	repeated  bool          // three records of one template
}

// line looks at a line, or at the first texts that carriage returns have put over
// one another in it: a bar may be all that a file holds.
func (d *logEvidence) line(line []byte) {
	for range everyLine {
		text, rest, more := bytes.Cut(line, []byte{'\r'})
		if d.text(text); !more {
			return
		}
		line = rest
	}
}

func (d *logEvidence) text(line []byte) {
	if bytes.IndexByte(line, 0x1b) >= 0 {
		line = unescape(nil, line)
	}
	line = line[:min(len(line), maxShape)]
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	d.lines++
	_, end, _, form := leadStamp(&d.p.stamp, line)
	s := d.p.find(line, end, form)
	if s == nil {
		if isForeign(line) {
			d.foreign++
			return
		}
		s = d.p.compile(line, end, form)
		d.p.keep(s, line, end)
	}
	known := d.known(s)
	stamp := s.form > 0 || s.stamp != stampNone && s.stamp != stampBar
	if stamp && (s.level != 0 || known) {
		d.stamped++
	}
	if s.bar {
		d.bars++
	}
	if known || s.bar {
		d.records++
		d.templates[s.code]++
		d.repeated = d.repeated || d.templates[s.code] >= 3
	}
}

// known reports whether a line has a step and a number, or a number under a
// canonical name.
func (d *logEvidence) known(s *logShape) bool {
	if s.counts && len(s.fields) > 0 || s.depth >= 0 {
		return true
	}
	for i := range s.fields {
		if canonicalKeys[d.p.out.Strings.At(s.fields[i].key)] {
			return true
		}
	}
	return false
}

// canonicalKeys are the values of logKeys.
var canonicalKeys = func() map[string]bool {
	m := map[string]bool{}
	for _, v := range logKeys {
		m[v] = true
	}
	return m
}()

// enough weighs the evidence. A short file needs less of it.
func (d *logEvidence) enough() bool {
	if d.lines == 0 || 2*d.foreign > d.lines {
		return false
	}
	need := min(3, 1+d.lines/3)
	return d.stamped >= need && 20*d.stamped >= d.lines || d.repeated && 10*d.records >= d.lines || d.bars >= 3
}

// isForeign reports whether a line is of a kind that other formats write:
// cells of CSV, a collapsed stack, a table drawn with lines, a comment, a
// sampler's message.
func isForeign(line []byte) bool {
	text := bytes.TrimSpace(line)
	switch {
	case text[0] == '#' && (len(text) < 3 || text[1] != '#' && !isLetter(text[1])):
		return true
	case text[0] == '+' && bytes.HasPrefix(text, []byte("+---")):
		return true
	case bytes.IndexByte(text, ';') > 0 && isDigit(text[len(text)-1]) && bytes.IndexByte(text, '=') < 0:
		return true
	}
	return isColumns(text) || samplerLine(line, &model.SamplerNote{})
}

// isColumns reports whether most words of a line are numbers without a key.
func isColumns(text []byte) bool {
	words, numbers, keys := 0, 0, 0
	for _, w := range bytes.Fields(text) {
		if w[len(w)-1] == ':' {
			keys++
		}
		n, ok := logNumberAt(w, 0)
		words++
		if ok && n.to == len(w) || len(w) == 1 && w[0] == '-' {
			numbers++
		}
	}
	return numbers >= 5 && 2*numbers > words && keys < 2 && bytes.IndexByte(text, '=') < 0
}
