// Package scan reads numbers and times out of byte slices, without
// allocating, and more strictly than strconv: no hex, no underscores, no
// words, no blanks.
package scan

import "strconv"

var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

var tens = [...]uint64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// Float reads a decimal number with an optional sign, fraction and exponent.
// The value is the nearest float64: up to 15 digits the quick way is exact.
func Float(b []byte) (float64, bool) {
	i, neg := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		i = 1
	}
	var m uint64
	digits, frac, seen := 0, 0, false
	for ; i < len(b) && b[i]-'0' < 10; i++ {
		m = m*10 + uint64(b[i]-'0')
		seen = true
		if m > 0 {
			digits++
		}
	}
	if i < len(b) && b[i] == '.' {
		for i++; i < len(b) && b[i]-'0' < 10; i++ {
			m = m*10 + uint64(b[i]-'0')
			frac++
			seen = true
			if m > 0 {
				digits++
			}
		}
	}
	if !seen {
		return 0, false
	}
	if i < len(b) || digits > 15 || frac > 22 {
		return slow(b, i)
	}
	v := float64(m) / pow10[frac]
	if neg {
		v = -v
	}
	return v, true
}

// Exact is how many digits, before and after the point together, are read exactly.
const Exact = 15

// Fixed is the number with so many digits after the point, Exact in all at most, that has
// been read as two whole ones.
func Fixed(whole, fraction uint64, digits int) float64 {
	return float64(int64(whole*tens[digits]+fraction)) / pow10[digits]
}

// slow reads what has an exponent or too many digits; from is where the
// mantissa ended.
func slow(b []byte, from int) (float64, bool) {
	if from < len(b) {
		e := b[from:]
		if e[0] != 'e' && e[0] != 'E' {
			return 0, false
		}
		e = e[1:]
		if len(e) > 0 && (e[0] == '-' || e[0] == '+') {
			e = e[1:]
		}
		if len(e) == 0 {
			return 0, false
		}
		for _, c := range e {
			if c-'0' > 9 {
				return 0, false
			}
		}
	}
	v, err := strconv.ParseFloat(string(b), 64)
	return v, err == nil
}

// Decimal reads the number without sign and exponent that b begins with, and
// returns how many bytes were read: 0 where there is none of at most 15 digits.
func Decimal(b []byte) (v float64, n int) {
	var m uint64
	i := 0
	for ; i < len(b) && b[i]-'0' < 10; i++ {
		m = m*10 + uint64(b[i]-'0')
	}
	digits := i
	if i == 0 || i > 15 {
		return 0, 0
	}
	if i+1 >= len(b) || b[i] != '.' || b[i+1]-'0' > 9 {
		return float64(m), i
	}
	for i++; i < len(b) && b[i]-'0' < 10; i++ {
		m = m*10 + uint64(b[i]-'0')
	}
	frac := i - digits - 1
	if digits+frac > 15 {
		return 0, 0
	}
	return float64(m) / pow10[frac], i
}

// Hex reads 0x and up to 16 hexadecimal digits, as a mask whose highest bit
// is not set.
func Hex(b []byte) (int64, bool) {
	if len(b) < 3 || len(b) > 18 || b[0] != '0' || b[1] != 'x' {
		return 0, false
	}
	var v uint64
	for _, c := range b[2:] {
		switch {
		case c-'0' < 10:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		v = v<<4 | uint64(c)
	}
	return int64(v), int64(v) >= 0
}

// Int reads a decimal integer with an optional sign.
func Int(b []byte) (int64, bool) {
	i, neg := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		i = 1
	}
	if i == len(b) || len(b)-i > 18 {
		return 0, false
	}
	var v int64
	for ; i < len(b); i++ {
		if b[i]-'0' > 9 {
			return 0, false
		}
		v = v*10 + int64(b[i]-'0')
	}
	if neg {
		v = -v
	}
	return v, true
}

// Trim cuts blanks and tabs at both ends.
func Trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}
