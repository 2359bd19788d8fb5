package ingest

import (
	"bytes"
	"math"

	"tidemark/internal/scan"
	"tidemark/model"
)

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

// restart takes a banner. The times that follow count from its date.
func (p *pidstatParser) restart(line []byte) bool {
	b, ok := readBanner(line)
	if !ok {
		return false
	}
	again := p.clock.seen
	if _, _, dated := b.day(false, false); !dated && p.clock.kind == model.ClockLocal {
		p.src.warn("no date in the banner, the one before is used")
		return true
	}
	p.banner = b
	p.host = p.out.Strings.Code(b.host)
	p.pid, p.stamp = 0, p.stamp[:0]
	kind := p.clock.kind
	p.clock = pidstatClock{kind: kind, gaps: p.clock.gaps}
	switch {
	case kind == model.ClockLocal && (again || p.src.Part > 0):
		p.out.Redate()
	case kind == model.ClockDay:
		p.out.File.Note("the first rows have no date, so a later banner's date is not used")
	}
	p.bind()
	return true
}

// cutRow rejects a row that runs into the banner of a restarted pidstat.
func (p *pidstatParser) cutRow(text []byte) bool {
	if !bytes.HasSuffix(text, []byte(" CPU)")) {
		return false
	}
	i := bytes.LastIndex(text, []byte("Linux "))
	if i < 0 || !p.restart(text[i:]) {
		return false
	}
	p.src.Reject("a row that ends in the banner of a restarted pidstat, want a line end between them")
	return true
}
