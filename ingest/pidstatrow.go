package ingest

import (
	"bytes"

	"tidemark/model"
)

// A pidstatName remembers the name of a thread or process, which comes again
// in every interval.
type pidstatName struct {
	id   int64
	text string
	code int32
}

// Shares are read in hundredths of a percent. A cell that is "-" is unknown.
const (
	pidstatUnit    = 1e4
	pidstatUnknown = -1
	// pidstatMost is more than rounding can make of a thread on one core.
	pidstatMost = 110_00
)

// row reads a line whose time ends at byte n.
func (p *pidstatParser) row(line []byte, n int) {
	i, wrong := p.cells(line, n)
	if wrong < len(p.cols) {
		p.broken(line, n, wrong)
		return
	}
	tid := max(p.v[pidstatTID], 0)
	if tid == 0 {
		if p.pid = p.v[pidstatPID]; p.pid <= 0 {
			p.src.Reject("neither a process nor a thread id, want a number")
			return
		}
	}
	code, ok := p.name(tid, pidstatCommand(line[i:]))
	if !ok {
		return
	}
	cpu := p.share()
	if tid > 0 && cpu > pidstatMost {
		p.src.Reject("a thread at %d %% of one core, want at most %d", cpu/100, pidstatMost/100)
		return
	}
	p.add(tid, code, cpu)
}

// pidstatCommand is the end of a row without blanks and a thread's mark.
func pidstatCommand(b []byte) []byte {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	if len(b) > 3 && string(b[:3]) == "|__" {
		b = b[3:]
	}
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// add writes a row of the table. tid is 0 for a process.
func (p *pidstatParser) add(tid int64, name int32, cpu int64) {
	b := p.out.Threads.Add(p.src.Line(), p.src.Offset())
	b.SetInt(model.ThreadT, p.clock.t)
	if p.host != 0 {
		b.SetText(model.ThreadHost, p.host)
	}
	if p.clock.interval > 0 {
		b.SetFloat(model.ThreadInterval, p.clock.interval)
	}
	if p.pid > 0 {
		b.SetInt(model.ThreadPID, p.pid)
	}
	if tid > 0 {
		b.SetInt(model.ThreadTID, tid)
	}
	if name != 0 {
		b.SetText(model.ThreadName, name)
	}
	setShare(b, model.ThreadCPU, cpu)
	setShare(b, model.ThreadUsr, p.v[pidstatUsr])
	setShare(b, model.ThreadSys, p.v[pidstatSys])
	setShare(b, model.ThreadWait, p.v[pidstatWait])
	if v := p.v[pidstatCore]; v >= 0 {
		b.SetInt(model.ThreadCore, v)
	}
	p.out.Claim(1)
}

func setShare(b *model.Batch, col int, v int64) {
	if v >= 0 {
		b.SetFloat(col, float64(v)/pidstatUnit)
	}
}

// cells reads the columns from byte i on, and returns where they end and how
// many were read.
func (p *pidstatParser) cells(line []byte, i int) (end, read int) {
	p.v = [pidstatColumns]int64{pidstatWait: pidstatUnknown, pidstatCore: pidstatUnknown}
	for k, c := range p.cols {
		for i < len(line) && line[i] == ' ' {
			i++
		}
		from := i
		if c == pidstatOther {
			for i < len(line) && line[i] != ' ' {
				i++
			}
			if i == from {
				return i, k
			}
			continue
		}
		v := int64(0)
		for i < len(line) && line[i]-'0' < 10 {
			v = v*10 + int64(line[i]-'0')
			i++
		}
		switch {
		case i-from > 15:
			return i, k
		case i == from:
			if i >= len(line) || line[i] != '-' {
				return i, k
			}
			i++
			v = pidstatUnknown
		case c < pidstatCore:
			v, i = hundredths(line, i, v)
		}
		if i >= len(line) || line[i] != ' ' {
			return i, k
		}
		p.v[c] = v
	}
	return i, len(p.cols)
}

// hundredths reads the fraction of a percentage whose whole part is v, with a
// point or a comma, and the % that --human adds.
func hundredths(line []byte, i int, v int64) (int64, int) {
	v *= 100
	if i+1 < len(line) && (line[i] == '.' || line[i] == ',') {
		if d := line[i+1] - '0'; d < 10 {
			v += 10 * int64(d)
			i += 2
			if i < len(line) && line[i]-'0' < 10 {
				v += int64(line[i] - '0')
				i++
			}
		}
	}
	if i < len(line) && line[i] == '%' {
		i++
	}
	return v, i
}

// share returns the row's CPU share. It is the sum of its parts; a %CPU that is
// an N-th of the sum was divided by the N processors (pidstat -I).
func (p *pidstatParser) share() int64 {
	cpu := p.v[pidstatCPU]
	usr, sys, guest := p.v[pidstatUsr], p.v[pidstatSys], p.v[pidstatGuest]
	sum := usr + sys + guest
	if d := cpu - sum; d <= 3 && d >= -3 || cpu < 0 || usr < 0 || sys < 0 || guest < 0 {
		return cpu
	}
	return p.unequal(cpu, sum)
}

// unequal is share where %CPU is not the sum of its parts. --human rounds each
// part to 0.1; -I divides by the ticks that all processors counted, which
// differ from the clock by up to 2 %.
func (p *pidstatParser) unequal(cpu, sum int64) int64 {
	if d := cpu - sum; cpu%10 == 0 && sum%10 == 0 && d <= 20 && d >= -20 {
		return cpu
	}
	n := p.banner.cpus
	d := cpu*n - sum
	if d < 0 {
		d = -d
	}
	if n > 1 && d <= n+3+sum/50 {
		p.out.File.Note("%CPU is divided by the number of processors (pidstat -I): taken as %usr + %system + %guest")
		return sum
	}
	p.out.File.Note("%CPU is not the sum of %usr, %system and %guest in some rows: kept as printed")
	return cpu
}

// name returns the code of the row's name. It is 0 where the line was cut
// short. ok is false where the line was rejected: a row that a restart cut, so
// that the new banner stands in its name.
func (p *pidstatParser) name(tid int64, text []byte) (code int32, ok bool) {
	id := tid
	if id == 0 {
		id = -p.pid
	}
	e := &p.names[uint64(id)%uint64(len(p.names))]
	if e.id == id && e.text == string(text) && e.code != 0 && !p.src.Cut() {
		return e.code, true
	}
	if bytes.IndexByte(text, 0x1b) >= 0 {
		text = plain(nil, text)
	}
	if p.cutRow(text) {
		return 0, false
	}
	if len(text) == 0 || p.src.Cut() {
		return 0, true
	}
	code = p.out.Strings.CodeBytes(text)
	*e = pidstatName{id, p.out.Strings.At(code), code}
	return code, true
}

// broken says what is wrong with a row: a header or banner that begins with
// the row's time, colours, or a bad cell.
func (p *pidstatParser) broken(line []byte, n, cell int) {
	text := bytes.TrimRight(line, " \t")
	switch {
	case bytes.IndexByte(line, 0x1b) >= 0:
		p.line(line)
	case bytes.HasSuffix(text, []byte(" Command")) && isPidstatHeader(text[n:]):
		t, n, ok := hostClock(text)
		p.head(text, t, n, ok)
	case p.cutRow(text):
	case cell < len(p.cols)-1 && len(bytes.Fields(line[n:])) <= len(p.cols):
		p.src.Reject("%d cells after the time, want %d and a command", len(bytes.Fields(line[n:])), len(p.cols))
	default:
		p.src.Reject("cell %d after the time in %q, want a number", cell+1, clip(text))
	}
}

func isPidstatHeader(names []byte) bool {
	_, _, ok := pidstatHeader(names)
	return ok
}
