package ingest

import (
	"bytes"
	"unicode/utf8"

	"tidemark/internal/scan"
)

// A topColumn says what a column of top is for.
type topColumn uint8

const (
	topOther topColumn = iota
	topID
	topTGID
	topCPU
	topCore
	topVirt
	topUser
	topName
)

// topNames are the headers in the languages that translate them. TGID alone is
// a process id: PGRP is a job's.
var topNames = map[string]topColumn{
	"PID": topID, "进程号": topID, "进程": topID, "TGID": topTGID, "%CPU": topCPU, "P": topCore, "VIRT": topVirt,
	"USER": topUser, "UTIL.": topUser, "USUARIO": topUser,
	"COMMAND": topName, "BEFEHL": topName, "COM.": topName, "COMANDO": topName, "ORDEN": topName, "COMMANDE": topName, "命令": topName,
}

// topMost is more columns than top has; what follows them is not looked at.
const topMost = 256

// topColumns are the columns of a header. Their ends are in characters.
type topColumns struct {
	kind       []topColumn
	start, end []int
	name       int  // index of the command
	tail       bool // the command is the last column, and no other may hold blanks
}

// topHeader binds a header line. sure says that it is one of top even without
// the lines that stand above it: it has columns that ps calls otherwise.
func topHeader(line []byte) (c *topColumns, sure, ok bool) {
	if !bytes.Contains(line, []byte("%CPU")) {
		return nil, false, false
	}
	c = &topColumns{name: -1, tail: true}
	id := false
	for i := 0; i < len(line) && len(c.kind) < topMost; {
		if line[i] == ' ' {
			i++
			continue
		}
		from := i
		for i < len(line) && line[i] != ' ' {
			i++
		}
		name := string(line[from:i])
		k := topNames[name]
		switch {
		case k == topName:
			c.name = len(c.kind)
		case name == "ENVIRON" || name == "CGROUPS":
			c.tail = false
		}
		id = id || k == topID
		sure = sure || k == topVirt || name == "RES" || name == "SHR" || name[len(name)-1] == '+'
		c.kind = append(c.kind, k)
		c.start = append(c.start, utf8.RuneCount(line[:from]))
		c.end = append(c.end, utf8.RuneCount(line[:i]))
	}
	if c.name < 0 {
		c.name = len(c.kind) - 1
		c.kind[c.name] = topName
	}
	c.tail = c.tail && c.name == len(c.kind)-1
	return c, sure, id && len(c.kind) >= 4 && (sure || bytes.Contains(line, []byte("COMMAND")) && !isPSHeader(line))
}

// A topRow is a row of the block in work.
type topRow struct {
	line    int
	off     int64
	id      int64 // of the thread, or of a process
	pid     int64 // 0 where unknown
	cpu     int64 // hundredths of a percent
	core    int64 // -1 where unknown
	group   uint64
	name    int32
	process bool
}

// row reads a row into the block. It returns false for any other line.
func (p *topParser) row(line []byte) bool {
	r := topRow{line: p.src.Line(), off: p.src.Offset(), core: -1, cpu: pidstatUnknown, group: 14695981039346656037}
	var name []byte
	if p.cols.tail {
		name = p.cols.tokens(&r, line)
	} else {
		name = p.cols.places(&r, line)
	}
	if r.id <= 0 || r.cpu < 0 {
		return false
	}
	if len(name) > 0 && !(p.src.Cut() && p.cols.tail) {
		r.name = p.out.Strings.CodeBytes(name)
		if name[len(name)-1] == '+' {
			p.out.File.Note("names that end in + are cut: top -w 200 writes them whole")
		}
	}
	if p.mode == topProcesses {
		r.pid, r.process = r.id, true
	}
	if !p.timed {
		if p.ids[r.id] {
			p.end(false)
			p.blocks++
		}
		p.ids[r.id] = true
	}
	p.rows = append(p.rows, r)
	return true
}

// tokens reads a row whose command comes last: all before it is without blanks.
func (c *topColumns) tokens(r *topRow, line []byte) (name []byte) {
	rest := line
	for _, k := range c.kind[:c.name] {
		var cell []byte
		cell, rest = topCell(rest)
		if k == topCPU && isTopState(cell) {
			cell, rest = topCell(rest)
		}
		if len(cell) == 0 || !r.set(k, cell) {
			r.id = 0
			return nil
		}
	}
	return scan.Trim(rest)
}

// topCell takes the next cell off a row whose cells are without blanks.
func topCell(line []byte) (cell, rest []byte) {
	line = bytes.TrimLeft(line, " ")
	if i := bytes.IndexByte(line, ' '); i >= 0 {
		return line[:i], line[i:]
	}
	return line, nil
}

// isTopState reports whether a cell is the state of a task. In some languages
// the name of its column is wider than the column, and the header lacks it.
func isTopState(cell []byte) bool {
	return len(cell) == 1 && bytes.IndexByte([]byte("RSDTtZXIKWP"), cell[0]) >= 0
}

// places reads a row by the places of the headers, since the command stands in
// the middle. Numbers end where their header ends, text begins where it begins.
func (c *topColumns) places(r *topRow, line []byte) (name []byte) {
	for k, kind := range c.kind {
		cell := []byte(nil)
		switch kind {
		case topOther:
			continue
		case topUser:
			cell, _, _ = bytes.Cut(line[column(line, c.start[k]):], []byte(" "))
		case topName:
			name = c.command(line)
			continue
		default:
			from, to := endingAt(line, c.end[k])
			cell = line[from:to]
		}
		if !r.set(kind, cell) {
			r.id = 0
			return nil
		}
	}
	return name
}

// command is the text between its header's place and the next column.
func (c *topColumns) command(line []byte) []byte {
	from, to := column(line, c.start[c.name]), len(line)
	if k := c.name + 1; k < len(c.kind) {
		var end int
		if to, end = endingAt(line, c.end[k]); to == end {
			to = column(line, c.start[k])
		}
	}
	return scan.Trim(line[from:max(from, to)])
}

// endingAt returns the word that ends at a column; it is empty where none does.
func endingAt(line []byte, col int) (from, to int) {
	to = column(line, col)
	if to < len(line) && line[to] != ' ' {
		return to, to
	}
	for from = to; from > 0 && line[from-1] != ' '; from-- {
	}
	return from, to
}

// column returns the byte at which a character column begins.
func column(line []byte, col int) int {
	for i := range string(line) {
		if col == 0 {
			return i
		}
		col--
	}
	return len(line)
}

// set takes a cell; ok is false where it is not what its column holds.
func (r *topRow) set(k topColumn, cell []byte) (ok bool) {
	ok = true
	switch k {
	case topID:
		r.id, ok = scan.Int(cell)
	case topTGID:
		r.pid, ok = scan.Int(cell)
	case topCore:
		r.core, ok = scan.Int(cell)
	case topCPU:
		r.cpu, ok = percentCell(cell)
	case topVirt, topUser:
		for _, b := range cell {
			r.group = (r.group ^ uint64(b)) * 1099511628211
		}
		if k == topVirt && (len(cell) == 0 || cell[0]-'0' > 9) {
			return false
		}
		if k == topVirt && cell[0] == '0' {
			r.group = 0 // a kernel thread
		}
	}
	return ok
}

// percentCell reads a percentage as hundredths of a percent.
func percentCell(cell []byte) (int64, bool) {
	i, v := 0, int64(0)
	for i < len(cell) && cell[i]-'0' < 10 && i < 12 {
		v = v*10 + int64(cell[i]-'0')
		i++
	}
	if i == 0 {
		return 0, false
	}
	v, i = hundredths(cell, i, v)
	return v, i == len(cell)
}
