package scan

import (
	"bytes"
	"time"
)

// A Stamp reads times of one writer. It keeps the last minute it has seen, so
// that the calendar is worked out once a minute and not once a line. The zero
// value is ready.
type Stamp struct {
	minute [16]byte // "2026-11-29 13:49"
	base   int64    // ns at its second 0, read as UTC
	ok     bool
}

// DateTime reads YYYY-MM-DD or YYYY/MM/DD, a T or blank, HH:MM:SS, an optional
// fraction after . or , and an optional zone (Z, +hh:mm, +hhmm, " UTC"). It
// returns ns since the epoch, how many bytes were read, and whether the zone
// was printed; without one the time is read as if it were UTC.
func (s *Stamp) DateTime(b []byte) (ns int64, n int, zoned, ok bool) {
	if len(b) < 19 || b[4] != '-' && b[4] != '/' || b[13] != ':' || b[16] != ':' {
		return 0, 0, false, false
	}
	if !s.ok || s.minute != [16]byte(b) {
		base, ok := minute(b)
		if !ok {
			return 0, 0, false, false
		}
		copy(s.minute[:], b)
		s.base, s.ok = base, true
	}
	sec, ok := two(b[17:])
	if !ok || sec > 60 {
		return 0, 0, false, false
	}
	frac, k := Fraction(b[19:])
	n = 19 + k
	ns = s.base + int64(sec)*1e9 + frac
	off, z := zone(b[n:])
	return ns - off, n + z, z > 0, true
}

// minute reads the first 16 bytes of a time.
func minute(b []byte) (int64, bool) {
	y1, ok1 := two(b)
	y2, ok2 := two(b[2:])
	mo, ok3 := two(b[5:])
	d, ok4 := two(b[8:])
	h, ok5 := two(b[11:])
	mi, ok6 := two(b[14:])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6) || b[7] != b[4] || b[10] != ' ' && b[10] != 'T' {
		return 0, false
	}
	if mo < 1 || mo > 12 || d < 1 || d > 31 || h > 24 || mi > 59 {
		return 0, false
	}
	return Date(y1*100+y2, mo, d) + int64(h)*3600e9 + int64(mi)*60e9, true
}

// Date returns ns since the epoch of a day's midnight, read as UTC.
func Date(y, m, d int) int64 {
	return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).UnixNano()
}

// Clock reads HH:MM:SS with an optional fraction as ns since midnight, and
// returns how many bytes were read.
func Clock(b []byte) (tod int64, n int, ok bool) {
	if len(b) < 8 || b[2] != ':' || b[5] != ':' {
		return 0, 0, false
	}
	h, ok1 := two(b)
	m, ok2 := two(b[3:])
	s, ok3 := two(b[6:])
	if !ok1 || !ok2 || !ok3 || h > 24 || m > 59 || s > 60 {
		return 0, 0, false
	}
	frac, k := Fraction(b[8:])
	return (int64(h)*3600+int64(m)*60+int64(s))*1e9 + frac, 8 + k, true
}

// Fraction reads a fraction of a second after . or , as ns, and returns how
// many bytes were read, 0 where there is none.
func Fraction(b []byte) (ns int64, n int) {
	if len(b) < 2 || b[0] != '.' && b[0] != ',' || b[1]-'0' > 9 {
		return 0, 0
	}
	for n = 1; n < len(b) && b[n]-'0' < 10; n++ {
		if n <= 9 {
			ns = 10*ns + int64(b[n]-'0')
		}
	}
	return ns * int64(tens[max(10-n, 0)]), n
}

// zone reads a zone as an offset in ns, and returns how many bytes were read.
func zone(b []byte) (off int64, n int) {
	switch {
	case len(b) > 0 && b[0] == 'Z':
		return 0, 1
	case bytes.HasPrefix(b, []byte(" UTC")):
		return 0, 4
	case len(b) >= 5 && (b[0] == '+' || b[0] == '-'):
		h, ok := two(b[1:])
		rest := b[3:]
		n = 5
		if rest[0] == ':' {
			rest, n = rest[1:], 6
		}
		if len(rest) < 2 {
			return 0, 0
		}
		m, ok2 := two(rest)
		if !ok || !ok2 || h > 14 || m > 59 {
			return 0, 0
		}
		off = (int64(h)*60 + int64(m)) * 60e9
		if b[0] == '-' {
			off = -off
		}
		return off, n
	}
	return 0, 0
}

// Epoch turns a number of seconds, ms, us or ns since the epoch into ns; the
// size tells the unit. ok is false for what is no time of the last decades.
func Epoch(b []byte) (int64, bool) {
	dot := bytes.IndexByte(b, '.')
	if dot < 0 {
		if len(b) == 19 { // today's nanoseconds, a digit more than Int takes
			return epochNano(b)
		}
		v, ok := Int(b)
		if !ok {
			return 0, false
		}
		switch {
		case v > 1e17:
			return v, v < 4e18
		case v > 1e14:
			return v * 1e3, true
		case v > 1e11:
			return v * 1e6, true
		}
		return v * 1e9, v > 1e8
	}
	sec, ok := Int(b[:dot])
	if !ok || sec < 1e8 || sec > 1e11 {
		return 0, false
	}
	ns, n := Fraction(b[dot:])
	return sec*1e9 + ns, n == len(b)-dot
}

// An EpochReader reads times like Epoch, of which neighbours are mostly in the same
// second.
type EpochReader struct {
	digits [10]byte
	ns     int64 // of the second, 0 before the first
}

// Read is Epoch.
func (e *EpochReader) Read(b []byte) (int64, bool) {
	if t, n := e.Lead(b); n > 0 && n == len(b) {
		return t, true
	}
	t, ok := Epoch(b)
	if ok && len(b) > 11 && b[10] == '.' {
		e.digits = [10]byte(b)
		e.ns, _ = Epoch(b[:10])
	}
	return t, ok
}

// Lead reads the time that b begins with, where that is in the second of the time
// read last and has a fraction, and returns how many bytes were read, else 0.
func (e *EpochReader) Lead(b []byte) (t int64, n int) {
	if e.ns == 0 || len(b) < 12 || b[10] != '.' || [10]byte(b) != e.digits {
		return 0, 0
	}
	ns, n := Fraction(b[10:])
	if n == 0 {
		return 0, 0
	}
	return e.ns + ns, 10 + n
}

func epochNano(b []byte) (int64, bool) {
	high, ok := Int(b[:18])
	if !ok || high < 1e17 || high >= 4e17 || b[18]-'0' > 9 {
		return 0, false
	}
	return high*10 + int64(b[18]-'0'), true
}

func two(b []byte) (int, bool) {
	if len(b) < 2 || b[0]-'0' > 9 || b[1]-'0' > 9 {
		return 0, false
	}
	return int(b[0]-'0')*10 + int(b[1]-'0'), true
}
