package stackrules

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A pattern is an expression without a fault, as the ways to match it.
type pattern []way

// newPattern parses an expression.
func newPattern(expr string) (pattern, error) {
	list, err := branchesOf(expr)
	if err != nil {
		return nil, err
	}
	p := make(pattern, len(list))
	for i := range list {
		p[i].branch = &list[i]
	}
	return p, nil
}

func (p pattern) matches(s string) bool {
	for i := range p {
		if p[i].mayMatch(s) && p[i].compiled().MatchString(s) {
			return true
		}
	}
	return false
}

// A way is a branch, compiled when it is first asked for: most have no frame of a
// run that they may match.
type way struct {
	*branch
	once sync.Once
	re   *regexp.Regexp
}

func (w *way) compiled() *regexp.Regexp {
	w.once.Do(func() { w.re = regexp.MustCompile(w.expr) })
	return w.re
}

// A branch is one way in which a text may match an expression: it begins with one
// of heads and holds one of needles, or one of folded in any case, and matches expr.
// What is nil is not asked for. Looking at that first spares nearly all matching: a
// frame of 90 bytes costs 8 µs in each expression, 20 ns in each needle and 4 in
// each head.
type branch struct {
	expr                   string
	heads, needles, folded []string
}

// branchesOf returns the ways to match an expression. Those of rules.json are known:
// to work them out takes 2 ms.
func branchesOf(expr string) ([]branch, error) {
	for i := range ruleBranches {
		if ruleBranches[i].expr == expr {
			return ruleBranches[i].ways, nil
		}
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return branches(tree), nil
}

// mostWays bounds the ways that a choice inside an expression is made into.
const mostWays = 64

// branches returns the ways to match an expression: a choice at its top is as many,
// and so is the first choice in a sequence. Short expressions compile in
// microseconds, where those of a rule take tens.
func branches(re *syntax.Regexp) []branch {
	switch re.Op {
	case syntax.OpCapture:
		return branches(re.Sub[0])
	case syntax.OpAlternate:
		var list []branch
		for _, sub := range re.Sub {
			list = append(list, branches(sub)...)
		}
		return list
	case syntax.OpConcat:
		for i, sub := range re.Sub {
			for sub.Op == syntax.OpCapture {
				sub = sub.Sub[0]
			}
			if sub.Op == syntax.OpAlternate && len(sub.Sub) <= mostWays {
				return choices(re, i, sub.Sub)
			}
		}
	}
	return []branch{branchOf(re.String(), re.Simplify())}
}

// choices returns the ways to match a sequence with a choice at i.
func choices(re *syntax.Regexp, i int, subs []*syntax.Regexp) (list []branch) {
	for _, sub := range subs {
		one := *re
		one.Sub = slices.Clone(re.Sub)
		one.Sub[i] = sub
		list = append(list, branchOf(one.String(), one.Simplify()))
	}
	return list
}

func branchOf(expr string, re *syntax.Regexp) branch {
	b := branch{expr: expr}
	if re.Op == syntax.OpConcat && re.Sub[0].Op == syntax.OpBeginText {
		b.heads = headsOf(re)
	}
	if b.needles = required(re, 0); slices.ContainsFunc(b.needles, func(s string) bool { return len(s) < 2 }) {
		b.needles = nil
	}
	if b.needles == nil {
		b.folded = required(re, syntax.FoldCase)
	}
	return b
}

// required returns strings of which any text that an expression matches has at
// least one, none if it does not tell: literals with the flag FoldCase, which are
// returned in lower case, or those without it. A sequence needs what its best
// part needs, a choice what either of its parts needs.
func required(re *syntax.Regexp, fold syntax.Flags) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != fold || !spelled(re.Rune) {
			return nil
		}
		if fold != 0 {
			return []string{strings.ToLower(string(re.Rune))}
		}
		return []string{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0], fold)
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0], fold)
		}
	case syntax.OpConcat:
		var best []string
		for _, s := range re.Sub {
			if list := required(s, fold); better(list, best) {
				best = list
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, s := range re.Sub {
			list := required(s, fold)
			if len(list) == 0 {
				return nil
			}
			all = append(all, list...)
		}
		return all
	}
	return nil
}

// spelled reports whether a literal matches the bytes of its runes alone: U+FFFD
// also matches any byte that is not UTF-8.
func spelled(literal []rune) bool {
	return !slices.Contains(literal, utf8.RuneError)
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

func (b *branch) mayMatch(s string) bool {
	return (b.heads == nil || slices.ContainsFunc(b.heads, func(h string) bool { return strings.HasPrefix(s, h) })) &&
		(b.needles == nil || slices.ContainsFunc(b.needles, func(n string) bool { return strings.Contains(s, n) })) &&
		(b.folded == nil || slices.ContainsFunc(b.folded, func(n string) bool { return containsFold(s, n) }))
}

// containsFold reports whether a text has n, in lower case, in any case. What is
// not ASCII may fold in ways of its own.
func containsFold(s, n string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 || len(s)-i >= len(n) && strings.EqualFold(s[i:i+len(n)], n) {
			return true
		}
	}
	return n == ""
}
