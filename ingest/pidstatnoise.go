package ingest

import (
	"bytes"

	"tidemark/internal/scan"
)

// pidstatNoise recognises lines that stand in such files and are no rows:
// averages in any language and messages, which begin with a word and a colon,
// and what a shell or its user adds.
func pidstatNoise(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("^C"))
	first, rest, _ := bytes.Cut(text, []byte{' '})
	if len(first) == 0 || bytes.HasSuffix(first, []byte(":")) || bytes.HasSuffix(first, []byte("：")) {
		return len(first) == 0 || first[0]-'0' > 9
	}
	if rest = scan.Trim(rest); len(rest) > 0 && rest[0] == ':' {
		return true
	}
	switch string(first) {
	case "Terminated", "Killed", "Interrupt", "Hangup", "^Z":
		return true
	}
	var s scan.Stamp
	_, n, _, ok := s.DateTime(text)
	return ok && n == len(text)
}

// plain appends a line to buf without its terminal escapes.
func plain(buf, line []byte) []byte {
	for i := 0; i < len(line); i++ {
		if line[i] != 0x1b {
			buf = append(buf, line[i])
			continue
		}
		if i++; i < len(line) && line[i] == '[' {
			for i++; i < len(line) && (line[i] < '@' || line[i] > '~'); i++ {
			}
		}
	}
	return buf
}
