package ingest

import "bytes"

// container peels the stream that docker and kubernetes print after the time,
// or the host and the unit of journald.
func (h *logHead) container(b []byte, i int) int {
	for _, w := range []string{" stdout F ", " stderr F ", " stdout P ", " stderr P "} {
		if bytes.HasPrefix(b[i:], []byte(w)) {
			h.addSource(i+1, i+7)
			return i + len(w)
		}
	}
	if i < len(b) && b[i] == ' ' && levelOf(b[i+1:i+1+wordLength(b[i+1:])]) == 0 {
		if n := journalUnit(b[i+1:]); n > 0 {
			return i + 1 + n
		}
	}
	return i
}

// syslog reads "Nov 29 13:49:00 host unit[123]: " and returns its end, i where
// there is none.
func (h *logHead) syslog(b []byte, i int) int {
	if h.peeled || h.stamp != stampNone {
		return i
	}
	rest, _, ok := unwrapJournal(nil, b[i:])
	if !ok {
		return i
	}
	_, n, _ := readStamp(stampSyslog, b[i:])
	h.stamp, h.at, h.to = stampSyslog, i, i+n
	return len(b) - len(rest)
}

// composed peels "trainer-1  | ", which docker compose puts in front of each
// line; the number is b[digits:k].
func (h *logHead) composed(b []byte, i, digits, k int) int {
	bar := k
	for bar < len(b) && b[bar] == ' ' {
		bar++
	}
	if h.peeled || k == digits || digits-i < 3 || b[digits-1] != '-' && b[digits-1] != '_' || bar == k || bar+1 >= len(b) || b[bar] != '|' || b[bar+1] != ' ' {
		return i
	}
	h.addSource(i, k)
	return bar + 1
}
