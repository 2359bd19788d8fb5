package ingest

import (
	"bytes"
	"strings"
)

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
