package infer

import (
	"regexp"
	"slices"
	"strings"

	"tidemark/internal/lazy"
)

// A factName is how configurations name a thing, in lower case.
type factName struct {
	words []string // of which a name has one
	expr  func() *regexp.Regexp
}

func newFactName(words []string, expr string) factName {
	return factName{words, lazy.Regexp(expr)}
}

// match returns a key in any case that names the thing, and its groups, in lower
// case; nil for any other. The words spare most keys, and most runs, the expression.
func (n factName) match(key string) []string {
	key = strings.ToLower(key)
	if !slices.ContainsFunc(n.words, func(w string) bool { return strings.Contains(key, w) }) {
		return nil
	}
	return n.expr().FindStringSubmatch(key)
}
