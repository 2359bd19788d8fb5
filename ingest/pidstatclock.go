package ingest

import (
	"bytes"
	"math"
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
	from := i
	for i < len(line) && line[i]-'0' < 10 {
		i++
	}
	if i-from >= 9 {
		ns, ok := scan.Epoch(line[from:i])
		return hostTime{ns: ns, epoch: true}, i, ok && (i == len(line) || line[i] == ' ')
	}
	var part [3]int64
	i = from
	for k := range part {
		d := i
		for i < len(line) && line[i]-'0' < 10 && i-d < 2 {
			part[k] = part[k]*10 + int64(line[i]-'0')
			i++
		}
		if i == d || k > 0 && i-d != 2 {
			return t, 0, false
		}
		if k < 2 {
			if i += separator(line[i:]); i >= len(line) {
				return t, 0, false
			}
		}
	}
	for i < len(line) && line[i] >= 0x80 { // the character for "second"
		i++
	}
	if i < len(line) && line[i] != ' ' || part[0] > 24 || part[1] > 59 || part[2] > 60 {
		return t, 0, false
	}
	if half, k := halfDay(line[i:]); k > 0 {
		part[0] = part[0]%12 + half
		t.twelve = true
		i += k
	}
	t.ns = (part[0]*3600 + part[1]*60 + part[2]) * 1e9
	return t, i, true
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
	kind := c.kind
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

// A pidstatBanner is the line that sysstat begins with.
type pidstatBanner struct {
	text []byte // as read, nil where there was none
	host string
	cpus int64
	n    [3]int // the numbers of the date, in their order
	year bool   // the first of them is the year
	long bool   // the year has four digits
	sep  byte
}

// readBanner reads "Linux RELEASE (HOST) DATE _ARCH_ (N CPU)".
func readBanner(line []byte) (b pidstatBanner, ok bool) {
	if !bytes.HasPrefix(line, []byte("Linux ")) || !bytes.HasSuffix(line, []byte(" CPU)")) {
		return b, false
	}
	open, shut := bytes.IndexByte(line, '('), bytes.IndexByte(line, ')')
	last := bytes.LastIndexByte(line, '(')
	if open < 0 || shut < open || last < shut {
		return b, false
	}
	b.cpus, _ = scan.Int(line[last+1 : len(line)-len(" CPU)")])
	b.host = string(line[open+1 : shut])
	b.text = bytes.Clone(line)
	date := line[shut+1 : last]
	if i := bytes.IndexByte(date, '_'); i >= 0 {
		date = date[:i]
	}
	b.numbers(scan.Trim(date))
	return b, true
}

// numbers reads the three numbers of a date.
func (b *pidstatBanner) numbers(date []byte) {
	k, digits := 0, 0
	for i := 0; i <= len(date); i++ {
		switch {
		case i < len(date) && date[i]-'0' < 10 && k < 3 && digits < 4:
			b.n[k] = b.n[k]*10 + int(date[i]-'0')
			digits++
		case digits > 0:
			b.year = b.year || k == 0 && digits == 4
			b.long = b.long || digits == 4
			if k == 0 && i < len(date) {
				b.sep = date[i]
			}
			k, digits = k+1, 0
		}
	}
	if k != 3 {
		b.n = [3]int{}
	}
}

// day returns the midnight of the banner's date, read as UTC. Where the order
// of day and month is open, a comma in numbers or a year of four digits beside
// a clock of 24 hours says that the locale is neither C nor en_US, the two
// that put the month first; else the month is first.
func (b *pidstatBanner) day(twelve, comma bool) (ns int64, note string, ok bool) {
	y, m, d := b.n[2], b.n[0], b.n[1]
	dayFirst := b.sep != '/' || comma || b.long && !twelve || m > 12
	switch {
	case b.year:
		y, m, d = b.n[0], b.n[1], b.n[2]
	case dayFirst && b.n[1] <= 12:
		m, d = d, m
	}
	if !b.year && b.sep == '/' && m <= 12 && d <= 12 && m != d {
		note = "the date in the banner is read as month/day"
		if dayFirst {
			note = "the date in the banner is read as day/month"
		}
	}
	if y < 100 {
		y += 2000
	}
	if m < 1 || m > 12 || d < 1 || d > 31 || y < 1970 || y > 2200 {
		return math.MinInt64, "", false
	}
	return scan.Date(y, m, d), note, true
}
