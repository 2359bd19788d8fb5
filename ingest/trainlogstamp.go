package ingest

import (
	"bytes"

	"tidemark/internal/scan"
)

// A logStamp says how the time of a line is printed.
type logStamp uint8

const (
	stampNone    logStamp = iota
	stampDated            // YYYY-MM-DD HH:MM:SS and its like, zone or not
	stampCompact          // 20231023_095643
	stampColons           // 2025:12:31-12:14:34
	stampSlashed          // 12/31/2025 12:14:34, 12/31/25 12:14:34
	stampClock            // HH:MM:SS
	stampMonth            // MM-DD HH:MM:SS, MMDD HH:MM:SS: a date without a year
	stampSyslog           // Nov 30 12:14:34, as journald prints it
	stampElapsed          // seconds since an unknown start: 222.6s
	stampBar              // the elapsed time of a progress bar
	stampEpoch            // the value of a key such as timestamp
)

// elapsedBase moves times since an unknown start far below all others while
// they are read; finishTrainLog moves them back, or drops them where the file
// has better ones.
const elapsedBase = -1 << 61

// monthStart returns where the clock begins after a date without a year: MMDD
// or MM-DD or MM/DD and a blank.
func monthStart(b []byte) int {
	n := 4
	if len(b) > 5 && (b[2] == '-' || b[2] == '/') {
		n = 5
	}
	if len(b) < n+9 || b[n] != ' ' || !isDigit(b[0]) || !isDigit(b[1]) || !isDigit(b[n-1]) || !isDigit(b[n-2]) {
		return 0
	}
	month, day := int(b[0]-'0')*10+int(b[1]-'0'), int(b[n-2]-'0')*10+int(b[n-1]-'0')
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return 0
	}
	for n++; n < len(b) && b[n] == ' '; n++ {
	}
	return n
}

// stampAt recognises a time at the beginning of b and returns how long it is.
func stampAt(b []byte) (logStamp, int) {
	if len(b) < 8 || !isDigit(b[0]) {
		return stampNone, 0
	}
	var s scan.Stamp
	if _, n, _, ok := s.DateTime(b); ok {
		return stampDated, n
	}
	if _, n, ok := clockOrElapsed(b); ok {
		return stampClock, n
	}
	for _, kind := range []logStamp{stampCompact, stampColons, stampSlashed, stampMonth} {
		if _, n, ok := readStamp(kind, b); ok {
			return kind, n
		}
	}
	return stampNone, 0
}

// readStamp reads a time of a kind that is not dated: ns since the epoch for
// the kinds with a date and a year, since midnight for those without, since
// the start for elapsed ones.
func readStamp(kind logStamp, b []byte) (ns int64, n int, ok bool) {
	switch kind {
	case stampClock:
		return clockOrElapsed(b)
	case stampMonth:
		at := monthStart(b)
		if at == 0 {
			return 0, 0, false
		}
		ns, n, ok = scan.Clock(b[at:])
		return ns, at + n, ok
	case stampSyslog:
		if len(b) < 15 || month(b[:3]) == 0 || b[3] != ' ' || b[6] != ' ' {
			return 0, 0, false
		}
		ns, n, ok = scan.Clock(b[7:])
		return ns, n + 7, ok
	case stampCompact:
		return compactStamp(b)
	case stampColons:
		if len(b) < 19 || b[4] != ':' || b[7] != ':' || b[10] != '-' {
			return 0, 0, false
		}
		return dateAndClock(b[:4], b[5:7], b[8:10], b[11:])
	case stampSlashed:
		return slashedStamp(b)
	case stampElapsed, stampBar:
		v, ok := duration(b)
		return int64(v * 1e9), len(b), ok && v >= 0 && v < 1e9
	case stampEpoch:
		ns, ok = scan.Epoch(b)
		return ns, len(b), ok
	}
	return 0, 0, false
}

// clockOrElapsed reads a time of day, or HH:MM:SS that a run of more than a day
// has counted since its start: hours of 25 to 999 go on where 24 were.
func clockOrElapsed(b []byte) (ns int64, n int, ok bool) {
	if ns, n, ok = scan.Clock(b); ok {
		return ns, n, true
	}
	digits := 2
	if len(b) > 3 && b[3] == ':' {
		digits = 3
	}
	hours, ok := scan.Int(b[:min(digits, len(b))])
	if !ok || hours < 25 || len(b) < digits+6 {
		return 0, 0, false
	}
	ns, n, ok = scan.Clock(append([]byte("00"), b[digits:min(len(b), digits+16)]...))
	return hours*3600e9 + ns, n - 2 + digits, ok
}

func compactStamp(b []byte) (int64, int, bool) {
	if len(b) < 15 || b[8] != '_' && b[8] != '-' && b[8] != 'T' || len(b) > 15 && isDigit(b[15]) {
		return 0, 0, false
	}
	clock := []byte{b[9], b[10], ':', b[11], b[12], ':', b[13], b[14]}
	ns, _, ok := dateAndClock(b[:4], b[4:6], b[6:8], clock)
	return ns, 15, ok
}

// slashedStamp reads month, day and year, as examples of HF and rich print
// them; the day stands first where the month cannot.
func slashedStamp(b []byte) (ns int64, n int, ok bool) {
	if len(b) < 17 || b[2] != '/' || b[5] != '/' {
		return 0, 0, false
	}
	month, day, year, end := b[:2], b[3:5], b[6:8], 8
	if isDigit(b[8]) && isDigit(b[9]) {
		year, end = b[6:10], 10
	} else {
		year = append([]byte("20"), year...)
	}
	if string(month) > "12" {
		month, day = day, month
	}
	if b[end] == ',' {
		end++
	}
	if b[end] != ' ' {
		return 0, 0, false
	}
	if ns, n, ok = dateAndClock(year, month, day, b[end+1:]); !ok {
		return 0, 0, false
	}
	n += end + 1 - 11
	half := b[min(n, len(b)):min(n+3, len(b))]
	switch hour := b[end+1 : min(end+3, len(b))]; {
	case string(half) == " PM" && string(hour) < "12":
		return ns + 12*3600e9, n + 3, true
	case string(half) == " AM" && string(hour) == "12":
		return ns - 12*3600e9, n + 3, true
	case string(half) == " PM", string(half) == " AM":
		return ns, n + 3, true
	}
	return ns, n, true
}

func dateAndClock(y, m, d, clock []byte) (int64, int, bool) {
	year, ok1 := scan.Int(y)
	month, ok2 := scan.Int(m)
	day, ok3 := scan.Int(d)
	tod, n, ok4 := scan.Clock(clock)
	if !(ok1 && ok2 && ok3 && ok4) || year < 1990 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, 0, false
	}
	return scan.Date(int(year), int(month), int(day)) + tod, 11 + n, true
}

// leadStamp reads a dated time that a line begins with, bare or behind a
// bracket: what nearly all lines of a log do. It returns where the time ends
// and what stood before it, 0 for no such time, 1 for nothing, 2 for "[", 3
// for " [".
func leadStamp(s *scan.Stamp, b []byte) (ns int64, end int, zoned bool, form uint8) {
	i := 0
	if len(b) > 20 && b[0] == ' ' && b[1] == '[' {
		i = 2
	} else if len(b) > 20 && b[0] == '[' {
		i = 1
	}
	if len(b)-i < 19 || !isDigit(b[i]) {
		return 0, 0, false, 0
	}
	ns, n, zoned, ok := s.DateTime(b[i:])
	if !ok || i+n < len(b) && isDigit(b[i+n]) {
		return 0, 0, false, 0
	}
	return ns, i + n, zoned, uint8(i + 1)
}

// cutTrainLog says whether a part of a log may begin with a line: only where
// it has a time of its own, so that a record is never cut and nothing is
// inherited over the cut. A line with NUL bytes is refused before it ends what
// stands before it.
func cutTrainLog(line []byte) bool {
	i := 0
	for i < len(line) && i < 2 && (line[i] == ' ' || line[i] == '[') {
		i++
	}
	if len(line)-i < 8 || !isDigit(line[i]) || bytes.IndexByte(line, 0) >= 0 {
		return false
	}
	kind, n := stampAt(line[i:min(len(line), i+64)])
	return (kind == stampDated || kind == stampClock) && (i+n == len(line) || !isDigit(line[i+n]) && line[i+n] != ':')
}

// levelOf returns the level that a word names, 0 for none.
func levelOf(w []byte) byte {
	switch string(w) {
	case "DEBUG", "TRACE", "D":
		return 'D'
	case "INFO", "I", "NOTICE", "info", "Info", "SUCCESS":
		return 'I'
	case "WARNING", "WARN", "W", "warning":
		return 'W'
	case "ERROR", "E", "error", "ERR":
		return 'E'
	case "CRITICAL", "FATAL", "F", "C":
		return 'F'
	}
	return 0
}
