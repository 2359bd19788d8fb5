package ingest

import (
	"bytes"
	"time"

	"tidemark/internal/scan"
	"tidemark/model"
)

// A hostTime is a time as sysstat prints it: of day, or since the epoch.
type hostTime struct {
	ns     int64
	epoch  bool
	twelve bool // AM or PM was printed
}

// hostClock reads the time a line begins with: an epoch, or hour, minute and
// second with what a locale puts between and after them (13:51:37, 13.51.37,
// 13h51m37s in any script), and AM or PM. n is where it ends.
func hostClock(line []byte) (t hostTime, n int, ok bool) {
	i := 0
	for i < len(line) && line[i] == ' ' {
		i++
	}
	digits := i
	for digits < len(line) && line[digits]-'0' < 10 {
		digits++
	}
	switch {
	case digits == i:
		return t, 0, false
	case digits-i >= 9:
		t.epoch = true
		t.ns, ok = scan.Epoch(line[i:digits])
		i = digits
	default:
		t.ns, i, ok = dayTime(line, i)
	}
	if !ok || i < len(line) && line[i] != ' ' {
		return t, 0, false
	}
	if half, k := halfDay(line[i:]); k > 0 && !t.epoch {
		const hour = int64(time.Hour)
		t.ns = t.ns%(12*hour) + half*hour
		t.twelve = true
		i += k
	}
	return t, i, true
}

// dayTime reads hour, minute and second from byte i on, and returns where they end.
func dayTime(line []byte, i int) (ns int64, end int, ok bool) {
	var part [3]int64
	for k := range part {
		from := i
		for i < len(line) && line[i]-'0' < 10 && i-from < 2 {
			part[k] = part[k]*10 + int64(line[i]-'0')
			i++
		}
		if i == from || k > 0 && i-from != 2 {
			return 0, i, false
		}
		if k < 2 {
			n := separator(line[i:])
			if n == 0 {
				return 0, i, false
			}
			i += n
		}
	}
	for i < len(line) && line[i] >= 0x80 { // the character for "second"
		i++
	}
	ok = part[0] <= 24 && part[1] <= 59 && part[2] <= 60
	return (part[0]*3600 + part[1]*60 + part[2]) * 1e9, i, ok
}

// separator returns the length of what stands between hour and minute.
func separator(b []byte) int {
	n := 0
	if len(b) > 0 && (b[0] == ':' || b[0] == '.' || b[0] == 'h') {
		return 1
	}
	for n < len(b) && b[n] >= 0x80 {
		n++
	}
	if n > 0 && n < len(b) && b[n] == ' ' {
		n++
	}
	return n
}

// halfDay reads AM or PM after blanks, and returns the hours it stands for and
// its length, 0 where there is none.
func halfDay(b []byte) (hours int64, n int) {
	i := 0
	for i < len(b) && b[i] == ' ' {
		i++
	}
	end := i
	for end < len(b) && b[end] != ' ' {
		end++
	}
	switch string(b[i:end]) {
	case "AM", "am", "a.m.", "πμ":
		return 0, end
	case "PM", "pm", "p.m.", "μμ":
		return 12, end
	}
	return 0, 0
}

// A pidstatClock places the rows of a file in time. Times of day count from
// the banner's date.
type pidstatClock struct {
	kind     model.ClockKind
	seen     bool // now is the time of an earlier row
	now      int64
	t        int64   // now, on the file's clock; 0 where now is an earlier part's
	interval float64 // s, 0 where unknown
	prev     int64   // from the header: when the interval began
	hasPrev  bool
	gaps     int   // times that rows have gone on since the file or its replay began
	date     int64 // midnight of the banner's day
	dated    bool
}

// head takes the time of a table's header, which is that of the sample before.
func (c *pidstatClock) head(t hostTime, timed bool) {
	if timed {
		c.prev, c.hasPrev = t.ns, true
	}
}

// step begins an interval that ends at t, and returns by how much the clock
// was set back, 0 where it was not.
func (c *pidstatClock) step(t hostTime) (back int64) {
	since, known := c.now, c.seen
	if c.hasPrev && c.prev != t.ns {
		since, known = c.prev, true
	}
	if c.seen {
		c.gaps++
	}
	c.hasPrev, c.seen, c.now, c.interval = false, true, t.ns, 0
	gap := t.ns - since
	if !t.epoch && gap < -int64(12*time.Hour) {
		gap += int64(24 * time.Hour)
	}
	switch {
	case known && gap > 0:
		c.interval = float64(gap) / 1e9
	case known && gap < 0:
		return -gap
	}
	return 0
}

// when sets the time of the rows that follow. line is the first of them; it is
// rejected where ok is false.
func (p *pidstatParser) when(t hostTime, line []byte) (ok bool) {
	c := &p.clock
	if c.kind == model.ClockNone || !t.epoch && !c.dated && c.kind == model.ClockLocal {
		p.place(t, line)
	}
	if t.epoch != (c.kind == model.ClockUTC) {
		p.src.Reject("a time of another kind than the file's first rows have, want %s: split the file", c.kind)
		return false
	}
	if !c.seen && c.hasPrev && !t.epoch {
		p.out.Day.At(c.prev) // the first interval may begin before midnight
	}
	if !c.seen || c.now != t.ns {
		p.pid = 0
		if back := c.step(t); back > 0 {
			p.src.warn("the clock was set back by %s", time.Duration(back))
		}
	}
	p.out.File.Clock.Kind = c.kind
	switch c.kind {
	case model.ClockUTC:
		c.t = t.ns
	case model.ClockLocal:
		c.t = c.date + p.out.Day.At(t.ns)
	default:
		c.t = p.out.Day.At(t.ns)
	}
	return true
}

// place finds what kind of clock the file has, and the date of the banner.
func (p *pidstatParser) place(t hostTime, line []byte) {
	c := &p.clock
	var kind model.ClockKind
	switch {
	case t.epoch:
		kind = model.ClockUTC
	case len(p.banner.text) == 0:
		kind = model.ClockDay
	default:
		note := ""
		c.date, note, c.dated = p.banner.day(t.twelve, bytes.IndexByte(line, ',') >= 0)
		if kind = model.ClockLocal; !c.dated {
			kind = model.ClockDay
		}
		if note != "" {
			p.out.File.Note(note)
		}
	}
	if kind != c.kind {
		c.kind = kind
		p.bind()
	}
}
