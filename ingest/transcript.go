package ingest

import (
	"bytes"
	"errors"
	"fmt"

	"tidemark/internal/scan"
	"tidemark/model"
)

// Transcript reads the outputs of several commands in one file, each behind a
// line with the command: a shell's prompt, or "# $ command". Each output is
// read as its own format would.
var Transcript = &Format{
	Name:   "transcript",
	Doc:    "outputs of several commands in one file, each behind a line with the command, as in \"$ nvidia-smi -q\": each is read as if it were a file of its own",
	Detect: detectTranscript,
	Parse:  parseTranscript,
}

// transcriptTools are commands whose outputs are read.
var transcriptTools = [][]byte{
	[]byte("nvidia-smi"), []byte("dcgmi "), []byte("pidstat "), []byte("mpstat "), []byte("vmstat "), []byte("sar "), []byte("sadf "), []byte("top "), []byte("ps "),
	[]byte("py-spy "), []byte("gpustat"), []byte("rocm-smi"), []byte("amd-smi"), []byte("perf "), []byte("cat /sys/fs/cgroup"),
}

// transcriptFormats are what those outputs are read as.
var transcriptFormats = []*Format{
	SMIQuery, SMIDmon, SMIPmon, SMIApps, SMIXML, SMIText, SMITable, DCGMDmon, GPUStat, ROCmCSV, ROCmJSON, AMDSMI, AMDSMIJSON, AMDSMIText,
	Pidstat, Top, PSThreads, Sysstat, SysstatJSON, Sadf, VMStat, PerfStat, CgroupCPU, PySpyDump,
}

// transcriptFormat returns the one format that claims an output, else nil.
func transcriptFormat(head []byte) (found *Format) {
	for _, f := range transcriptFormats {
		if !f.Detect("", head) {
			continue
		}
		if found != nil {
			return nil
		}
		found = f
	}
	return found
}

// transcriptCommand returns the command that a line shows, nil for other lines:
// behind "$ " at its beginning, or behind a comment's sign or a prompt. tool is
// whether its output is read.
func transcriptCommand(line []byte) (command []byte, tool bool) {
	i := bytes.Index(line[:min(len(line), 70)], []byte("$ "))
	if i < 0 || i > 64 || i > 0 && line[0] != '#' && line[0] != '+' && bytes.IndexByte(line[:i], '@') < 0 {
		return nil, false
	}
	command = bytes.TrimPrefix(scan.Trim(line[i+2:]), []byte("sudo "))
	for _, t := range transcriptTools {
		if bytes.HasPrefix(command, t) || bytes.Equal(command, scan.Trim(t)) {
			return command, true
		}
	}
	return command, false
}

// detectTranscript wants two such lines, or one that begins the file.
func detectTranscript(_ string, head []byte) bool {
	commands := 0
	for n := 0; len(head) > 0; n++ {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		head = rest
		if bytes.IndexByte(line[:min(len(line), 64)], '$') < 0 {
			continue
		}
		if _, tool := transcriptCommand(scan.Trim(bytes.TrimRight(line, "\r"))); tool {
			commands++
			if n == 0 || commands > 1 {
				return true
			}
		}
	}
	return false
}

// alone is detect for what may be one of several outputs: in a transcript each is
// looked at by itself.
func alone(detect func(string, []byte) bool) func(string, []byte) bool {
	return func(name string, head []byte) bool { return detect(name, head) && !detectTranscript(name, head) }
}

// maxSection is the longest output of one command that is held, maxSections how
// many are read: people write down tens.
const (
	maxSection  = 64 << 20
	maxSections = 2000
)

// A transcriptParser collects the lines of one output.
type transcriptParser struct {
	src     *Source
	out     *model.RunBuilder
	command []byte
	text    []byte
	line    int   // of the section's first line
	off     int64 // where that begins
	lines   int
	read    int
}

func parseTranscript(src *Source, out *model.RunBuilder) error {
	p := &transcriptParser{src: src, out: out}
	for {
		line, ok := src.lr.Next()
		if !ok {
			p.end()
			if p.read == 0 && src.Err() == nil {
				return errors.New("outputs of several commands, none of which is read: record each into a file of its own")
			}
			return src.Err()
		}
		text := scan.Trim(bytes.TrimRight(line, "\r"))
		if command, tool := transcriptCommand(text); command != nil {
			p.end()
			if p.command = nil; tool {
				p.command = bytes.Clone(command)
			}
			out.File.Lines++
			out.Skip(1)
			continue
		}
		if p.lines == 0 {
			p.line, p.off = src.Line(), src.Offset()
		}
		p.lines++
		if len(p.text)+len(line) < maxSection {
			p.text = append(append(p.text, line...), '\n')
		}
	}
}

// end reads the section in work as a file. Lines of it that frame it (a rule
// of signs, comments) are left out at its ends.
func (p *transcriptParser) end() {
	text, lines := p.text, p.lines
	p.text, p.lines = p.text[:0], 0
	if lines == 0 {
		return
	}
	before, body, after := transcriptFrame(text)
	p.skip(before)
	defer func() { p.skip(after) }()
	n := lines - before - after
	f := transcriptFormat(body[:min(len(body), model.HeadSize)])
	if f == nil || len(p.command) == 0 || p.read >= maxSections {
		p.skip(n)
		return
	}
	sub := model.NewRunBuilder(&model.File{Path: p.out.File.Path})
	off := p.off + int64(bytes.Index(text, body))
	if err := parse(f, newSource(f, sub, p.src.Name, bytes.NewReader(body), off), sub); err != nil {
		p.out.File.Note(fmt.Sprintf("%s: %v", clip(p.command), err))
	}
	if finish(f, sub) != nil || sub.File.Claimed+sub.File.Skipped+sub.File.Rejected != sub.File.Lines || sub.File.Lines != n {
		p.skip(n)
		return
	}
	p.read++
	if len(p.out.File.Notes) < 2*model.MaxWarnings {
		p.out.File.Note(fmt.Sprintf("%s at line %d: read as %s", clip(p.command), p.line+before, f.Name))
	}
	p.out.Part(sub)
}

// skip counts lines that carry nothing.
func (p *transcriptParser) skip(n int) {
	p.out.File.Lines += n
	p.out.Skip(n)
}

// transcriptFrame cuts blank lines and rules of # and comments off both ends,
// and returns how many lines these are.
func transcriptFrame(text []byte) (before int, body []byte, after int) {
	body = text
	for len(body) > 0 {
		line, rest, _ := bytes.Cut(body, []byte{'\n'})
		if !isFrame(line) {
			break
		}
		before, body = before+1, rest
	}
	for len(body) > 0 {
		cut := bytes.TrimSuffix(body, []byte{'\n'})
		i := bytes.LastIndexByte(cut, '\n') + 1
		if !isFrame(cut[i:]) {
			break
		}
		after, body = after+1, body[:i]
	}
	return before, body, after
}

// isFrame reports a blank line, a rule of signs, or a comment with a colon or
// dollar that such files put between outputs. The headers of dmon and pmon
// begin with the same sign.
func isFrame(line []byte) bool {
	line = scan.Trim(bytes.TrimRight(line, "\r"))
	if len(line) == 0 || len(bytes.Trim(line, "#=-")) == 0 && line[0] == '#' {
		return true
	}
	return bytes.HasPrefix(line, []byte("# ")) && (bytes.Contains(line, []byte(" :: ")) || bytes.HasPrefix(line, []byte("# $ ")))
}
