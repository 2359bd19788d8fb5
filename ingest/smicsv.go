package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// SMIQuery reads what nvidia-smi --query-gpu prints as CSV.
var SMIQuery = &Format{
	Name:   "nvidia-smi-csv",
	Doc:    "nvidia-smi --query-gpu=… --format=csv, with or without units and header: one row a GPU and reading",
	Record: "nvidia-smi --query-gpu=timestamp,index,name,uuid,utilization.gpu,utilization.memory,memory.used,memory.total,power.draw,enforced.power.limit,clocks.current.sm,temperature.gpu,clocks_event_reasons.active --format=csv -lms 200 -f gpu.csv",
	Detect: detectSMIQuery,
	Sure:   true,
	Parse:  parseSMIQuery,
	Parts:  true,
	Cut:    cutSMIQuery,
	Finish: oneModelEach,
}

// errSMIColumns is the reason of a file whose columns nothing names.
var errSMIColumns = errors.New("columns unknown: neither a header nor units, want a recording without noheader, or " + namedColumns)

// namedColumns is how a user says what the columns of a file are.
const namedColumns = "the list that followed --query-gpu= in --columns 'FILE=timestamp,index,utilization.gpu,…', under columns in tidemark.yaml, or as the file's first line"

// detectSMIQuery decides by the first line that is not blank, not a message
// and not a date. A file of nothing but messages is nvidia-smi's as well.
func detectSMIQuery(_ string, head []byte) bool {
	line, messages := smiFirst(head)
	if line == nil {
		return messages
	}
	_, table := smiHeader(line)
	_, _, bare := smiBare(line)
	return table == smiGPUHeader || table == smiNoHeader && bare
}

// smiFirst returns the first line that may be a header or a row, nil for none;
// messages is whether any line was one.
func smiFirst(head []byte) (first []byte, messages bool) {
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		line = scan.Trim(bytes.TrimSuffix(line, []byte{'\r'}))
		failure, chatter := smiMessage(line)
		switch {
		case len(line) == 0, chatter:
		case failure:
			messages = true
		default:
			return line, messages
		}
	}
	return nil, messages
}

// cutSMIQuery lets a part begin with a row or a header only, so that the rows
// before a message are in its own part.
func cutSMIQuery(line []byte) bool {
	failure, chatter := smiMessage(scan.Trim(line))
	return bytes.IndexByte(line, ',') > 0 && !failure && !chatter && bytes.IndexByte(line, 0) < 0
}

// smiMessages are parts of what nvidia-smi, or the shell around it, prints
// where a reading could not be made.
var smiMessages = [][]byte{
	[]byte("Unable to determine the device handle"), []byte("GPU is lost"), []byte("No devices were found"),
	[]byte("Failed to initialize NVML"), []byte("NVML library version"), []byte("NVIDIA-SMI has failed"),
	[]byte("is not a valid field to query"), []byte("ERROR: Option "), []byte("nvidia-smi: command not found"), []byte("nvidia-smi: not found"),
}

// smiMessage tells whether a line is a message about a failure, or chatter of
// the shell that means nothing.
func smiMessage(line []byte) (failure, chatter bool) {
	if len(line) == 0 || line[0]-'0' < 10 {
		return false, false
	}
	for _, m := range smiMessages {
		if bytes.Contains(line, m) {
			return true, false
		}
	}
	switch string(line) {
	case "nohup: ignoring input", "Terminated", "Killed", "^C":
		return false, true
	}
	return false, dateLine(line)
}

// dateLine reports a line of the date command, such as "Sun Nov 29 14:03:35 UTC 2026".
func dateLine(line []byte) bool {
	f := bytes.Fields(line[:min(len(line), 64)])
	if len(f) < 5 || len(f) > 7 || len(f[0]) != 3 || len(line) > 40 {
		return false
	}
	_, n, ok := scan.Clock(f[3])
	return ok && n == len(f[3])
}

type smiParser struct {
	smiRows
	table   smiTable
	header  string  // the line that bound the columns
	begin   int     // first row of a table whose GPUs nothing names, -1
	dated   smiWhen // of a line with only a date, for rows without a time
	unknown bool    // rows were seen whose columns nothing names
}

func parseSMIQuery(src *Source, out *model.RunBuilder) error {
	p := &smiParser{smiRows: smiRows{src: src, out: out}, begin: -1}
	defer p.flush()
	if src.Header != "" {
		cols, table := smiHeader([]byte(src.Header))
		p.head(src.Header, cols, table)
		if known, ok := src.Learned.([]smiStep); ok {
			p.remember(known)
		}
	}
	for {
		if p.table == smiGPUHeader {
			p.run(p.dated)
		}
		line, ok := src.Next()
		if !ok {
			break
		}
		switch {
		case len(line) == 0:
			out.Skip(1)
		case p.table == smiGPUHeader && p.row(line, 0, p.dated):
		case !p.other(scan.Trim(line)):
			return nil // read again in one piece
		}
	}
	p.bursts()
	src.Learn(p.steps)
	if p.unknown && out.GPU.Rows() == 0 {
		return errSMIColumns
	}
	return src.Err()
}

// other reads a line that is no plain row. It reports false where the file
// must be read in one piece.
func (p *smiParser) other(line []byte) bool {
	if string(line) == p.header { // again
		p.near = 0
		p.out.Skip(1)
		return true
	}
	failure, chatter := smiMessage(line)
	switch {
	case len(line) == 0, chatter:
		p.out.Skip(1)
		return true
	case failure:
		p.message(line)
		return true
	}
	p.near = 0
	if w, n := p.date(line); n > 0 && n == len(line) {
		p.dated = w
		p.out.Skip(1)
		return p.src.Whole()
	}
	if cols, table := smiHeader(line); table != smiNoHeader {
		p.out.Skip(1)
		if table == smiGPUHeader {
			noteColumns(p.out, smiStrangers(line))
		}
		return p.head(string(line), cols, table)
	}
	switch {
	case p.table == smiProcHeader && bytes.IndexByte(line, ',') > 0:
		p.out.Skip(1)
	case p.table == smiGPUHeader:
		if !p.prefixed(line) {
			p.refuse(line)
		}
	default:
		return p.bare(line)
	}
	return true
}

// refuse says what a line under a header lacks of a row.
func (p *smiParser) refuse(line []byte) {
	n := bytes.Count(line, []byte{','}) + 1
	cell, _, _ := bytes.Cut(line, []byte{','})
	_, t := p.date(cell)
	switch {
	case n == 1:
		p.src.Reject("%q, want a row of %d cells", clip(line), len(p.cols))
	case n != len(p.cols) && p.src.Cut():
		p.src.Reject("the file ends within a row: %d cells, want %d as in the header", n, len(p.cols))
	case n != len(p.cols):
		p.src.Reject("%d cells, want %d as in the header", n, len(p.cols))
	case p.time == 0 && t != len(cell):
		p.src.Reject("time %q in cell 1, want YYYY/MM/DD HH:MM:SS.mmm", clip(cell))
	default:
		p.src.Reject("%q, want readings of a GPU", clip(line))
	}
}

// head binds a table. One whose rows do not say which GPU they are of must be
// read in one piece.
func (p *smiParser) head(text string, cols []smiColumn, table smiTable) bool {
	p.src.Bind(text)
	p.bursts()
	p.header, p.table = text, table
	if table == smiProcHeader {
		p.out.File.Note("holds a table with one row a process, which is not read: it has no readings of a GPU")
		return true
	}
	p.smiRows.bind(cols)
	if p.index >= 0 {
		return true
	}
	if p.key < 0 {
		p.begin = p.out.GPU.Rows()
	} else {
		p.out.File.Note("no index column: GPUs numbered in the order in which their " + cols[p.key].name + " first appears (inferred)")
	}
	return p.src.Whole()
}

// bare reads a row that no header came before.
func (p *smiParser) bare(line []byte) bool {
	cols, known, ok := smiBare(line)
	switch {
	case !ok:
		p.src.Reject("%q, want the header of a query of GPUs", clip(line))
		return true
	case !known:
		if p.unknown {
			p.out.File.Rejected++ // the reason stands at the first
		} else {
			p.unknown = true
			p.src.Reject("columns unknown: neither a header nor units, want the header of the query")
		}
		return p.src.Whole()
	}
	whole := p.head(string(line), cols, smiGPUHeader)
	p.out.File.Note("no header: columns bound by the shape and the unit of their cells (inferred)")
	if twice := bareTwice(cols); len(twice) > 0 {
		p.out.File.Note("several columns in " + strings.Join(twice, ", in ") + ": which is which nothing tells, so none of them is read; want " + namedColumns)
	}
	if !p.row(line, 0, p.dated) {
		p.src.Reject("%q, want a row of readings", clip(line))
	}
	return whole
}

// prefixed reads a row that a shell has put a time before: date, whose
// fraction may come after a comma, or ts, in front of nvidia-smi's own time.
func (p *smiParser) prefixed(line []byte) bool {
	if i := bytes.IndexByte(line, ','); p.time == 0 && i > 23 && smiStamp(line[i-23:i]) {
		return p.row(line[i-23:], 0, smiWhen{})
	}
	w, n := p.date(line)
	rest := bytes.TrimLeft(line[n:], ", \t")
	if n == 0 || len(rest) == len(line)-n {
		return false
	}
	first := 0
	if p.time == 0 && bytes.Count(rest, []byte{','})+2 == len(p.cols) {
		first = 1
	}
	return p.row(rest, first, w)
}

// bursts numbers the GPUs of the table that ends here, if nothing names them.
func (p *smiParser) bursts() {
	p.flush()
	from, to := p.begin, p.out.GPU.Rows()
	p.begin = -1
	if from < 0 || from == to {
		return
	}
	size, odd := numberBursts(p.out.GPU, from, to)
	switch size {
	case 0:
		p.out.File.Note("no column names the GPU, and the times show no bursts: GPU unknown")
	case 1:
		p.out.File.Note("no column names the GPU: one row a reading, taken as GPU 0 (inferred)")
	default:
		p.out.File.Note(fmt.Sprintf("no column names the GPU: taken from the order of the %d rows of each reading (inferred)", size))
	}
	if odd >= 0 {
		r := burstRows(p.out.GPU, odd, odd+1)[0]
		p.out.Warn(&model.SyntaxError{
			Pos: model.Pos{File: p.out.File.Path, Line: int(r.b.Line(r.row)), Byte: r.b.Byte(r.row)},
			Msg: fmt.Sprintf("a reading of another number of GPUs than %d: GPU unknown in such", size),
		})
	}
}
