package stackfile

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"tidemark/model"
)

// Folded is stacks in lines, as py-spy record -f raw writes them: rows of
// process and thread, frames from the root joined by ;, then a count.
var Folded = &Writer{Ending: ".folded", Doc: "stacks in lines, for flamegraph.pl, inferno and others", Write: writeFolded}

func writeFolded(w io.Writer, s *Stacks) error {
	b := bufio.NewWriter(w)
	list := s.rows()
	counts, _ := kinds(list)
	var path []int32
	for _, r := range list {
		x := s.Run.Stacks.Samples[r.sample]
		parts := foldedRows(s.Run.Stacks.Threads[x.Thread])
		path = s.Run.Stacks.Set.Path(x.Stack, path[:0])
		for _, code := range path {
			parts = append(parts, foldedFrame(s.Run, code))
		}
		n := r.n
		if !counts {
			n = r.seconds
		}
		b.WriteString(strings.Join(parts, ";"))
		b.WriteByte(' ')
		b.WriteString(number(n))
		b.WriteByte('\n')
	}
	return b.Flush()
}

// oneLine: a line feed would end the record.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

func foldedRows(t model.StackThread) (parts []string) {
	if t.PID != 0 || t.Process != "" {
		parts = append(parts, "process "+strconv.FormatInt(t.PID, 10)+`:"`+oneLine.Replace(t.Process)+`"`)
	}
	switch {
	case t.TID != "" && t.Name != "":
		parts = append(parts, "thread ("+t.TID+"): "+oneLine.Replace(t.Name))
	case t.TID != "":
		parts = append(parts, "thread ("+t.TID+")")
	}
	return parts
}

func foldedFrame(run *model.Run, code int32) string {
	f := run.Stacks.Set.At(code)
	s := run.Text(f.Function)
	if file := run.Text(f.File); file != "" {
		s += " (" + file
		if f.Line > 0 {
			s += ":" + strconv.Itoa(int(f.Line))
		}
		s += ")"
	}
	return oneLine.Replace(s)
}
