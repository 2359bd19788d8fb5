package ingest

import (
	"bytes"

	"tidemark/internal/scan"
)

// datedKeys are keys of lines in pairs, as logfmt has them, whose value is the
// time of the line.
var datedKeys = wordSet("ts t time timestamp datetime asctime date @timestamp")

// keyed reads the time and the level of a line that has both as pairs, at
// whatever place: ts=2026-11-30T01:54:58Z level=info step=1, with or without
// quotes.
func (h *logHead) keyed(b []byte) {
	var s scan.Stamp
	for i := 0; i+1 < len(b); i++ {
		if b[i] != '=' && (b[i] != ':' || i == 0 || b[i-1] != '"') {
			continue
		}
		key, at := pairKey(b[:i]), i+1
		for at < len(b) && bytes.IndexByte([]byte(` "'`), b[at]) >= 0 {
			at++
		}
		switch {
		case h.stamp == stampNone && datedKeys[key]:
			if _, n, _, ok := s.DateTime(b[at:]); ok {
				h.stamp, h.at, h.to = stampDated, at, at+n
			}
		case h.level == 0 && (key == "level" || key == "lvl" || key == "severity"):
			h.level = levelOf(b[at : at+wordLength(b[at:])])
		}
	}
}

// pairKey is the word that b ends with, without quotes.
func pairKey(b []byte) string {
	b = bytes.TrimRight(b, `"`)
	i := len(b)
	for i > 0 && len(b)-i < 16 && (isLetter(b[i-1]) || b[i-1] == '@' || b[i-1] == '_') {
		i--
	}
	return string(b[i:])
}

func wordLength(b []byte) int {
	i := 0
	for i < len(b) && isLetter(b[i]) {
		i++
	}
	return i
}
