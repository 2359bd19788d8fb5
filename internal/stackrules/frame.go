package stackrules

import (
	"slices"
	"strings"

	"tidemark/internal/lazy"
)

// A Frame is one place in a program as a sampler names it: a function, its
// file (of native code, the object's base name), and which of the two it is.
type Frame struct {
	Function, File string
	Native         bool
}

// suffix is what linkers and compilers add to the names of symbols.
var suffix = lazy.Regexp(`(\[clone [^\]]*\]|@plt|@@?[A-Z]+_[\w.]+|\.(isra|constprop|part|cold|llvm)(\.\d+)*|\+0x[0-9a-f]+|_\[[kijw]\])+$`)

// Name returns a function's name without what linkers add.
func (f Frame) Name() string {
	name := f.Function
	if maySuffix(name) {
		name = suffix().ReplaceAllString(name, "")
	}
	return strings.TrimSpace(name)
}

// maySuffix spares most names the expression.
func maySuffix(name string) bool {
	if strings.ContainsAny(name, "[@+") {
		return true
	}
	i := strings.IndexByte(name, '.')
	return i >= 0 && slices.ContainsFunc([]string{".isra", ".constprop", ".part", ".cold", ".llvm"}, func(s string) bool { return strings.Contains(name[i:], s) })
}

// Last returns the last part of a Python frame's qualified name: produce of
// main.<locals>.target_worker.<locals>.produce.
func (f Frame) Last() string {
	name := f.Name()
	if f.Native {
		return name
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 && i+1 < len(name) {
		return name[i+1:]
	}
	return name
}

// maxName is how much of a name is matched: templates run to kilobytes, and
// what they are called stands in front.
const maxName = 512

// bits returns the tests that a frame passes, by its whole name or the last part.
func (r *Rules) bits(f Frame) bits {
	file := strings.ReplaceAll(f.File, `\`, "/")
	name := f.Name()
	if len(name) > maxName {
		name = name[:maxName]
	}
	full := text(name, file)
	last := full
	if l := f.Last(); l != name && len(l) <= maxName {
		last = text(l, file)
	}
	python := !f.Native && f.File != ""
	var b bits
	for i := range r.tests {
		t := &r.tests[i]
		if python && r.native.has(i) {
			continue
		}
		if (t.re.matches(full) || last != full && t.re.matches(last)) && !t.not.matches(full) && !t.not.matches(last) {
			b.set(i)
		}
	}
	return b
}

func text(name, file string) string {
	if file == "" {
		return name + " ()"
	}
	return name + " (" + file + ")"
}
