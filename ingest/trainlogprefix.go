package ingest

import "bytes"

// A logHead is what stands before the text of a line: who printed it, when,
// how urgent it is.
type logHead struct {
	stamp  logStamp
	at, to int // of the stamp
	level  byte
	source []span
	text   int // where the text begins
	end    int // where it ends
	indent bool
	blank  bool // rich leaves the time out while the second is the same
	peeled bool // has a stamp, level or source
	tried  bool // something looked like a time, but was none
}

type span struct{ from, to int }

// peel takes prefixes off b from i on, until none is left.
func (h *logHead) peel(b []byte, i int) {
	start, first := i, i
	for range 16 {
		for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
			i++
		}
		j := h.one(b, i)
		if j <= i {
			break
		}
		i, start, h.peeled = j, j, true
	}
	h.indent = i-start > 1
	h.blank = h.stamp == stampNone && h.level != 0 && len(b) > first+8 && len(bytes.TrimLeft(b[first:first+8], " ")) == 0
	h.text = i
	h.end = len(b)
	for h.end > i && (b[h.end-1] == ' ' || b[h.end-1] == '\t') {
		h.end--
	}
	h.trimRight(b)
}

// one returns the end of the prefix at i, i where there is none.
func (h *logHead) one(b []byte, i int) int {
	if i >= len(b) {
		return i
	}
	switch c := b[i]; {
	case c == '[':
		return h.bracket(b, i)
	case c == '(':
		return h.actor(b, i)
	case isDigit(c):
		return h.number(b, i)
	case c == '|' || c == '-' || c == '>' || c == ':' || c == ']':
		return h.separator(b, i)
	case isLetter(c) || c == '_':
		return h.word(b, i)
	}
	return i
}

// stampAt is the function of that name; it remembers what nearly was a time.
func (h *logHead) stampAt(b []byte) (logStamp, int) {
	kind, n := stampAt(b)
	h.tried = h.tried || kind == stampNone && looksTimed(b)
	return kind, n
}

// looksTimed reports whether b begins with three runs of digits and what may
// stand between the parts of a time.
func looksTimed(b []byte) bool {
	i, joints := 0, 0
	for part := range 3 {
		run := i
		for i < len(b) && isDigit(b[i]) {
			i++
		}
		if i == run {
			return false
		}
		if part == 2 {
			break
		}
		if i >= len(b) || bytes.IndexByte([]byte("-/:_T "), b[i]) < 0 {
			return part == 1 && joints > 0 // 20231023_095643
		}
		if b[i] != ' ' {
			joints++
		}
		for i++; i < len(b) && b[i] == ' '; i++ {
		}
	}
	return joints > 0
}

func (h *logHead) addSource(from, to int) {
	if len(h.source) < 8 && to > from && to-from <= 64 {
		h.source = append(h.source, span{from, to})
	}
}

// number peels a time, the rank that srun -l prints, or nothing.
func (h *logHead) number(b []byte, i int) int {
	if h.stamp == stampNone || h.stamp == stampElapsed {
		if kind, n := h.stampAt(b[i:min(len(b), i+64)]); kind != stampNone && (i+n == len(b) || !isDigit(b[i+n]) && (kind == stampDated || b[i+n] != ':' && b[i+n] != '/')) {
			h.stamp, h.at, h.to = kind, i, i+n
			return h.container(b, i+n)
		}
	}
	j := i
	for j < len(b) && isDigit(b[j]) {
		j++
	}
	if !h.peeled && j-i <= shortRun && j+1 < len(b) && b[j] == ':' && b[j+1] == ' ' {
		h.addSource(i, j)
		return j + 1
	}
	return i
}

// separator peels what stands between the parts of a prefix.
func (h *logHead) separator(b []byte, i int) int {
	if !h.peeled {
		return i
	}
	j := i + 1
	for j < len(b) && b[j] == b[i] {
		j++
	}
	if j-i <= 2 && (j == len(b) || b[j] == ' ') || b[i] == ']' || b[i] == ':' {
		return j
	}
	return i
}

// isLocation reports whether w is file.py:12, file.py:12:function or module:function:12.
func isLocation(w []byte) bool {
	colon := bytes.IndexByte(w, ':')
	if colon <= 0 || colon+1 >= len(w) || len(w) > 120 {
		return false
	}
	for _, c := range w {
		if !keyByte(c) && c != ':' && c != '<' && c != '>' {
			return false
		}
	}
	parts := bytes.Split(w, []byte{':'})
	numbers := 0
	for _, p := range parts[1:] {
		if len(p) > 0 && allDigits(p) {
			numbers++
		}
	}
	return numbers == 1 && len(parts) <= 3 && (len(parts) == 3 || bytes.IndexByte(parts[0], '.') > 0) && isLetter(w[0])
}

// actor peels (Name pid=1, ip=10.0.0.2) and (raylet), as Ray prints them.
func (h *logHead) actor(b []byte, i int) int {
	n := bytes.IndexByte(b[i:min(len(b), i+160)], ')')
	if n < 2 || i+n+1 < len(b) && b[i+n+1] != ' ' && b[i+n+1] != ':' {
		return i
	}
	in := b[i+1 : i+n]
	if !isLetter(in[0]) {
		return i
	}
	for _, c := range in {
		if !keyByte(c) && c != ' ' && c != '=' && c != ',' && c != ':' {
			return i
		}
	}
	if !bytes.Contains(in, []byte(" pid=")) && string(in) != "raylet" && string(in) != "autoscaler" && string(in) != "gcs_server" {
		return i
	}
	h.addSource(i+1, i+n)
	end := i + n + 1
	if end < len(b) && b[end] == ':' {
		end++
	}
	return end
}

// word peels a level, a stream, a logger's name, a place in the code, or the
// name of a worker before a colon.
func (h *logHead) word(b []byte, i int) int {
	j := i
	for j < len(b) && (keyByte(b[j]) || b[j] == ':') && j-i < 120 {
		j++
	}
	if end := h.glog(b, i); end > i {
		return end
	}
	if end := h.syslog(b, i); end > i {
		return end
	}
	w := bytes.TrimRight(b[i:j], ":")
	switch {
	case levelOf(w) != 0 && len(w) > 1 && (h.level == 0 || h.level == levelOf(w)):
		return h.levelWord(b, i, w)
	case !h.peeled && (string(w) == "stdout" || string(w) == "stderr") && j > i+len(w):
		h.addSource(i, i+len(w))
		return i + len(w) + 1
	case levelGlued(w) > 0 && h.stamp == stampNone:
		return h.levelBeforeStamp(b, i, levelGlued(w))
	case levelGlued(w) > 0 && (h.level == 0 || h.level == levelOf(w[:levelGlued(w)])):
		return h.levelWord(b, i, b[i:i+levelGlued(w)])
	}
	if h.peeled && isLocation(w) && (j >= len(b) || b[j] == ' ' || b[j] == ']' || b[j] == ':') {
		return i + len(w)
	}
	if h.stamp != stampNone && j+2 < len(b) && b[j] == ' ' && (b[j+1] == '-' || b[j+1] == '|') && b[j+2] == ' ' && j == i+len(w) {
		if stepRank(string(w)) == 0 && (bytes.IndexByte(w, '.') > 0 || h.level == 0 || string(w) == "root") {
			return j + 2 // the logger
		}
	}
	if n := h.ncclHost(b, i, j); n > i {
		return n
	}
	return h.worker(b, i)
}

// levelWord peels INFO, INFO:, INFO:name: after or before a time.
func (h *logHead) levelWord(b []byte, i int, w []byte) int {
	end := i + len(w)
	if end < len(b) && b[end] != ' ' && b[end] != ':' && b[end] != ']' {
		return i
	}
	h.level = levelOf(w)
	if end < len(b) && b[end] == ':' {
		end++
		// INFO:tensorflow:Step 200
		k := end
		for k < len(b) && (isLetter(b[k]) || b[k] == '_' || b[k] == '.') {
			k++
		}
		if k > end && k+1 < len(b) && b[k] == ':' && !isDigit(b[k+1]) {
			end = k + 1
		}
	}
	return end
}

// levelGlued returns how long the level is that w begins with where a colon
// and more follows: WARNING:2026-….
func levelGlued(w []byte) int {
	if c := bytes.IndexByte(w, ':'); c > 1 && levelOf(w[:c]) != 0 {
		return c
	}
	return 0
}

func (h *logHead) levelBeforeStamp(b []byte, i, n int) int {
	if kind, _ := h.stampAt(b[i+n+1 : min(len(b), i+n+65)]); kind == stampNone {
		return h.levelWord(b, i, b[i:i+n])
	}
	h.level = levelOf(b[i : i+n])
	return i + n + 1
}

// glog reads I0912 11:41:51.976096 139735407601536 model_lib_v2.py:652] and
// returns its end, i where there is none.
func (h *logHead) glog(b []byte, i int) int {
	if h.stamp != stampNone || len(b)-i < 14 || bytes.IndexByte([]byte("IWEFD"), b[i]) < 0 || !isDigit(b[i+1]) {
		return i
	}
	_, n, ok := readStamp(stampMonth, b[i+1:min(len(b), i+65)])
	if !ok {
		h.tried = h.tried || looksTimed(b[i+1:])
		return i
	}
	h.stamp, h.at, h.to = stampMonth, i+1, i+1+n
	h.level = levelOf(b[i : i+1])
	closing := bytes.IndexByte(b[h.to:min(len(b), h.to+160)], ']')
	if closing < 0 {
		return h.to
	}
	for _, w := range bytes.Fields(b[h.to : h.to+closing]) {
		if !allDigits(w) && !isLocation(w) {
			return h.to
		}
	}
	return h.to + closing + 1
}

// ncclHost peels host:pid:tid [gpu] of an NCCL line.
func (h *logHead) ncclHost(b []byte, i, j int) int {
	parts := bytes.Split(b[i:j], []byte{':'})
	if len(parts) != 3 || !allDigits(parts[1]) || !allDigits(parts[2]) || len(parts[1]) == 0 || len(parts[2]) == 0 {
		return i
	}
	rest := b[j:]
	n := bytes.IndexByte(rest[:min(len(rest), 8)], ']')
	if !bytes.HasPrefix(rest, []byte(" [")) || n < 3 || !allDigits(rest[2:n]) {
		return i
	}
	h.addSource(i, i+len(parts[0]))
	h.addSource(j+1, j+n+1)
	return j + n + 1
}

// worker peels "target-1:" and, of the usual names, "rank 3:" and "gpu0:", but
// not "step 3:" nor a key with a number after it.
func (h *logHead) worker(b []byte, i int) int {
	j := i
	for j < len(b) && (isLetter(b[j]) || b[j] == '_') {
		j++
	}
	name := bytes.ToLower(bytes.TrimRight(b[i:j], "_"))
	k := j
	blank := k < len(b) && (b[k] == ' ' || isDigit(b[k]) && b[k-1] != '_')
	if k < len(b) && (b[k] == '-' || b[k] == ' ' || b[k] == '#') {
		k++
	}
	digits := k
	for k < len(b) && isDigit(b[k]) {
		k++
	}
	if n := h.composed(b, i, digits, k); n > i && !counterWords[string(name)] {
		return n
	}
	if j-i < 2 || j-i > 32 || k == digits || k-digits > shortRun || k+2 >= len(b) || b[k] != ':' || b[k+1] != ' ' {
		return i
	}
	next := k + 2
	for next < len(b) && b[next] == ' ' {
		next++
	}
	if next == len(b) || isDigit(b[next]) || b[next] == '-' || b[next] == '{' || counterWords[string(name)] || blank && !workerWords[string(name)] {
		return i
	}
	h.addSource(i, k)
	return k + 1
}

var (
	counterWords = wordSet("step steps iter iteration epoch it batch global_step micro_step train_step eval val test p acc loss top layer block round stage phase window win perf rollout")
	workerWords  = wordSet("rank worker gpu device actor process proc replica target drafter trainer consumer producer server client engine thread node host")
)

// trimRight takes off what Ray says of hidden lines, and the place in the code
// that rich prints at the right edge.
func (h *logHead) trimRight(b []byte) {
	if text := b[h.text:h.end]; bytes.HasSuffix(text, []byte("x across cluster]")) {
		if i := bytes.LastIndex(text, []byte(" [repeated ")); i > 0 {
			h.end = h.text + i
		}
	}
	cut := bytes.LastIndex(b[h.text:h.end], []byte("  "))
	if cut <= 0 {
		return
	}
	w := bytes.TrimLeft(b[h.text+cut:h.end], " ")
	if colon := bytes.LastIndexByte(w, ':'); colon > 3 && bytes.HasSuffix(w[:colon], []byte(".py")) && isLocation(w) {
		h.end = h.text + len(bytes.TrimRight(b[h.text:h.text+cut], " "))
	}
}
