package ingest

import (
	"bytes"
	"strconv"
	"strings"
)

// A logPair is a key and the value printed for it.
type logPair struct {
	key   string // with the path inside a dict, "" where the unit alone tells
	name  int    // where the key begins in the line
	from  int    // of the value
	value logValue
	path  bool // stands inside a list of a dict: never a counter
	glued bool // key=value: a word is a value, too
}

// A pairScanner finds pairs left to right in one line. What a key may look
// like depends on what stands between it and its value: nothing for key=value,
// words for "lm loss: 1.8", a word of the field for "loss 4.2".
type pairScanner struct {
	b      []byte
	i, end int
	last   int // end of the pair found last: no key reaches before it
	start  int
	pairs  []logPair
	frames []dictFrame
	next   string // key whose value is the dict or list of dicts that begins
	pipes  bool
	misses int // quotes and brackets without an end: a few, and no more are tried
}

// A dictFrame is an open brace, or an open list of dicts.
type dictFrame struct {
	path string
	list bool
	n    int // dicts so far in the list
}

// scanPairs returns the pairs of b[from:end].
func scanPairs(b []byte, from, end int) []logPair {
	s := &pairScanner{b: b[:end], i: from, end: end, last: from, start: from}
	s.pipes = bytes.Contains(s.b[from:], []byte(" | "))
	for s.i < s.end && len(s.pairs) < maxLogPairs {
		s.step()
	}
	return s.pairs
}

func (s *pairScanner) step() {
	c := s.b[s.i]
	switch {
	case c == '=':
		s.equals()
	case c == ':':
		s.colon()
	case c == '{' || c == '[' || c == '}' || c == ']':
		s.brace(c)
	case isDigit(c):
		s.digits()
	case s.i > s.last && s.b[s.i-1] == ' ' && (c|0x20 == 'n' || c|0x20 == 'i') && s.bareConstant():
	default:
		s.i++
	}
}

// bareConstant reads "loss nan" and "mfu N/A".
func (s *pairScanner) bareConstant() bool {
	if _, n := constantAt(s.b[s.i:]); n == 0 && nullAt(s.b[s.i:]) == 0 {
		return false
	}
	name, key := s.knownBefore(s.i)
	if key == "" {
		return false
	}
	v, ok := s.value(s.i, false)
	if ok {
		s.add(s.path()+key, name, s.i, v, false)
	}
	return ok
}

// brace keeps the path of nested dicts.
func (s *pairScanner) brace(c byte) {
	s.i++
	top := len(s.frames) - 1
	switch c {
	case '[':
		if s.next != "" {
			s.push(dictFrame{path: s.next, list: true})
		}
	case '{':
		switch {
		case s.next != "":
			s.push(dictFrame{path: s.next + "/"})
		case top >= 0 && s.frames[top].list:
			f := &s.frames[top]
			f.n++
			s.push(dictFrame{path: f.path + "_" + strconv.Itoa(f.n-1) + "/"})
		default:
			s.push(dictFrame{path: s.path()})
		}
	case '}', ']':
		if top >= 0 && s.frames[top].list == (c == ']') {
			s.frames = s.frames[:top]
		}
	}
	s.next = ""
}

func (s *pairScanner) push(f dictFrame) {
	if len(s.frames) < 32 && len(f.path) < 256 {
		s.frames = append(s.frames, f)
	}
}

func (s *pairScanner) path() string {
	for i := len(s.frames) - 1; i >= 0; i-- {
		if !s.frames[i].list {
			return s.frames[i].path
		}
	}
	return ""
}

// listed reports whether the place is inside a list of dicts.
func (s *pairScanner) listed() bool {
	for _, f := range s.frames {
		if f.list {
			return true
		}
	}
	return false
}

// equals reads key=value and "words = value".
func (s *pairScanner) equals() {
	i := s.i
	s.i++
	if i == s.start || i+1 >= s.end || s.b[i+1] == '=' || bytes.IndexByte([]byte("=!<>+*~|&"), s.b[i-1]) >= 0 {
		return
	}
	name, key, at := 0, "", i+1
	if s.b[i-1] == ' ' {
		if s.b[at] != ' ' {
			return
		}
		name = s.assigned(i - 1)
		if name < i-1 {
			key = string(bytes.TrimRight(s.b[name:i-1], " "))
		}
		at++
	} else {
		name, key = s.token(i)
	}
	for at < s.end && s.b[at] == ' ' && at-i < 24 {
		at++ // "norm= 0.53", numbers in columns
	}
	if key == "" {
		return
	}
	if at < s.end && s.opens(at) {
		s.next, s.i = key, at
		return
	}
	if v, ok := s.value(at, true); ok && (!v.text || at == i+1 || s.b[i-1] == ' ') {
		s.add(key, name, at, v, true)
	}
}

// assigned returns where the words before " = " begin: after the last
// delimiter, at most 80 bytes back.
func (s *pairScanner) assigned(end int) int {
	i := end
	for i > s.last && end-i < 80 && s.b[i-1] != '|' && s.b[i-1] != ';' && s.b[i-1] != '=' {
		i--
	}
	if i > s.last && end-i >= 80 {
		return end
	}
	for i < end && (s.b[i] == ' ' || s.b[i] == ',') {
		i++
	}
	if i < end && !isLetter(s.b[i]) && s.b[i] != '_' {
		return end
	}
	return i
}

// keyByte reports whether c may stand in a key of one word.
func keyByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '_' || c == '.' || c == '/' || c == '-' || c == '#' || c == '@' || c == '%' || c == '+'
}

// token returns the key of one word that ends at end, and where it begins.
func (s *pairScanner) token(end int) (int, string) {
	if q := s.b[end-1]; (q == '\'' || q == '"') && end-1 > s.last {
		open := bytes.LastIndexByte(s.b[max(s.last, end-128):end-1], q)
		if open < 0 {
			return 0, ""
		}
		open += max(s.last, end-128)
		if open+1 == end-1 {
			return 0, ""
		}
		return open, s.path() + string(s.b[open+1:end-1])
	}
	i := end
	if s.b[i-1] == ')' {
		if open := bytes.LastIndexByte(s.b[max(s.last, i-24):i], '('); open >= 0 {
			i = open + max(s.last, i-24)
		}
	}
	stop := max(s.last, end-96)
	for i > stop && keyByte(s.b[i-1]) {
		i--
	}
	if i == stop && i > s.last {
		return 0, ""
	}
	if i > s.start && s.b[i-1] == ':' && i > s.last {
		return 0, "" // host:port, file:line:column
	}
	for i < end && !isLetter(s.b[i]) && s.b[i] != '_' && s.b[i] != '#' {
		if isDigit(s.b[i]) {
			return 0, ""
		}
		i++
	}
	if i == end {
		return 0, ""
	}
	return i, s.path() + string(s.b[i:end])
}

// colon reads key:value and "words: value".
func (s *pairScanner) colon() {
	i := s.i
	s.i++
	if i == s.start || i+1 >= s.end {
		return
	}
	if s.b[i+1] != ' ' {
		s.colonTight(i)
		return
	}
	at := i + 1
	for at < s.end && s.b[at] == ' ' && at-i < 24 {
		at++
	}
	if at == s.end {
		return
	}
	quoted := s.b[i-1] == '\'' || s.b[i-1] == '"'
	if quoted {
		name, key := s.token(i)
		if key == "" {
			return
		}
		if s.opens(at) {
			s.next = key
			s.i = at
			return
		}
		if v, ok := s.value(at, true); ok {
			s.add(key, name, at, v, true)
		}
		return
	}
	name := s.words(i)
	if name == i {
		return
	}
	if v, ok := s.value(at, false); ok && !v.text {
		s.add(s.path()+string(s.b[name:i]), name, at, v, false)
	}
}

// opens reports whether a dict, or a list of dicts, begins at i.
func (s *pairScanner) opens(i int) bool {
	if s.b[i] == '{' {
		return true
	}
	if s.b[i] != '[' {
		return false
	}
	for i++; i < s.end && s.b[i] == ' '; i++ {
	}
	return i < s.end && s.b[i] == '{'
}

func (s *pairScanner) colonTight(i int) {
	quoted := s.b[i-1] == '\'' || s.b[i-1] == '"'
	name, key := s.token(i)
	if key == "" || !quoted && notKey(key) {
		return
	}
	if quoted && s.opens(i+1) {
		s.next = key
		return
	}
	v, ok := s.value(i+1, quoted)
	if ok && (quoted || !v.text && (v.end == s.end || s.b[v.end] != ':')) {
		s.add(key, name, i+1, v, quoted)
	}
}

// notKey reports words before a colon that name a place, not a value.
func notKey(key string) bool {
	switch strings.ToLower(key) {
	case "cuda", "gpu", "cpu", "localhost", "port", "pid", "tid", "line", "http", "https", "tcp", "rank":
		return true
	}
	if dot := strings.LastIndexByte(key, '.'); dot > 0 {
		switch key[dot+1:] {
		case "py", "cc", "cpp", "cu", "cuh", "h", "hpp", "c", "go", "rs", "pyx", "local", "com", "org", "net", "io":
			return true
		}
	}
	return false
}

// words returns where the key of up to six words begins that ends at end, end
// where there is none. In a sentence the longest end that is a known name is
// the key, else the last word.
func (s *pairScanner) words(end int) int {
	best, first, i := end, end, end
	delimited := false
	for range 6 {
		j := s.word(i)
		if j == i {
			break
		}
		first, i = j, j
		if best == end || knownName(string(s.b[j:end])) {
			best = j
		}
		if j == s.last || s.b[j-1] != ' ' {
			delimited = j == s.last || bytes.IndexByte([]byte("|,;([{]>"), s.b[j-1]) >= 0
			break
		}
		if k := j - 2; k < s.last || bytes.IndexByte([]byte(" |,;]>-:"), s.b[k]) >= 0 || s.b[k] >= 0x80 {
			delimited = true
			break
		}
		i = j - 1
	}
	if delimited {
		return first
	}
	return best
}

// word returns where the word that ends at end begins, end where none does.
func (s *pairScanner) word(end int) int {
	i, letters := end, false
	if i > s.last && s.b[i-1] == ')' {
		open := bytes.LastIndexByte(s.b[max(s.last, i-24):i], '(')
		if open < 0 {
			return end
		}
		i, letters = open+max(s.last, i-24), true
	}
	for i > s.last && end-i < 64 && keyByte(s.b[i-1]) {
		letters = letters || isLetter(s.b[i-1]) || s.b[i-1] == '#'
		i--
	}
	if !letters || i < end && (isDigit(s.b[i]) || s.b[i] == '.' || s.b[i] == '-') {
		return end
	}
	return i
}

// add keeps a pair and moves on behind it.
func (s *pairScanner) add(key string, name, from int, v logValue, glued bool) {
	s.pairs = append(s.pairs, logPair{key: key, name: name, from: from, value: v, path: s.listed(), glued: glued})
	s.i, s.last = v.end, v.end
	s.next = ""
}
