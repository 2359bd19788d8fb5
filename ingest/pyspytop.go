package ingest

import (
	"bytes"
	"errors"
	"fmt"

	"tidemark/internal/scan"
	"tidemark/model"
)

// PySpyTop is the table of py-spy top, pasted or taken with script. It counts
// from the start of py-spy, so the last table of a file holds all that the
// earlier ones do. It gives totals by function; there are no stacks in it.
var PySpyTop = &Format{
	Name:   "py-spy-top",
	Doc:    "table of py-spy top: own and total time by function",
	Record: "py-spy record is better: it keeps the stacks; else copy the screen of py-spy top --pid PID",
	Detect: func(name string, head []byte) bool { return ownTotalTable(head) >= 0 && !detectTrainLog(name, head) },
	Parse:  parsePySpyTop,
}

// ownTotalTable returns where the header of the table ends, -1 where there is none
// with a row below it.
func ownTotalTable(head []byte) int {
	if !bytes.Contains(head, []byte("%Own")) {
		return -1
	}
	for off := 0; off < len(head); {
		line, _, _ := bytes.Cut(head[off:], []byte{'\n'})
		off += len(line) + 1
		if !ownTotalHeader(trimPlain(line)) {
			continue
		}
		for n := off; n < len(head); {
			row, _, _ := bytes.Cut(head[n:], []byte{'\n'})
			n += len(row) + 1
			if row = trimPlain(row); len(row) == 0 {
				continue
			}
			if _, ok := ownTotalRow(row); ok {
				return off
			}
			break
		}
	}
	return -1
}

func ownTotalHeader(line []byte) bool {
	return bytes.Contains(line, []byte("%Own")) && bytes.Contains(line, []byte("%Total")) &&
		bytes.Contains(line, []byte("OwnTime")) && bytes.Contains(line, []byte("TotalTime"))
}

// ownTotalRow reads "35.00%  35.00%    4.20s     4.20s   forward (linear.py:134)"
// and returns the frame with its own time.
func ownTotalRow(line []byte) (r ownTotal, ok bool) {
	rest := line
	for i := range 4 {
		rest = bytes.TrimLeft(rest, " \t")
		cell, after, _ := bytes.Cut(rest, []byte{' '})
		end := byte('%')
		if i >= 2 {
			end = 's'
		}
		if len(cell) < 2 || cell[len(cell)-1] != end {
			return r, false
		}
		v, digits := scan.Float(cell[:len(cell)-1])
		if !digits || v < 0 {
			return r, false
		}
		if i == 2 {
			r.own = v
		}
		rest = after
	}
	r.text = bytes.TrimSpace(rest)
	return r, len(r.text) > 0
}

// lockHeader reads "GIL: 45.00%, Active: 100.00%, Threads: 4": of the time
// since the screen before, how much some thread held the interpreter lock.
func lockHeader(line []byte) (share float64, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("GIL: "))
	if !ok {
		return 0, false
	}
	cell, rest, ok := bytes.Cut(rest, []byte{'%'})
	share, digits := scan.Float(cell)
	return share / 100, ok && digits && share >= 0 && share <= 100 && bytes.HasPrefix(rest, []byte(", Active: "))
}

type ownTotal struct {
	text []byte
	own  float64 // s
}

func parsePySpyTop(src *Source, out *model.RunBuilder) error {
	p := &topScreen{src: src, out: out}
	for {
		line, ok := src.Next()
		if !ok {
			break
		}
		p.line(trimPlain(line))
	}
	if src.Err() != nil {
		return src.Err()
	}
	return p.finish()
}

// A topScreen keeps the rows of the table in work.
type topScreen struct {
	src     *Source
	out     *model.RunBuilder
	tables  int
	held    float64 // sum of the shares in which the lock was held
	screens int     // that show it
	open    bool
	samples []model.Sample
	before  []model.Sample // of the table before
	native  bool
}

func (p *topScreen) line(line []byte) {
	if ownTotalHeader(line) {
		p.tables++
		p.open, p.before, p.samples = true, p.samples, nil
		p.out.Claim(1)
		return
	}
	if share, ok := lockHeader(line); ok {
		p.held += share
		p.screens++
		p.open = false
		p.out.Claim(1)
		return
	}
	r, ok := ownTotalRow(line)
	if !ok || !p.open {
		p.out.Skip(1)
		return
	}
	p.out.Claim(1)
	if r.own <= 0 {
		return
	}
	f := splitFrame(r.text)
	p.native = p.native || f.native
	stack := p.out.Stacks.Set.Stack([]int32{p.out.Stacks.Set.Frame(f.frame(p.out.Strings))})
	p.samples = append(p.samples, model.Sample{Stack: stack, Seconds: r.own, Line: int32(p.src.Line()), Byte: p.src.Offset()})
}

func (p *topScreen) finish() error {
	if p.tables == 0 {
		return errors.New("no table of py-spy top, want %Own %Total OwnTime TotalTime")
	}
	which := "last one"
	if 2*len(p.samples) < len(p.before) {
		p.samples, which = p.before, "one taken"
		p.out.File.Note("the last table was cut, or its rows were: the one before it is taken")
	}
	if len(p.samples) == 0 {
		p.out.File.Note("no function has time of its own: an idle process, or a screen copied too early")
		return nil
	}
	th := p.out.Stacks.Thread(model.StackThread{})
	for _, s := range p.samples {
		s.Thread = th
		p.out.Stacks.Add(s)
	}
	p.out.Stacks.Captures = append(p.out.Stacks.Captures, model.Capture{Writer: "py-spy top", Native: p.native, Totals: true, Held: p.held / float64(max(p.screens, 1)), Screens: p.screens})
	p.out.File.Note("a table that gives totals by function, of the rows that fitted the screen: no stacks, no threads")
	if p.tables > 1 {
		p.out.File.Note(fmt.Sprintf("%d tables of one session: the %s counts all that those before it do", p.tables, which))
	}
	return nil
}
