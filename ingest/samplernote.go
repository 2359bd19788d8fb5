package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// samplerLine reads one line that py-spy prints while it records, with or
// without "py-spy> " before it, into n, which is empty but for its Line. It
// reports whether the line is one; many say nothing and leave n as it was.
// Profile.AddNote puts what n says to the recording it belongs to.
//
// Anything else may stand in a training log, so words count only at the
// beginning of the line, after its own prefix was taken off.
func samplerLine(line []byte, n *model.SamplerNote) bool {
	line, ours := samplerPrefix(line)
	if len(line) == 0 {
		return ours
	}
	switch c := line[0]; {
	case c == 'S' && bytes.HasPrefix(line, []byte("Sampling process ")):
		return samplerBegin(line, n)
	case c == 'S' && bytes.HasPrefix(line, []byte("Stopped sampling because ")):
		return true
	case c == 'C' && bytes.HasPrefix(line, []byte("Collected ")):
		return samplerProgress(line, n)
	case c == 'W' && bytes.HasPrefix(line, []byte("Wrote ")):
		return samplerWrote(line, n)
	case c-'0' < 10 && bytes.Contains(line, []byte("s behind in sampling")):
		return samplerLag(line, n)
	case c == 'F' || c == 'E' || c == 'P' || c == 'R':
		return samplerError(line, ours, n)
	}
	return ours || bytes.HasPrefix(line, []byte("You can use the flamegraph.pl script from ")) ||
		bytes.HasPrefix(line, []byte("Visit https://www.speedscope.app/")) ||
		bytes.HasPrefix(line, []byte("Visit chrome://tracing"))
}

// samplerPrefix takes colours, a spinner and the sampler's name off a line, and
// reports whether the name was there.
func samplerPrefix(line []byte) ([]byte, bool) {
	if i := bytes.LastIndexByte(bytes.TrimRight(line, "\r"), '\r'); i >= 0 {
		line = line[i+1:] // a progress line shows what was written over it last
	}
	line = bytes.TrimRight(stripANSI(line), "\r \t")
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t' || line[0] >= 0x80) {
		line = line[1:]
	}
	rest, ours := bytes.CutPrefix(line, []byte("py-spy> "))
	return rest, ours
}

// samplerBegin reads "Sampling process 100 times a second for 30 seconds."
func samplerBegin(line []byte, n *model.SamplerNote) bool {
	rate, rest, ok := leadingNumber(line[len("Sampling process "):])
	rest, second := bytes.CutPrefix(rest, []byte(" times a second"))
	if !ok || !second || rate <= 0 {
		return false
	}
	n.Rate = rate
	if rest, ok := bytes.CutPrefix(rest, []byte(" for ")); ok {
		n.Duration, _, _ = leadingNumber(rest)
	}
	return true
}

// samplerLag reads "1.01s behind in sampling, …".
func samplerLag(line []byte, n *model.SamplerNote) bool {
	lag, rest, ok := leadingNumber(line)
	if !ok || !bytes.HasPrefix(rest, []byte("s behind in sampling")) {
		return false
	}
	n.Lag, n.LagLines = lag, []int32{n.Line}
	return true
}

// samplerProgress reads "Collected 12 samples (3 errors)".
func samplerProgress(line []byte, n *model.SamplerNote) bool {
	samples, rest, ok := leadingNumber(line[len("Collected "):])
	rest, is := bytes.CutPrefix(rest, []byte(" samples"))
	if !ok || !is {
		return false
	}
	n.Samples = samples
	if rest, ok := bytes.CutPrefix(rest, []byte(" (")); ok {
		n.Errors, _, _ = leadingNumber(rest)
	}
	return true
}

// samplerWrote reads "Wrote speedscope file to 'x.json'. Samples: 9 Errors: 0".
// Counts are absent before 0.3.
func samplerWrote(line []byte, n *model.SamplerNote) bool {
	what, rest, ok := bytes.Cut(line[len("Wrote "):], []byte(" to '"))
	end := bytes.LastIndexByte(rest, '\'')
	if !ok || end < 0 {
		return false
	}
	switch string(what) {
	case "flamegraph data", "raw flamegraph data", "speedscope file", "chrome trace", "flame graph":
	default:
		return false
	}
	n.Done, n.Output = true, string(rest[:end])
	if _, after, ok := bytes.Cut(rest[end:], []byte("Samples: ")); ok {
		n.Samples, _, _ = leadingNumber(after)
	}
	if _, after, ok := bytes.Cut(rest[end:], []byte("Errors: ")); ok {
		n.Errors, _, _ = leadingNumber(after)
	}
	return true
}

// samplerFaults are errors in the sampler's own words.
var samplerFaults = [][]byte{
	[]byte("Permission Denied: Try running again with elevated permissions"), []byte("Permission denied (os error"),
	[]byte("Failed to find python version from target process"), []byte("Failed to get process executable name"),
	[]byte("Failed to find a python interpreter"), []byte("Failed to suspend process"), []byte("Failed to lock "),
	[]byte("Failed to open process"), []byte("Failed to copy Py"), []byte("This program requires root"),
}

// samplerError reads errors. One stack that failed is no failure of the recording.
func samplerError(line []byte, ours bool, n *model.SamplerNote) bool {
	text := bytes.TrimPrefix(bytes.TrimPrefix(line, []byte("Error: ")), []byte("Reason: "))
	if bytes.HasPrefix(text, []byte("Failed to merge native and python frames")) || bytes.HasPrefix(text, []byte("Failed to get stack trace from")) {
		return true
	}
	fault := ours && len(text) < len(line)
	for _, f := range samplerFaults {
		fault = fault || bytes.HasPrefix(text, f)
	}
	if fault {
		n.Failed = string(text)
	}
	return ours || fault
}

// leadingNumber reads the digits and the point that a text begins with.
func leadingNumber(b []byte) (v float64, rest []byte, ok bool) {
	i := 0
	for i < len(b) && (b[i]-'0' < 10 || b[i] == '.' && i+1 < len(b) && b[i+1]-'0' < 10) {
		i++
	}
	v, ok = scan.Float(b[:i])
	return v, b[i:], ok
}

// stripANSI takes out control sequences, as colours are written in. It copies
// only where there are some.
func stripANSI(b []byte) []byte {
	i := bytes.IndexByte(b, 0x1b)
	if i < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for ; i >= 0; i = bytes.IndexByte(b, 0x1b) {
		out = append(out, b[:i]...)
		b = b[i+1:]
		if len(b) == 0 || b[0] != '[' {
			continue
		}
		end := 1
		for end < len(b) && (b[end] < 0x40 || b[end] > 0x7e) {
			end++
		}
		b = b[min(end+1, len(b)):]
	}
	return append(out, b...)
}
