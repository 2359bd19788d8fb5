package ingest

import (
	"bytes"
	"time"

	"tidemark/internal/scan"
	"tidemark/model"
)

// textKeys are the keys of a log's text in records of JSON, the better the
// larger: loguru has the finished line beside the bare message.
var textKeys = map[string]int{"log": 1, "text": 1, "msg": 2, "message": 3}

// A jsonRecord is what a record of JSON says of the line of a log that it holds.
type jsonRecord struct {
	text  string
	rank  int // of the text's key
	level string
	time  []byte
}

// unwrapText makes a line of a log from a record of JSON, as Docker's json-file
// driver, loguru's serialize and formatters of logging write it: the record's
// time, its level, its text. Further lines of the text, as of a traceback, come
// behind carriage returns.
func unwrapText(s *scan.Stamp, line []byte) (rest []byte, w smiWhen, ok bool) {
	if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' {
		return nil, w, false
	}
	j := &jsonCursor{b: line}
	var r jsonRecord
	r.members(j, 0)
	if j.err != nil || j.next() != 0 || r.rank == 0 {
		return nil, w, false
	}
	if w, ok = wandbTime(s, r.time); ok {
		rest = time.Unix(0, w.t).UTC().AppendFormat(rest, "2006-01-02T15:04:05.000000000")
		if w.kind == model.ClockUTC {
			rest = append(rest, 'Z')
		}
		rest = append(rest, ' ')
	}
	if r.level != "" && levelOf([]byte(r.level)) != 0 {
		rest = append(append(rest, r.level...), ' ')
	}
	text := bytes.TrimRight([]byte(r.text), "\r\n")
	return append(rest, bytes.ReplaceAll(text, []byte("\n"), []byte("\r"))...), w, true
}

// members reads a record, and what loguru keeps in one within.
func (r *jsonRecord) members(j *jsonCursor, depth int) {
	j.members(func(key string) {
		c := j.next()
		switch {
		case c == '"' && textKeys[key] > r.rank:
			r.text, r.rank = j.text(), textKeys[key]
		case depth == 0 && key == "record" && c == '{', depth == 1 && (key == "time" || key == "level") && c == '{':
			r.members(j, depth+1)
		case c == '"' && (key == "level" || key == "levelname" || key == "severity" || depth == 2 && key == "name"):
			r.level = j.text()
		case datedKeys[key] || depth == 2 && key == "repr":
			from, to := j.span()
			r.time = bytes.Trim(j.b[from:to], `"`)
		default:
			j.skip()
		}
	})
}
