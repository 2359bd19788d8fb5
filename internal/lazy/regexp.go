// Package lazy compiles regular expressions when they are first asked for: a run
// needs few of those that this program knows, and compiling all of them takes
// longer than reading a small file.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the compiled expression. It panics if
// the expression has a fault.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
