package report

import (
	"strings"
	"unicode/utf8"

	"tidemark/internal/say"
)

// wrapItems puts items side by side, as many as fit a line.
func wrapItems(items []string, n int) []string {
	var lines []string
	line := ""
	for _, s := range items {
		if width(s) > n {
			rows := wrapText(s, n)
			if line != "" {
				lines = append(lines, line)
			}
			lines, line = append(lines, rows[:len(rows)-1]...), rows[len(rows)-1]
			continue
		}
		if line != "" && width(line)+3+width(s) > n {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += "   "
		}
		line += s
	}
	return append(lines, line)
}

// columnsIn returns how many bytes the first n columns of s take.
func columnsIn(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// width counts the columns of s; every rune we print takes one.
func width(s string) int {
	n, esc := 0, false
	for _, r := range s {
		switch {
		case r == '\x1b':
			esc = true
		case esc:
			esc = r != 'm'
		default:
			n++
		}
	}
	return n
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(n-width(s), 0)) }

// shorten cuts s to n columns, with an ellipsis where it was longer.
func shorten(s string, n int) string {
	if width(s) <= n {
		return s
	}
	esc := strings.Contains(s, "\x1b")
	cut, cols := 0, 0
	in := false
	for i, r := range s {
		switch {
		case r == '\x1b':
			in = true
		case in:
			in = r != 'm'
		default:
			cols++
		}
		if cols == n {
			cut = i
			break
		}
		cut = i + utf8.RuneLen(r)
	}
	s = s[:cut] + "…"
	if esc {
		s += "\x1b[0m"
	}
	return s
}

// wrapText breaks s at blanks into lines of at most n columns, and a longer
// word behind a comma or the like.
func wrapText(s string, n int) []string {
	var lines []string
	line := ""
	for _, word := range say.Words(s) {
		for width(word) > n && !strings.Contains(word, "\x1b") {
			if line != "" {
				lines, line = append(lines, shorten(line, n)), ""
			}
			at := say.Break(word, columnsIn(word, n))
			lines, word = append(lines, word[:at]), word[at:]
		}
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= n:
			line += " " + word
		default:
			lines = append(lines, shorten(line, n))
			line = word
		}
	}
	if line != "" {
		lines = append(lines, shorten(line, n))
	}
	return lines
}
