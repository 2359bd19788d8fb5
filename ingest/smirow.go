package ingest

import (
	"tidemark/internal/scan"
	"tidemark/model"
)

// An smiSlot holds the row that stood last at one place in the round of GPUs.
// Most cells of a GPU are the same in its next row: equal bytes are not read
// again.
type smiSlot struct {
	ok    bool
	line  []byte
	cells []smiCell
}

// smiSlots is the longest round of GPUs that is followed.
const smiSlots = 64

// An smiRows reads the rows of one bound table.
type smiRows struct {
	src    *Source
	out    *model.RunBuilder
	cols   []smiColumn
	steps  []smiStep       // by column
	missed smiSeen         // what recall stopped at, n is 0 where it was something else
	rows   int             // read by again
	used   []smiUse        // the columns that go into the table
	block  *model.RowBlock // of those, the time, and the number of a GPU that has none
	index  int             // column of the index, -1
	key    int             // column that tells GPUs apart where there is no index, -1
	time   int             // column of the time, -1
	model  int             // column of the model's name, -1
	mig    int             // column that says whether a device is split, -1
	names  int             // rows whose names were looked at
	stamp  scan.Stamp
	last   []byte // the time cell read last
	when   smiWhen
	near   int64 // time of the row just read, 0 where it has none
	slots  [smiSlots]smiSlot
	at     int   // slot of the next row
	seen   int   // rows of this round
	round  int   // rows of a whole round, 0 until one was seen
	gpu    int64 // index in the row before
	keys   map[int64]int64
}

// An smiUse is a cell that goes into the table, into a column of that kind.
type smiUse struct {
	cell int
	kind model.Kind
}

// An smiWhen is the time of a row; the zero one is no time.
type smiWhen struct {
	t    int64
	kind model.ClockKind
}

// flush puts the rows that wait into the table.
func (p *smiRows) flush() {
	if p.block != nil {
		p.block.Flush()
	}
}

// bind sets the columns of the rows that follow.
func (p *smiRows) bind(cols []smiColumn) {
	p.flush()
	p.cols, p.used, p.index, p.key, p.time = cols, p.used[:0], -1, -1, -1
	p.model, p.mig, p.names = -1, -1, 0
	p.at, p.seen, p.round, p.gpu, p.keys = 0, 0, 0, -1, map[int64]int64{}
	for i := range p.slots {
		p.slots[i].ok = false
	}
	for k, c := range cols {
		switch c.class {
		case smiTime:
			p.time = k
		case smiIndex:
			p.index = k
		case smiBus:
			if p.key < 0 {
				p.key = k
			}
		case smiUUID:
			p.key = k
		}
		switch c.name {
		case "name", "gpu_name":
			p.model = k
		case "mig.mode.current":
			p.mig = k
		}
		if c.col >= 0 && c.class != smiTime {
			p.used = append(p.used, smiUse{k, model.GPU.Columns[c.col].Kind})
		}
	}
	p.steps, p.rows = stepsOf(cols), 0
	var list []int
	for _, u := range p.used {
		list = append(list, cols[u.cell].col)
	}
	p.block = model.NewRowBlock(p.out.GPU, append(list, model.GPUT, model.GPUIndex)...)
}

// row reads a line as a row of the bound table, from the column first on. The
// row has the time w where none of these columns has one. It reports false,
// and leaves nothing behind, where the line is not a row.
func (p *smiRows) row(line []byte, first int, w smiWhen) bool {
	s := &p.slots[p.at]
	if len(s.cells) != len(p.cols) {
		s.ok, s.cells = false, make([]smiCell, len(p.cols))
	}
	var bad, ok bool
	if s.ok && first == 0 {
		_, bad, ok = p.again(s, line)
	} else {
		bad, ok = p.split(s, line, first)
	}
	if !ok || bad && !p.readings(s, first) || p.time == len(p.cols)-1 && p.src.Cut() {
		s.ok = false
		return false
	}
	if s.ok = first == 0 && !bad; p.src.text != nil {
		s.line = line // stays good
	} else {
		s.line = append(s.line[:0], line...)
	}
	p.take(s, line, first, w)
	if bad {
		s.locate(first)
		p.complain(s, line, first)
	}
	return true
}

// run reads rows as long as each is whole and good, and finds their ends on the way: all
// text must be in memory.
func (p *smiRows) run(w smiWhen) {
	for {
		s := &p.slots[p.at]
		if !s.ok || len(s.cells) != len(p.cols) {
			return
		}
		text := p.src.beginLine()
		if text == nil {
			return
		}
		n, bad, ok := p.again(s, text)
		end := 0
		if ok && !bad {
			end = lineEnd(text[n:])
		}
		if end == 0 {
			p.src.undoLine()
			s.ok = false
			return
		}
		p.src.endLine(n, end)
		s.line = text[:n]
		p.take(s, s.line, 0, w)
	}
}

// take adds the row of a slot to the table, whose cells from first on were read.
func (p *smiRows) take(s *smiSlot, line []byte, first int, w smiWhen) {
	if p.time >= first {
		w = p.when
	} else if w.kind == model.ClockNone {
		w = p.src.stamped()
	}
	p.commit(s, w)
	if p.names < smiSlots && !p.src.Cut() {
		p.names++
		s.locate(first)
		p.facts(s, line, first)
	}
}

// facts keeps what a row says of its device that does not change.
func (p *smiRows) facts(s *smiSlot, line []byte, first int) {
	if p.model >= first {
		c := s.cells[p.model]
		gpuModel(p.out, p.src.Line(), p.src.Offset(), line[c.from:c.from+c.n])
	}
	if p.mig >= first {
		if c := s.cells[p.mig]; string(scan.Trim(line[c.from:c.from+c.n])) == "Enabled" {
			migEnabled(p.out, p.src.Line(), p.src.Offset())
		}
	}
}

// locate works out where the cells from first on stand in the row read last.
func (s *smiSlot) locate(first int) {
	at := int32(0)
	for k := first; k < len(s.cells); k++ {
		s.cells[k].from = at
		at += s.cells[k].n + 1
	}
}

// split cuts a line into the cells of a slot and reads them. ok is false where their
// number or the time is wrong, bad where a cell needs a warning.
func (p *smiRows) split(s *smiSlot, line []byte, first int) (bad, ok bool) {
	at := 0
	for k := first; k < len(p.cols); k++ {
		c := &s.cells[k]
		n := p.cell(k, c, line[at:])
		if n < 0 {
			return bad, false
		}
		c.n, c.block = int32(n), 0
		bad = bad || c.state >= smiBad
		if at += n; at == len(line) {
			return bad, k == len(p.cols)-1
		}
		at++
	}
	return bad, false
}

// readings reports whether a line with a bad cell has any good one that is a
// reading.
func (p *smiRows) readings(s *smiSlot, first int) bool {
	for k := first; k < len(p.cols); k++ {
		if p.cols[k].class >= smiShare && s.cells[k].state == smiOK {
			return true
		}
	}
	return false
}

// commit adds the row of a slot to the table.
func (p *smiRows) commit(s *smiSlot, w smiWhen) {
	if p.src.Cut() {
		p.dropLast(s)
	}
	b := p.block
	b.Row(p.src.Line(), p.src.Offset())
	if w.kind != model.ClockNone {
		b.Int(len(p.used), w.t)
		p.out.File.Clock.Kind = max(p.out.File.Clock.Kind, w.kind)
	}
	p.near = w.t
	for i, u := range p.used {
		c := &s.cells[u.cell]
		if c.state != smiOK {
			continue
		}
		switch u.kind {
		case model.Float:
			b.Float(i, c.v)
		case model.Int:
			b.Int(i, c.i)
		default:
			b.Text(i, int32(c.i))
		}
	}
	p.turn(s)
	p.out.Claim(1)
}

// message adds a message as an event at the time of the row before it.
func (p *smiRows) message(line []byte) {
	p.out.Event(p.src.Line(), p.src.Offset(), p.near, "gpu.error", string(line[:min(len(line), 200)]))
	p.out.Claim(1)
}

// dropLast takes the last cell of a line without an end as missing, unless the
// unit behind its number shows that it is whole.
func (p *smiRows) dropLast(s *smiSlot) {
	k := len(p.cols) - 1
	if c := &s.cells[k]; c.state == smiOK && (len(p.cols[k].tail) == 0 || p.cols[k].class < smiShare) {
		c.state = smiAbsent
	}
	s.ok = false
}

// turn numbers the GPU of a table that has another name for it than an index,
// and moves to the slot that the next row probably belongs to: rows come in
// rounds of rising index.
func (p *smiRows) turn(s *smiSlot) {
	gpu := int64(-1)
	switch {
	case p.index >= 0 && s.cells[p.index].state == smiOK:
		gpu = s.cells[p.index].i
	case p.index < 0 && p.key >= 0 && s.cells[p.key].state == smiOK:
		gpu = p.number(s.cells[p.key].i)
		p.block.Int(len(p.used)+1, gpu)
	}
	if gpu <= p.gpu {
		p.round, p.seen = p.seen, 0
	}
	p.gpu = gpu
	p.seen++
	p.at = p.seen
	if p.at == p.round || p.at >= smiSlots {
		p.at = 0
	}
}

// number returns the place of a GPU in the order of appearance.
func (p *smiRows) number(id int64) int64 {
	n, ok := p.keys[id]
	if !ok {
		n = int64(len(p.keys))
		p.keys[id] = n
	}
	return n
}
