package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// PySpySVG is the flame graph that plain py-spy record draws, by way of inferno.
var PySpySVG = &Format{
	Name:     "py-spy-svg",
	Doc:      "flame graph of py-spy record without -f, or of inferno",
	Detect:   detectPySpySVG,
	Parse:    parsePySpySVG,
	Document: true,
}

func detectPySpySVG(_ string, head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if !bytes.HasPrefix(head, []byte("<?xml")) && !bytes.HasPrefix(head, []byte("<svg")) {
		return false
	}
	return bytes.Contains(head, []byte("<svg")) && (bytes.Contains(head, []byte("jonhoo/inferno")) ||
		bytes.Contains(head, []byte("Flame graph stack visualization")) || bytes.Contains(head, []byte(`id="frames"`)))
}

// A svgBox is one frame as drawn: n samples, w of them from x on, in the row at y.
type svgBox struct {
	name string
	n    float64
	x, w int64
	y    float64
	laid bool // x and w are given in samples
	off  int
	line int32
}

func parsePySpySVG(src *Source, out *model.RunBuilder) error {
	doc, err := src.All()
	if err == nil {
		p := &svgParser{out: out, doc: doc, line: lineCounter{b: doc, line: 1}}
		err = p.document()
	}
	if err != nil {
		out.File.Rejected = out.File.Lines - out.File.Claimed
		return err
	}
	out.File.Claimed = out.File.Lines
	return nil
}

type svgParser struct {
	out     *model.RunBuilder
	doc     []byte
	boxes   []svgBox
	capture model.Capture
	line    lineCounter
}

func (p *svgParser) document() error {
	p.capture.Writer = "flame graph svg"
	if title := svgTitle(p.doc); strings.HasPrefix(title, "py-spy ") || strings.Contains(title, "/py-spy ") {
		p.capture.Writer, p.capture.Args = "py-spy svg", title
		p.capture.Rate = argsRate(title)
	}
	if err := p.find(); err != nil {
		return err
	}
	laid := len(p.boxes) > 0
	for _, b := range p.boxes {
		laid = laid && b.laid
	}
	switch {
	case bytes.Count(p.doc, []byte(`<text id="title"`)) > 1:
		return errors.New("several drawings in one file, want each in its own")
	case len(p.boxes) == 0:
		return errors.New(`no frame titles, want "NAME (12 samples, 3.4%)"`)
	case laid:
		p.rebuild()
		p.out.File.Note("stacks are rebuilt from a drawing: frames too narrow to be drawn count for the frame that called them")
	default:
		p.totals()
		p.out.File.Note("a drawing that gives totals by frame, no stacks")
	}
	p.out.Stacks.Captures = append(p.out.Stacks.Captures, p.capture)
	return nil
}

// find collects the boxes: a title, and the rectangle after it.
func (p *svgParser) find() error {
	const open, end = "<title>", "</title>"
	for at := 0; ; {
		i := bytes.Index(p.doc[at:], []byte(open))
		if i < 0 {
			return nil
		}
		from := at + i + len(open)
		k := bytes.Index(p.doc[from:], []byte(end))
		if k < 0 {
			return nil
		}
		at = from + k + len(end)
		b, err := svgBoxTitle(html.UnescapeString(string(valid(p.doc[from : from+k]))))
		if err != nil {
			return fmt.Errorf("line %d: %w", p.line.at(from), err)
		}
		if b.name == "" {
			continue
		}
		b.off, b.line = from, int32(p.line.at(from))
		b.place(p.doc[at:])
		p.boxes = append(p.boxes, b)
	}
}

// svgBoxTitle reads "main (a.py:3) (1,234 samples, 5.6%)"; any other title is no box.
func svgBoxTitle(s string) (b svgBox, err error) {
	open := strings.LastIndex(s, " (")
	if open <= 0 || !strings.HasSuffix(s, "%)") {
		return b, nil
	}
	count, share, ok := strings.Cut(s[open+2:], ", ")
	number, unit, _ := strings.Cut(count, " ")
	n, digits := scan.Float([]byte(strings.ReplaceAll(number, ",", "")))
	switch {
	case !ok || !digits || n < 0:
		return b, nil
	case strings.Contains(share, ";"):
		return b, errors.New("a differential flame graph, want that of one capture")
	case unit != "samples":
		return b, fmt.Errorf("a flame graph of %q, want one of samples", unit)
	}
	return svgBox{name: s[:open], n: n}, nil
}

// place reads the rectangle that follows a title.
func (b *svgBox) place(rest []byte) {
	rest = rest[:min(len(rest), 1024)]
	i := bytes.Index(rest, []byte("<rect "))
	if next := bytes.Index(rest, []byte("<title>")); i < 0 || next >= 0 && next < i {
		return
	}
	tag, _, ok := bytes.Cut(rest[i:], []byte{'>'})
	x, okX := scan.Int(svgAttribute(tag, "fg:x"))
	w, okW := scan.Int(svgAttribute(tag, "fg:w"))
	y, okY := scan.Float(svgAttribute(tag, "y"))
	if ok && okX && okW && okY && x >= 0 && w > 0 && x < 1<<53 && w < 1<<53 {
		b.x, b.w, b.y, b.laid = x, w, y, true
	}
}

func svgAttribute(tag []byte, name string) []byte {
	_, rest, ok := bytes.Cut(tag, []byte(" "+name+`="`))
	value, _, ended := bytes.Cut(rest, []byte{'"'})
	if !ok || !ended {
		return nil
	}
	return value
}

// svgTitle returns the drawing's heading, which py-spy makes its command line.
func svgTitle(doc []byte) string {
	_, rest, ok := bytes.Cut(doc, []byte(`<text id="title"`))
	_, rest, ok2 := bytes.Cut(rest, []byte{'>'})
	text, _, ok3 := bytes.Cut(rest, []byte("</text>"))
	if !ok || !ok2 || !ok3 {
		return ""
	}
	return html.UnescapeString(string(valid(text)))
}

// argsRate returns the rate in a py-spy command line, 0 where it is not given.
func argsRate(args string) float64 {
	words := strings.Fields(args)
	for i, w := range words {
		if w == "--" {
			break
		}
		value, ok := strings.CutPrefix(w, "--rate=")
		if (w == "-r" || w == "--rate") && i+1 < len(words) {
			value, ok = words[i+1], true
		}
		if rate, digits := scan.Float([]byte(value)); ok && digits && rate > 0 {
			return rate
		}
	}
	return 0
}
