package say

import (
	"strings"
	"unicode"
)

// Printable replaces what no font can set: control characters, and runes beyond
// the 65,536 that fpdf embeds.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r > 0xFFFF:
			return unicode.ReplacementChar
		case unicode.IsControl(r):
			return ' '
		}
		return r
	}, s)
}
