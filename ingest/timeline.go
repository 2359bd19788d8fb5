package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// timeLine reads a line that holds nothing but a time, as a shell loop prints
// one before each reading: of date, an epoch, a date and time with or without
// a zone, with a word or signs around it ("=== 1795960150.86", "# scraped
// 2026-11-29T13:49:00Z"). The header of watch ends in one.
func timeLine(stamp *scan.Stamp, line []byte) (w smiWhen, ok bool) {
	if len(line) < 10 || len(line) > 200 {
		return w, false
	}
	if bytes.HasPrefix(line, []byte("Every ")) {
		f := bytes.Fields(line)
		return cDate(f[max(0, len(f)-5):])
	}
	text := bytes.Trim(line, "=#-*[]<> \t")
	if w, ok = wholeTime(stamp, text); ok {
		return w, true
	}
	word, rest, _ := bytes.Cut(text, []byte(" "))
	if w, ok = wholeTime(stamp, scan.Trim(rest)); ok && len(word) <= 12 && isLetter(word[0]) {
		return w, true
	}
	if i := bytes.IndexAny(text, "=:"); i > 0 && i <= 12 && isLetter(text[0]) {
		return wholeTime(stamp, scan.Trim(text[i+1:]))
	}
	return smiWhen{}, false
}

// longestTime is more than any way to write one takes.
const longestTime = 64

// wholeTime reads text that is a time and nothing else.
func wholeTime(stamp *scan.Stamp, text []byte) (w smiWhen, ok bool) {
	if len(text) < 10 || len(text) > longestTime {
		return w, false
	}
	if t, ok := scan.Epoch(text); ok {
		return smiWhen{t, model.ClockUTC}, true
	}
	if t, n, zoned, ok := stamp.DateTime(text); ok && n == len(text) {
		return smiWhen{t, clockKind(zoned)}, true
	}
	return cDate(bytes.Fields(text))
}

func clockKind(zoned bool) model.ClockKind {
	if zoned {
		return model.ClockUTC
	}
	return model.ClockLocal
}

// cDate reads the words of "Sun Nov 29 14:03:35 UTC 2026" and of the forms
// with AM or PM, without a zone, and with the day before the month.
func cDate(f [][]byte) (w smiWhen, ok bool) {
	if len(f) < 4 || len(f) > 7 {
		return w, false
	}
	if len(f[0]) == 3 && isLetter(f[0][0]) && month(f[0]) == 0 {
		f = f[1:]
	}
	mo, d := month(f[0]), f[1]
	if mo == 0 {
		mo, d = month(f[1]), f[0]
	}
	dom, ok1 := scan.Int(d)
	tod, rest, ok2 := dateClock(f[2:])
	if mo == 0 || !ok1 || dom < 1 || dom > 31 || !ok2 || len(rest) == 0 {
		return w, false
	}
	w.kind = model.ClockLocal
	year, ok := scan.Int(rest[len(rest)-1])
	for _, word := range rest {
		if s := string(word); s == "UTC" || s == "GMT" || s == "Z" {
			w.kind = model.ClockUTC
		} else if y, isYear := scan.Int(word); isYear {
			year, ok = y, true
		}
	}
	w.t = scan.Date(int(year), mo, int(dom)) + tod
	return w, ok && year >= 1970 && year < 2262
}

// dateClock reads the time of day that words begin with, also after a year.
func dateClock(f [][]byte) (tod int64, rest [][]byte, ok bool) {
	var year [][]byte
	if len(f) > 1 && len(f[0]) == 4 && f[0][0]-'0' < 10 {
		year, f = f[:1], f[1:]
	}
	if len(f) == 0 {
		return 0, nil, false
	}
	tod, n, ok := scan.Clock(f[0])
	if !ok || n != len(f[0]) {
		return 0, nil, false
	}
	rest = f[1:]
	if len(rest) > 0 && (string(rest[0]) == "AM" || string(rest[0]) == "PM") {
		tod %= 12 * 3600e9
		if rest[0][0] == 'P' {
			tod += 12 * 3600e9
		}
		rest = rest[1:]
	}
	return tod, append(rest[:len(rest):len(rest)], year...), true
}

// month returns the number of a month's English short name, 0 for another word.
func month(b []byte) int {
	if len(b) != 3 {
		return 0
	}
	i := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(string(b)))
	if i < 0 || i%3 != 0 {
		return 0
	}
	return i/3 + 1
}

// A lineClock is the time of the lines of a file that stands on lines of its
// own, or in front of each line where a container's log put it there.
type lineClock struct {
	stamp scan.Stamp
	now   smiWhen
}

// line takes a line that is only a time.
func (c *lineClock) line(line []byte) bool {
	w, ok := timeLine(&c.stamp, line)
	if ok {
		c.now = w
	}
	return ok
}

// at returns the time of the line that the source returned last.
func (c *lineClock) at(src *Source) smiWhen {
	if c.now.kind == model.ClockNone {
		return src.stamped()
	}
	return c.now
}
