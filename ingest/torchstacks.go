package ingest

import (
	"bytes"
	"strings"

	"tidemark/model"
)

// finishTorch settles what a file of torch's export_stacks leaves open: its
// counts are microseconds, and which end of a stack is its root differs by the
// version that wrote it.
func finishTorch(out *model.RunBuilder) {
	out.File.Note("counts are microseconds of CPU or of device time; the file does not say which")
	turn := leafFirst(out)
	if turn {
		out.File.Note("frames stand from the leaf on, as some versions of torch write them: turned round")
	}
	p := out.Stacks
	var path []int32
	for i := range p.Samples {
		s := &p.Samples[i]
		s.Seconds, s.N = s.N*1e-6, 0
		if turn {
			path = p.Set.Path(s.Stack, path[:0])
			reversed := make([]int32, 0, len(path))
			for k := len(path) - 1; k >= 0; k-- {
				reversed = append(reversed, path[k])
			}
			s.Stack = p.Set.Stack(reversed)
		}
	}
}

// leafFirst reports whether stacks stand from the leaf on. Functions in C call
// no Python, so they are leaves; without them the end at which fewer functions
// stand is the root's.
func leafFirst(out *model.RunBuilder) bool {
	p := out.Stacks
	first, last := map[int32]bool{}, map[int32]bool{}
	builtin := 0
	var path []int32
	for i := range p.Samples {
		if path = p.Set.Path(p.Samples[i].Stack, path[:0]); len(path) < 2 {
			continue
		}
		a, b := path[0], path[len(path)-1]
		first[a], last[b] = true, true
		if isBuiltin(out, a) {
			builtin++
		}
		if isBuiltin(out, b) {
			builtin--
		}
	}
	return builtin > 0 || builtin == 0 && len(first) > len(last)
}

func isBuiltin(out *model.RunBuilder, code int32) bool {
	return strings.HasPrefix(out.Strings.At(out.Stacks.Set.At(code).Function), "<built-in")
}

// withoutObject cuts the address off "<built-in method mm of Tensor object at
// 0x7f29>", or with _ for blanks: there would be as many functions as objects.
func withoutObject(b []byte) []byte {
	for _, s := range []string{"_object_at_0x", " object at 0x"} {
		if i := bytes.LastIndex(b, []byte(s)); i > 0 && bytes.HasPrefix(b, []byte("<built-in")) {
			return append(bytes.Clone(b[:i]), '>')
		}
	}
	return b
}
