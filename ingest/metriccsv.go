package ingest

import (
	"bytes"
	"fmt"
	"strings"

	"tidemark/model"
)

// MetricCSV is a table of metrics by step: Lightning's CSVLogger, TensorBoard's
// export, and what others write so. Its first line names the columns; a later
// line of names is another header, as a resumed writer appends it.
var MetricCSV = &Format{
	Name:   "metric-csv",
	Doc:    "CSV of metrics by step or epoch: Lightning metrics.csv, exports of TensorBoard and W&B, own loggers",
	Record: "CSVLogger of Lightning, or any table with a column step",
	Detect: detectMetricCSV,
	Parse:  parseMetricCSV,
}

// detectMetricCSV wants a header with a step or an epoch beside other names,
// and a row of numbers below it.
func detectMetricCSV(_ string, head []byte) bool {
	line, rest, _ := bytes.Cut(head, []byte{'\n'})
	line = trimRight(line)
	if len(line) == 0 || len(line) > 1<<14 || isDocument(head) {
		return false
	}
	sep, ok := metricHeader(line)
	if !ok {
		return false
	}
	if _, _, queue := queueHeader(line); queue && !trainerHeader(line) {
		return false
	}
	row, _, ended := bytes.Cut(rest, []byte{'\n'})
	if row = trimRight(row); len(row) == 0 {
		return !ended && len(rest) == 0 // a header alone
	}
	return metricCells(row, sep, bytes.Count(line, []byte{sep})+1)
}

// metricHeader reports whether a line names columns, among them a step or an
// epoch, and what stands between them.
func metricHeader(line []byte) (sep byte, ok bool) {
	sep = ','
	for _, c := range []byte{'\t', ';'} {
		if bytes.IndexByte(line, c) >= 0 && bytes.IndexByte(line, ',') < 0 {
			sep = c
		}
	}
	counts, n := false, 0
	for cells := (csvCells{rest: line, sep: sep}); cells.next(); n++ {
		c := string(cells.cell)
		if c == "" && n == 0 {
			continue // an index without a name
		}
		if c == "" || !isLetter(c[0]) && c[0] != '_' || len(c) > 200 {
			return sep, false
		}
		low := strings.ToLower(c)
		counts = counts || stepRank(c) > 0 || low == "epoch" || low == "_step"
	}
	return sep, counts && n >= 2
}

// metricCells reports whether a row has as many cells as its header, most of
// them numbers or empty.
func metricCells(row []byte, sep byte, want int) bool {
	n, numbers := 0, 0
	for cells := (csvCells{rest: row, sep: sep}); cells.next(); n++ {
		if _, ok := csvNumber(cells.cell, sep); ok || missing(cells.cell) {
			numbers++
		}
	}
	return n == want && 2*numbers >= n
}

// trainerHeader reports whether columns of a step and of what only a trainer
// logs stand beside those of a queue; a table of workers is the queue's all the same.
func trainerHeader(line []byte) bool {
	sep, ok := metricHeader(line)
	trainer := false
	for cells := (csvCells{rest: line, sep: sep}); cells.next(); {
		name, _, _ := keyName(string(cells.cell))
		trainer = trainer || trainingKeys[logKeys[name]]
		switch queueColumn(name).col {
		case model.QueueHost, model.QueueRole, model.QueueWorker, model.QueueInFlight:
			return false
		}
	}
	return ok && trainer
}

// csvNumber reads a number, with a decimal comma where that separates no cells.
func csvNumber(cell []byte, sep byte) (float64, bool) {
	v, ok := sheetNumber(cell)
	if !ok && sep != ',' {
		return commaFloat(cell)
	}
	return v, ok
}

// csvCells walks over the cells of a line; quoted ones may hold the separator.
type csvCells struct {
	rest []byte
	sep  byte
	cell []byte
	done bool
}

func (c *csvCells) next() bool {
	if c.done {
		return false
	}
	if len(c.rest) > 0 && c.rest[0] == '"' {
		if i := bytes.IndexByte(c.rest[1:], '"'); i >= 0 && (i+2 == len(c.rest) || c.rest[i+2] == c.sep) {
			c.cell = c.rest[1 : i+1]
			c.done = i+2 == len(c.rest)
			c.rest = c.rest[min(i+3, len(c.rest)):]
			return true
		}
	}
	i := bytes.IndexByte(c.rest, c.sep)
	if i < 0 {
		c.cell, c.done = bytes.TrimSpace(c.rest), true
		return true
	}
	c.cell, c.rest = bytes.TrimSpace(c.rest[:i]), c.rest[i+1:]
	return true
}

func parseMetricCSV(src *Source, out *model.RunBuilder) error {
	p := &metricCSV{src: src, sheet: newMetricSheet(out)}
	for {
		line, ok := src.Next()
		if !ok {
			p.late()
			return src.Err()
		}
		p.line(trimRight(line))
	}
}

type metricCSV struct {
	src     *Source
	sheet   *metricSheet
	columns []csvColumn
	sep     byte
	first   int64 // step of the first row
	second  int64 // of the first one after it
	rows    int
}

// A csvColumn is a column of the header in force.
type csvColumn struct {
	named bool
	name  sheetName
}

func (p *metricCSV) line(line []byte) {
	out := p.sheet.out
	if len(line) == 0 || line[0] == '#' {
		out.Skip(1)
		return
	}
	if sep, ok := metricHeader(line); ok && !isDigit(line[0]) {
		p.header(line, sep)
		out.Skip(1)
		return
	}
	p.row(line)
}

func (p *metricCSV) header(line []byte, sep byte) {
	if p.columns != nil {
		p.sheet.session.announced, p.sheet.ranks.announced = true, true
		p.sheet.out.File.Note(fmt.Sprintf("another header in line %d: the writer was started again", p.src.Line()))
	}
	p.columns, p.sep = p.columns[:0], sep
	_, _, p.sheet.counters = queueHeader(line)
	run := exportedRun(line, sep)
	// TensorBoard's export calls every metric Value; the file has its name
	_, tag, tagged := strings.Cut(p.src.Name, "-tag-")
	for cells := (csvCells{rest: line, sep: sep}); cells.next(); {
		name := cells.cell
		if tagged && string(name) == "Value" {
			name = []byte(strings.TrimSuffix(tag, ".csv"))
		}
		if rest, ok := bytes.CutPrefix(name, run); ok && len(run) > 0 {
			if name = rest; bytes.HasSuffix(name, []byte("__MIN")) || bytes.HasSuffix(name, []byte("__MAX")) {
				name = nil
			}
		}
		p.columns = append(p.columns, csvColumn{len(name) > 0, p.sheet.name(name)})
	}
}

// exportedRun returns the "run - " that an export of one W&B run puts before
// each metric, nil where there is none or are several.
func exportedRun(line []byte, sep byte) (run []byte) {
	for cells := (csvCells{rest: line, sep: sep}); cells.next(); {
		name, low := bytes.CutSuffix(cells.cell, []byte("__MIN"))
		i := bytes.LastIndex(name, []byte(" - "))
		if !low || i <= 0 {
			continue
		}
		if run != nil && !bytes.Equal(run, name[:i+3]) {
			return nil
		}
		run = name[:i+3]
	}
	return run
}

func (p *metricCSV) row(line []byte) {
	n := 0
	for cells := (csvCells{rest: line, sep: p.sep}); cells.next(); n++ {
		if n >= len(p.columns) {
			continue
		}
		c := &p.columns[n]
		switch {
		case len(cells.cell) == 0 || !c.named:
		case cells.done && p.src.Cut(): // the last cell may be short
		default:
			p.read(c.name, cells.cell)
		}
	}
	if n != len(p.columns) {
		p.sheet.drop()
		p.src.Reject("%d cells, want %d as in the header", n, len(p.columns))
		return
	}
	if p.sheet.rank != 0 {
		p.seen(p.sheet.step)
	}
	if p.sheet.flush(p.src.Line(), p.src.Offset()) > 0 {
		p.sheet.out.Claim(1)
	} else {
		p.sheet.out.Skip(1)
	}
}

func (p *metricCSV) read(n sheetName, cell []byte) {
	if _, ok := sheetNumber(cell); !ok && p.sep != ',' {
		if v, ok := commaFloat(cell); ok {
			p.sheet.take(n, v)
			return
		}
	}
	p.sheet.read(n, cell)
}

func (p *metricCSV) seen(step int64) {
	switch {
	case p.rows == 0:
		p.first = step
	case p.second <= p.first:
		p.second = step
	}
	p.rows++
}

// late says that what came before the first step is not in the file: a resumed
// run begins its table anew.
func (p *metricCSV) late() {
	if d := p.second - p.first; p.rows > 2 && d > 0 && p.first > 3*d {
		p.sheet.out.File.Note(fmt.Sprintf("history starts at step %d: what was logged before it is not here", p.first))
	}
}
