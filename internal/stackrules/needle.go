package stackrules

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// A pattern is an expression without a fault, compiled when it is first asked
// for: of most rules no frame of a run has a needle.
type pattern func() *regexp.Regexp

func (p pattern) matches(s string) bool { return p().MatchString(s) }

// needles returns strings of which any text that an expression matches has at
// least one; none if the expression does not tell. Looking for them first
// spares nearly all matching: a frame of 90 bytes costs 8 µs in each
// expression, and 20 ns in each needle.
func needles(re *syntax.Regexp) []string {
	list := required(re.Simplify())
	for _, n := range list {
		if len(n) < 2 {
			return nil
		}
	}
	return list
}

// required walks an expression: a sequence needs what its best part needs, a
// choice what either of its parts needs.
func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return []string{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, s := range re.Sub {
			if list := required(s); better(list, best) {
				best = list
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, s := range re.Sub {
			list := required(s)
			if len(list) == 0 {
				return nil
			}
			all = append(all, list...)
		}
		return all
	}
	return nil
}

// better prefers the list whose shortest string is longer, then the shorter list.
func better(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) > 0
	}
	if x, y := shortest(a), shortest(b); x != y {
		return x > y
	}
	return len(a) < len(b)
}

func shortest(list []string) int {
	n := len(list[0])
	for _, s := range list {
		n = min(n, len(s))
	}
	return n
}

func (t *test) mayMatch(s string) bool {
	if len(t.needles) == 0 {
		return true
	}
	for _, n := range t.needles {
		if strings.Contains(s, n) {
			return true
		}
	}
	return false
}
