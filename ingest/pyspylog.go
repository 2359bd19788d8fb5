package ingest

import (
	"bytes"

	"tidemark/model"
)

// PySpyLog is what py-spy prints while it records, kept in a file of its own.
var PySpyLog = &Format{
	Name:   "py-spy-log",
	Doc:    "messages of py-spy record: rate, duration, lag, samples and errors",
	Record: "py-spy record … > pyspy.log 2>&1",
	Detect: func(_ string, head []byte) bool { return mostlySampler(head) },
	Parse:  parsePySpyLog,
}

// mostlySampler reports whether more than half of the first lines are a
// sampler's messages. A training log with a few of them is a training log.
func mostlySampler(head []byte) bool {
	lines, said := 0, 0
	for i := 0; len(head) > 0 && i < lookLines; i++ {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		if head = rest; len(trimRight(line)) == 0 {
			continue
		}
		lines++
		if samplerLine(line, &model.SamplerNote{}) || bareError(line) && said+1 >= lines {
			said++
		}
	}
	return 2*said > lines
}

// bareError reports whether a line is an error without the sampler's name. It
// counts only beside the sampler's own lines.
func bareError(line []byte) bool {
	return bytes.HasPrefix(line, []byte("Error: ")) || bytes.HasPrefix(line, []byte("Reason: "))
}

func parsePySpyLog(src *Source, out *model.RunBuilder) error {
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		said := false
		for len(line) > 0 { // progress is written over with carriage returns
			var message []byte
			message, line, _ = bytes.Cut(line, []byte{'\r'})
			n := model.SamplerNote{Line: int32(src.Line())}
			if !samplerLine(message, &n) && bareError(message) {
				_, text, _ := bytes.Cut(trimRight(message), []byte(": "))
				n.Failed = string(valid(text))
			}
			said = addNote(out.Stacks, n) || said
		}
		if said {
			out.Claim(1)
		} else {
			out.Skip(1)
		}
	}
}

// addNote adds what a message says, and reports whether it says anything.
func addNote(p *model.Profile, n model.SamplerNote) bool {
	p.AddNote(n)
	return n.Rate > 0 || n.Done || n.Failed != "" || n.Samples > 0 || len(n.LagLines) > 0
}
