package ingest

import "bytes"

// A logBar is a progress bar as tqdm draws it.
type logBar struct {
	from, to  int  // of all of it
	n         span // of the count, empty where it is rounded
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
	if p < 0 {
		return undrawnBar(b, i)
	}
	if p > 512 {
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

// undrawnBar finds a bar of which nothing is drawn: "7it [00:00, 104.86it/s]",
// whose total is not known, and " 0% 3/60 [00:00<00:01, 99it/s]", for which
// there is no room.
func undrawnBar(b []byte, i int) (bar logBar, ok bool) {
	open := bytes.Index(b[i:], []byte(" ["))
	if open < 1 || open > 512 {
		return bar, false
	}
	open += i
	from := i + bytes.LastIndexByte(b[i:open], ' ') + 1
	n, ok := logNumberAt(b, from)
	e := durationAt(b, open+2)
	if !ok || e <= 0 || e >= len(b) || b[e] != '<' && b[e] != ',' {
		return bar, false
	}
	bar.from = from
	if b[n.to] == '/' {
		if percent := bytes.TrimRight(b[i:from], " "); bytes.HasSuffix(percent, []byte("%")) {
			bar.from = i + bytes.LastIndexByte(percent, ' ') + 1
		}
		return bar, bar.counts(b, from) && (bar.hasRate || bar.hasPost)
	}
	closing := bytes.IndexByte(b[e:], ']')
	if unit := b[n.to:open]; len(unit) == 0 || wordLength(unit) < len(unit) || closing < 0 {
		return bar, false
	}
	if bar.to = e + closing + 1; allDigits(b[n.from:n.to]) && (scaled(b, n) == n.to || b[n.to+1] != 'i') {
		bar.n = span{n.from, n.to}
	}
	bar.inside(b, open+2, e+closing)
	return bar, bar.hasRate || bar.hasPost
}

// scaled is the end of a number with the letter that unit_scale puts after it.
func scaled(b []byte, n logNumber) int {
	if n.to < len(b) && bytes.IndexByte([]byte("kMGT"), b[n.to]) >= 0 {
		return n.to + 1
	}
	return n.to
}

// counts reads " 1/16 [00:58<14:41, 58.76s/it]". A count such as 76.8k is
// rounded, and no step.
func (bar *logBar) counts(b []byte, i int) bool {
	for i < len(b) && b[i] == ' ' {
		i++
	}
	n, ok := logNumberAt(b, i)
	to := scaled(b, n)
	if !ok || to >= len(b) || b[to] != '/' {
		return false
	}
	if bar.n = (span{n.from, n.to}); to > n.to || bytes.IndexByte(b[n.from:n.to], '.') >= 0 {
		bar.n = span{}
	}
	m, ok := logNumberAt(b, to+1)
	if !ok {
		return false
	}
	i = scaled(b, m)
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
