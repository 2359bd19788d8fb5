package ingest

import (
	"bytes"
	"math"

	"tidemark/internal/scan"
)

// A logNumber is one number of a log line: where it stands, and what turns its
// text into a value in its unit.
type logNumber struct {
	from, to int
	kind     logNumberKind
	constant float64 // of numberConstant
	scale    float64
	unit     string // base unit as printed after the number, "" where none is
	large    byte   // the letter K, M, G, T or B glued to the number, else 0
	suffix   string // what tells it from the other numbers of one value
}

type logNumberKind uint8

const (
	numberPlain    logNumberKind = iota
	numberGrouped                // 12,345
	numberDuration               // 1:02:03.5, 2m 3s, 1 day, 2:03:04
	numberConstant               // nan, inf
)

// A logValue is what stands after a key.
type logValue struct {
	end      int
	nums     []logNumber
	fraction bool // two numbers, n/m
	list     bool
	text     bool // words: a fact at most
	null     bool // N/A, None: no value, but the place of one
}

const (
	maxLogText  = 4096 // longest quoted text or list that is read as one value
	maxLogPairs = 2048 // most pairs of one line
	// maxLogMisses is how many quotes and brackets of a line may lack an end
	// before no more are followed, so that time stays linear in the line.
	maxLogMisses = 16
)

func isDigit(c byte) bool { return c-'0' < 10 }

func isLetter(c byte) bool { return c|0x20-'a' < 26 }

// logNumberAt reads the number that begins at i, without its unit.
func logNumberAt(b []byte, i int) (n logNumber, ok bool) {
	n = logNumber{from: i, scale: 1}
	j := i
	if j < len(b) && (b[j] == '-' || b[j] == '+') {
		j++
	}
	if v, k := constantAt(b[j:]); k > 0 {
		n.kind, n.constant, n.to = numberConstant, v, j+k
		if b[i] == '-' {
			n.constant = -v
		}
		return n, true
	}
	digits := j
	for j < len(b) && isDigit(b[j]) {
		j++
	}
	if whole := j; whole > digits && whole-digits <= 3 {
		for j+3 < len(b) && b[j] == ',' && threeDigits(b[j+1:]) {
			j += 4
			n.kind = numberGrouped
		}
	}
	if j == digits && (j+1 >= len(b) || b[j] != '.' || !isDigit(b[j+1])) {
		return n, false
	}
	if j+1 < len(b) && b[j] == '.' && isDigit(b[j+1]) {
		for j++; j < len(b) && isDigit(b[j]); j++ {
		}
	}
	if j < len(b) && (b[j] == 'e' || b[j] == 'E') {
		j = exponentAt(b, j)
	}
	n.to = j
	return n, !(j+1 < len(b) && b[j] == '.' && isDigit(b[j+1])) // a version
}

// threeDigits reports whether b begins with three digits and no fourth.
func threeDigits(b []byte) bool {
	return len(b) >= 3 && isDigit(b[0]) && isDigit(b[1]) && isDigit(b[2]) && (len(b) == 3 || !isDigit(b[3]))
}

// exponentAt returns the end of the exponent that begins at j, j where none does.
func exponentAt(b []byte, j int) int {
	k := j + 1
	if k < len(b) && (b[k] == '-' || b[k] == '+') {
		k++
	}
	if k >= len(b) || !isDigit(b[k]) {
		return j
	}
	for k < len(b) && isDigit(b[k]) {
		k++
	}
	return k
}

// constantAt reads nan and inf as Python and JSON write them.
func constantAt(b []byte) (v float64, n int) {
	for _, c := range []struct {
		word string
		v    float64
	}{{"nan", math.NaN()}, {"infinity", math.Inf(1)}, {"inf", math.Inf(1)}} {
		if len(b) >= len(c.word) && bytes.EqualFold(b[:len(c.word)], []byte(c.word)) {
			rest := b[len(c.word):]
			if len(rest) == 0 || !isLetter(rest[0]) && !isDigit(rest[0]) && rest[0] != '_' || bytes.HasPrefix(rest, []byte("ms")) || bytes.HasPrefix(rest, []byte("s ")) {
				return c.v, len(c.word)
			}
		}
	}
	return 0, 0
}

// nullAt returns the length of a word for no value, 0 where there is none.
func nullAt(b []byte) int {
	for _, w := range []string{"N/A", "n/a", "None", "null", "?", "--"} {
		if bytes.HasPrefix(b, []byte(w)) && (len(b) == len(w) || valueEnd(b[len(w)])) {
			return len(w)
		}
	}
	return 0
}

// valueEnd reports whether c may follow a value.
func valueEnd(c byte) bool {
	switch c {
	case ' ', '\t', ',', ';', '|', ')', ']', '}', '\'', '"', '/', '(', '>', '[':
		return true
	}
	return c >= 0x80
}

// durationAt reads h:mm:ss, mm:ss, "1 day, 2:03:04" and "54m 37s" and returns
// the end, 0 where there is none.
func durationAt(b []byte, i int) int {
	j := i
	for j < len(b) && isDigit(b[j]) {
		j++
	}
	if j == i || j >= len(b) {
		return 0
	}
	rest := b[j:]
	for _, day := range []string{" days, ", " day, "} {
		if bytes.HasPrefix(rest, []byte(day)) {
			return durationAt(b, j+len(day))
		}
	}
	if b[j] == ':' {
		if j-i > 4 {
			return 0
		}
		return clockEnd(b, j)
	}
	return lettersEnd(b, i)
}

// clockEnd reads one or two groups of two digits after colons, and a fraction.
func clockEnd(b []byte, j int) int {
	groups := 0
	for groups < 2 && j+2 < len(b) && b[j] == ':' && isDigit(b[j+1]) && isDigit(b[j+2]) {
		j += 3
		groups++
	}
	if groups == 0 || j < len(b) && (isDigit(b[j]) || b[j] == ':') {
		return 0
	}
	if j+1 < len(b) && b[j] == '.' && isDigit(b[j+1]) {
		for j++; j < len(b) && isDigit(b[j]); j++ {
		}
	}
	return j
}

// lettersEnd reads at least two of 1d 2h 3m 4s, with or without blanks.
func lettersEnd(b []byte, i int) int {
	end, parts := 0, 0
	for i < len(b) {
		j := i
		for j < len(b) && isDigit(b[j]) {
			j++
		}
		if j == i || j >= len(b) || bytes.IndexByte([]byte("dhms"), b[j]) < 0 || j+1 < len(b) && (isLetter(b[j+1]) || b[j+1] == '/') {
			break
		}
		end, parts = j+1, parts+1
		i = j + 1
		for i < len(b) && b[i] == ' ' {
			i++
		}
	}
	if parts < 2 {
		return 0
	}
	return end
}

// duration turns what durationAt accepted into seconds.
func duration(b []byte) (float64, bool) {
	total, group := 0.0, 0.0
	for i := 0; i < len(b); {
		j := i
		for j < len(b) && (isDigit(b[j]) || b[j] == '.') {
			j++
		}
		if j == i {
			i++
			continue
		}
		v, ok := scan.Float(b[i:j])
		if !ok {
			return 0, false
		}
		letter := byte(0)
		if j < len(b) && b[j] == ' ' && j+1 < len(b) && b[j+1] == 'd' {
			letter = 'd'
		} else if j < len(b) {
			letter = b[j]
		}
		switch letter {
		case 'd':
			total += 86400 * v
		case 'h':
			total += 3600 * v
		case 'm':
			total += 60 * v
		case ':':
			group = (group + v) * 60
		default:
			total += group + v
			group = 0
		}
		i = j
	}
	return total, true
}

// ungroup reads a number with commas between groups of three digits.
func ungroup(b []byte) (float64, bool) {
	var buf [40]byte
	n := 0
	for _, c := range b {
		if c == ',' {
			continue
		}
		if n == len(buf) {
			return 0, false
		}
		buf[n] = c
		n++
	}
	return scan.Float(buf[:n])
}
