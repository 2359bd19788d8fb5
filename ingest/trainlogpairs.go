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

// digits reads "loss 4.2", "[step   748]" and "10,526 tok/s", where the number
// comes first.
func (s *pairScanner) digits() {
	i := s.i
	from := i
	if i > s.last && (s.b[i-1] == '-' || s.b[i-1] == '+') {
		from--
	}
	if i > s.last && (keyByte(s.b[i-1]) && from == i || s.b[i-1] == ':') {
		s.skipToken()
		return
	}
	if name, key := s.knownBefore(from); key != "" {
		if v, ok := s.value(from, false); ok && !v.text && !v.null && (key != "time" || v.nums[0].unit != "") {
			s.add(s.path()+key, name, from, v, false)
			return
		}
	}
	if v, ok := s.value(from, false); ok && len(v.nums) > 0 {
		if u := v.nums[0].unit; (logUnit{base: u}).rate() && !v.list && !v.fraction {
			s.add("", from, from, v, false)
			return
		}
		if from == s.start && v.fraction && bytes.Contains(s.b, []byte("SamplesPerSec=")) {
			s.add("epoch/step", from, from, v, false) // older DeepSpeed
			return
		}
	}
	s.skipToken()
}

func (s *pairScanner) skipToken() {
	for s.i < s.end && (keyByte(s.b[s.i]) || (s.b[s.i] == ':' || s.b[s.i] == ',') && s.i+1 < s.end && isDigit(s.b[s.i+1])) {
		s.i++
	}
}

// knownBefore returns the word before a number at i that is a known name of
// a counter or metric, with the words that belong to it.
func (s *pairScanner) knownBefore(i int) (int, string) {
	end := i
	for end > s.last && s.b[end-1] == ' ' {
		end--
	}
	if end == i {
		return 0, ""
	}
	j := s.word(end)
	if j == end {
		return 0, ""
	}
	word := strings.ToLower(string(s.b[j:end]))
	prev := j
	for prev > s.last && s.b[prev-1] == ' ' {
		prev--
	}
	inParens := prev > s.last && prev == j && s.b[prev-1] == '(' || prev > s.last && s.b[prev-1] == ',' && bytes.IndexByte(s.b[s.last:prev], '(') >= 0
	column := s.pipes && (prev == s.start || prev > s.start && s.b[prev-1] == '|')
	if knownWords[word] || column && wholeColumn(s.b[i:]) || inParens && (word == "max" || word == "cap" || word == "capacity" || word == "maxsize") {
		if prev < j && j-prev == 1 && prev > s.last {
			if k := s.word(prev); k < prev && (knownName(string(s.b[k:end])) || modifiers[strings.ToLower(string(s.b[k:prev]))]) {
				j = k
			}
		}
		return j, string(s.b[j:end])
	}
	if prev < j {
		if k := s.word(prev); k < prev && knownName(string(s.b[k:end])) {
			return k, string(s.b[k:end])
		}
	}
	return 0, ""
}

// wholeColumn reports whether what begins with a number ends at a pipe with
// little besides, as a column "| mem 8.34 GiB |" does.
func wholeColumn(b []byte) bool {
	n := bytes.IndexByte(b, '|')
	if n < 0 {
		n = len(b)
	}
	return n <= 40 && bytes.Count(bytes.TrimSpace(b[:n]), []byte{' '}) <= 1
}

// add keeps a pair and moves on behind it.
func (s *pairScanner) add(key string, name, from int, v logValue, glued bool) {
	s.pairs = append(s.pairs, logPair{key: key, name: name, from: from, value: v, path: s.listed(), glued: glued})
	s.i, s.last = v.end, v.end
	s.next = ""
}

// value reads the value at i. words says that text may be one.
func (s *pairScanner) value(i int, words bool) (logValue, bool) {
	if i >= s.end {
		return logValue{}, false
	}
	switch c := s.b[i]; {
	case c == '\'' || c == '"':
		return s.quoted(i, c)
	case c == '[' || c == '(':
		return s.list(i)
	}
	if v, ok := s.number(i); ok {
		return v, true
	}
	if v, ok := s.wrapped(i); ok {
		return v, true
	}
	if n := nullAt(s.b[i:]); n > 0 {
		return logValue{end: i + n, null: true}, true
	}
	if words {
		return s.word1(i)
	}
	return logValue{}, false
}

// word1 reads one word as a value.
func (s *pairScanner) word1(i int) (logValue, bool) {
	j := i
	for j < s.end && bytes.IndexByte([]byte(" \t,;|)]}'\""), s.b[j]) < 0 {
		j++
	}
	return logValue{end: j, text: true}, j > i && j-i <= 256
}

// quoted reads a quoted number, or text.
func (s *pairScanner) quoted(i int, q byte) (logValue, bool) {
	limit := min(s.end, i+maxLogText)
	n := -1
	if s.misses < maxLogMisses {
		n = bytes.IndexByte(s.b[i+1:limit], q)
	}
	if n < 0 {
		s.misses++
		return logValue{}, false
	}
	end := i + 1 + n
	in := &pairScanner{b: s.b[:end], end: end}
	if v, ok := in.number(i + 1); ok && v.end == end {
		v.end = end + 1
		return v, true
	}
	return logValue{end: end + 1, text: true}, true
}

// number reads a number with all that belongs to it: unit, the other half of
// a fraction, a second number in parentheses.
func (s *pairScanner) number(i int) (logValue, bool) {
	if end := durationAt(s.b, i); end > 0 && (end == s.end || valueEnd(s.b[end])) {
		return logValue{end: end, nums: []logNumber{{from: i, to: end, kind: numberDuration, scale: 1, unit: unitSecond}}}, true
	}
	n, ok := logNumberAt(s.b, i)
	if !ok {
		return logValue{}, false
	}
	if n.to+1 < s.end && n.kind == numberPlain && s.b[n.to] == ',' && isDigit(s.b[n.to+1]) {
		return s.commaList(i)
	}
	if v, ok := s.fraction(n); ok {
		return v, true
	}
	end, ok := unitAt(s.b, n.to, &n)
	if !ok || end < s.end && !valueEnd(s.b[end]) && !sentenceEnd(s.b[end:]) {
		return logValue{}, false
	}
	v := logValue{end: end, nums: []logNumber{n}}
	s.second(&v)
	return v, true
}

// sentenceEnd reports whether b is punctuation that ends a sentence, or the
// colon of "iter 5: loss 4.2".
func sentenceEnd(b []byte) bool {
	return (b[0] == '.' || b[0] == '!' || b[0] == ':') && (len(b) == 1 || b[1] == ' ')
}

// fraction reads the m of n/m, with blanks around the slash.
func (s *pairScanner) fraction(n logNumber) (logValue, bool) {
	j := n.to
	for j < s.end && s.b[j] == ' ' && j-n.to < 16 {
		j++
	}
	if j >= s.end || s.b[j] != '/' {
		return logValue{}, false
	}
	for j++; j < s.end && s.b[j] == ' ' && j-n.to < 32; j++ {
	}
	if j >= s.end || !isDigit(s.b[j]) {
		return logValue{}, false
	}
	m, ok := logNumberAt(s.b, j)
	if !ok || m.to < s.end && !valueEnd(s.b[m.to]) && !sentenceEnd(s.b[m.to:]) {
		return logValue{}, false
	}
	m.suffix = "_total"
	v := logValue{end: m.to, nums: []logNumber{n, m}, fraction: true}
	return v, true
}

// second reads the number in parentheses after a value: 9.46GiB(64.99%),
// 2276.01(284.50/gpu), 13.978 (15.329).
func (s *pairScanner) second(v *logValue) {
	j := v.end
	if j < s.end && s.b[j] == ' ' {
		j++
	}
	if j+1 >= s.end || s.b[j] != '(' || !isDigit(s.b[j+1]) && s.b[j+1] != '-' {
		return
	}
	n, ok := logNumberAt(s.b, j+1)
	if !ok {
		return
	}
	end, ok := unitAt(s.b, n.to, &n)
	if !ok || end >= s.end {
		return
	}
	n.suffix = "_avg"
	if n.unit == unitRatio {
		n.suffix = "_share"
	}
	if s.b[end] == '/' {
		k := end + 1
		for k < s.end && isLetter(s.b[k]) {
			k++
		}
		n.suffix, n.unit = "_per_"+string(s.b[end+1:k]), v.nums[0].unit
		end = k
	}
	if end < s.end && s.b[end] == ')' {
		v.nums, v.end = append(v.nums, n), end+1
	}
}

// commaList reads numbers between commas without blanks: 0,1,2,3.
func (s *pairScanner) commaList(i int) (logValue, bool) {
	v := logValue{list: true}
	for len(v.nums) < maxLogPairs {
		n, ok := logNumberAt(s.b, i)
		if !ok {
			return v, false
		}
		n.suffix = "_" + strconv.Itoa(len(v.nums))
		v.nums = append(v.nums, n)
		if v.end = n.to; v.end+1 >= s.end || s.b[v.end] != ',' || !isDigit(s.b[v.end+1]) {
			return v, v.end == s.end || valueEnd(s.b[v.end])
		}
		i = v.end + 1
	}
	return v, false
}

// list reads a list or tuple, nested or not; one that holds anything but
// numbers is text.
func (s *pairScanner) list(i int) (logValue, bool) {
	v := logValue{list: true}
	if s.misses >= maxLogMisses {
		return v, false
	}
	limit := min(s.end, i+maxLogText)
	var index []int
	for j := i; j < limit; {
		switch c := s.b[j]; {
		case c == '[' || c == '(':
			index = append(index, 0)
			j++
		case c == ']' || c == ')':
			index = index[:len(index)-1]
			j++
			if len(index) == 0 {
				v.end = j
				return v, true
			}
		case c == ',':
			index[len(index)-1]++
			j++
		case c == '{':
			return v, false
		case c == ' ' || c == '\'' || c == '"':
			j++
		default:
			j = s.element(j, limit, &v, index)
		}
	}
	s.misses++
	return v, false
}

// element reads one element of a list and returns its end.
func (s *pairScanner) element(j, limit int, v *logValue, index []int) int {
	n, ok := logNumberAt(s.b[:limit], j)
	end := j
	if ok {
		end, ok = unitAt(s.b[:limit], n.to, &n)
	}
	if ok && end < limit && valueEnd(s.b[end]) && !v.text && len(v.nums) < maxLogPairs {
		for _, k := range index {
			n.suffix += "_" + strconv.Itoa(k)
		}
		v.nums = append(v.nums, n)
		return end
	}
	v.text, v.nums = true, nil
	for end = j + 1; end < limit && bytes.IndexByte([]byte(",[]() "), s.b[end]) < 0; end++ {
	}
	return end
}

// wrapped reads np.float64(0.5), tensor(0.5, device='cuda:0') and Decimal('0.5').
func (s *pairScanner) wrapped(i int) (logValue, bool) {
	j := i
	for j < s.end && j-i < 32 && (isLetter(s.b[j]) || isDigit(s.b[j]) || s.b[j] == '_' || s.b[j] == '.') {
		j++
	}
	if j == i || j+1 >= s.end || s.b[j] != '(' || !isLetter(s.b[i]) {
		return logValue{}, false
	}
	at := j + 1
	if s.b[at] == '\'' || s.b[at] == '"' {
		at++
	}
	n, ok := logNumberAt(s.b, at)
	if !ok || n.to >= s.end || bytes.IndexByte([]byte(",)'\". "), s.b[n.to]) < 0 {
		return logValue{}, false
	}
	closing := bytes.IndexByte(s.b[n.to:min(s.end, n.to+128)], ')')
	if closing < 0 {
		return logValue{}, false
	}
	return logValue{end: n.to + closing + 1, nums: []logNumber{n}}, true
}
