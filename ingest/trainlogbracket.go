package ingest

import "bytes"

// bracket peels [INFO], [rank0]:, [2026-01-02 03:04:05,678 10.0.0.3 RANK:0],
// [INFO|trainer.py:2520], [timer.py:197:stop], [  222.6s] and a tag before a time.
func (h *logHead) bracket(b []byte, i int) int {
	n := bytes.IndexByte(b[i:min(len(b), i+160)], ']')
	if n < 0 {
		return i
	}
	in, end := bytes.TrimSpace(b[i+1:i+n]), i+n+1
	at := i + 1 + bytes.Index(b[i+1:i+n], in)
	if len(in) == 0 {
		return i
	}
	switch {
	case h.bracketStamp(b, at, at+len(in)), h.bracketLevel(in, b, at), h.bracketRank(in, at):
	case isLocation(in) && h.peeled, h.tag(b, in, at, end), h.peeled && rankNext(b[end:]):
	case h.elapsed(in, at):
	default:
		return i
	}
	if end < len(b) && b[end] == ':' {
		end++
	}
	return end
}

// bracketStamp reads a time, with ranks and addresses after it.
func (h *logHead) bracketStamp(b []byte, from, to int) bool {
	if h.stamp != stampNone {
		return false
	}
	kind, n := h.stampAt(b[from:to])
	if kind == stampNone || from+n < to && b[from+n] != ' ' {
		return false
	}
	h.stamp, h.at, h.to = kind, from, from+n
	h.extras(b, from+n, to)
	return true
}

// extras reads the words after the time inside its bracket: a level, process
// numbers, who printed the line.
func (h *logHead) extras(b []byte, i, to int) {
	for i < to {
		for i < to && b[i] == ' ' {
			i++
		}
		j := i
		for j < to && b[j] != ' ' {
			j++
		}
		if l := levelOf(b[i:j]); l != 0 {
			h.level = l
		} else if i < j && !allDigits(b[i:j]) {
			h.addSource(i, j)
		}
		i = j
	}
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// bracketLevel reads [INFO], [INFO|trainer.py:2520] and [INFO 2020-06-08 05:26:19].
func (h *logHead) bracketLevel(in, b []byte, at int) bool {
	w := in
	if cut := bytes.IndexAny(in, "| "); cut > 0 {
		w = in[:cut]
	}
	l := levelOf(w)
	if l == 0 {
		return false
	}
	rest := in[len(w):]
	if len(rest) > 0 && rest[0] == ' ' {
		from := at + len(in) - len(bytes.TrimLeft(rest, " "))
		if !h.bracketStamp(b, from, at+len(in)) {
			return false
		}
	}
	h.level = l
	return true
}

// bracketRank reads [rank0], [default3], [Rank 12].
func (h *logHead) bracketRank(in []byte, at int) bool {
	w := bytes.ToLower(in)
	if bytes.HasPrefix(w, []byte("pod/")) && bytes.IndexByte(w, ' ') < 0 { // kubectl logs --prefix
		h.addSource(at, at+len(in))
		return true
	}
	for _, p := range []string{"rank", "default", "worker", "gpu", "target", "drafter"} {
		rest, ok := bytes.CutPrefix(w, []byte(p))
		rest = bytes.TrimLeft(rest, " -_:=")
		if ok && len(rest) > 0 && len(rest) <= shortRun && allDigits(rest) {
			h.addSource(at, at+len(in))
			return true
		}
	}
	return false
}

// rankNext reports whether another bracket with a rank follows, as after the
// part of the program in "[INFO] [TRAIN] [Rank 0]".
func rankNext(b []byte) bool {
	b = bytes.TrimLeft(b, " ")
	closing := bytes.IndexByte(b[:min(len(b), 24)], ']')
	return closing > 1 && b[0] == '[' && new(logHead).bracketRank(b[1:closing], 0)
}

// elapsed reads [  222.6s].
func (h *logHead) elapsed(in []byte, at int) bool {
	if h.stamp != stampNone || len(in) < 2 || in[len(in)-1] != 's' {
		return false
	}
	n, ok := logNumberAt(in, 0)
	if !ok || n.kind != numberPlain || n.to != len(in)-1 || !isDigit(in[0]) {
		return false
	}
	h.stamp, h.at, h.to = stampElapsed, at, at+n.to
	return true
}

// tag peels [name] where a time follows it.
func (h *logHead) tag(b, in []byte, at, end int) bool {
	if h.stamp != stampNone || len(in) > 32 || bytes.IndexByte(in, ' ') >= 0 || !isLetter(in[0]) {
		return false
	}
	for end < len(b) && b[end] == ' ' {
		end++
	}
	if end < len(b) && b[end] == '[' {
		end++
	}
	if kind, _ := h.stampAt(b[end:min(len(b), end+40)]); kind == stampNone {
		return false
	}
	h.addSource(at, at+len(in))
	return true
}
