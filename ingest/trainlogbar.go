package ingest

import "bytes"

// A logBar is a progress bar as tqdm draws it.
type logBar struct {
	from, to  int // of all of it
	n         span
	elapsed   span // empty where it is not printed
	rate      logValue
	glyphs    span // the drawn part
	post      span // the pairs after the rate
	hasRate   bool
	hasPost   bool
	secondsOf bool // the rate is seconds a step
}

// barAt finds the first bar in b from i on: "desc: 6%|▋ | 1/16 [00:58<14:41,
// 58.76s/it, loss=2.1]".
func barAt(b []byte, i int) (bar logBar, ok bool) {
	p := bytes.Index(b[i:], []byte("%|"))
	if p < 0 || p > 512 {
		return bar, false
	}
	p += i
	second := bytes.IndexByte(b[p+2:min(len(b), p+1024)], '|')
	if second < 0 {
		return bar, false
	}
	bar.glyphs = span{p + 2, p + 2 + second}
	bar.from = p
	for bar.from > i && (isDigit(b[bar.from-1]) || b[bar.from-1] == '.') {
		bar.from--
	}
	return bar, bar.counts(b, bar.glyphs.to+1)
}

// counts reads " 1/16 [00:58<14:41, 58.76s/it]".
func (bar *logBar) counts(b []byte, i int) bool {
	for i < len(b) && b[i] == ' ' {
		i++
	}
	n, ok := logNumberAt(b, i)
	if !ok || n.to >= len(b) || b[n.to] != '/' {
		return false
	}
	bar.n = span{n.from, n.to}
	m, ok := logNumberAt(b, n.to+1)
	if !ok {
		return false
	}
	i = m.to
	for i < len(b) && b[i] == ' ' {
		i++
	}
	bar.to = i
	if i >= len(b) || b[i] != '[' {
		return true
	}
	closing := bytes.IndexByte(b[i:], ']')
	if closing < 0 {
		return true // the line was cut in the bar
	}
	bar.to = i + closing + 1
	bar.inside(b, i+1, i+closing)
	return true
}

// inside reads "00:58<14:41, 58.76s/it, loss=2.1" in b[i:end].
func (bar *logBar) inside(b []byte, i, end int) {
	if e := durationAt(b, i); e > 0 && e <= end {
		bar.elapsed = span{i, e}
	}
	comma := bytes.IndexByte(b[i:end], ',')
	if day := bytes.Index(b[i:end], []byte(" day")); day >= 0 && day < comma {
		next := bytes.IndexByte(b[i+comma+1:end], ',')
		if next < 0 {
			return
		}
		comma += 1 + next
	}
	if comma < 0 {
		return
	}
	at := i + comma + 1
	for at < end && b[at] == ' ' {
		at++
	}
	stop := end
	if c := bytes.IndexByte(b[at:end], ','); c >= 0 {
		stop = at + c
		bar.post, bar.hasPost = span{stop + 1, bar.to - 1}, true
		if nested := bytes.LastIndexByte(b[stop:], ']'); nested >= 0 && bytes.IndexByte(b[stop:end], '[') >= 0 {
			bar.to = stop + nested + 1 // lists among the pairs
			bar.post.to = bar.to - 1
		}
	}
	bar.readRate(b[:stop], at)
}

func (bar *logBar) readRate(b []byte, at int) {
	n, ok := logNumberAt(b, at)
	if !ok {
		return
	}
	word := bytes.TrimSpace(b[n.to:])
	if len(word) == 0 || len(word) > 32 {
		return
	}
	if bytes.HasPrefix(word, []byte("s/")) {
		bar.secondsOf = true
		n.unit = unitSecond
	} else if bytes.HasSuffix(word, []byte("/s")) {
		if bytes.IndexByte([]byte("kKMGT"), word[0]) >= 0 && len(word) > 3 && word[1] != '/' {
			n.large, word = word[0], word[1:]
		}
		n.unit = unitItems
		if u, ok := logUnits[string(word)]; ok && u.rate() {
			n.unit = u.base
		}
	} else {
		return
	}
	bar.rate, bar.hasRate = logValue{end: len(b), nums: []logNumber{n}}, true
}
