package ingest

import (
	"bytes"
	"strconv"
)

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
