package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// A promSample is one line of the text format of Prometheus or OpenMetrics.
// Its slices are parts of the line.
type promSample struct {
	name, labels []byte
	value        float64
	missing      bool // NaN
	when         smiWhen
}

// promLine reads name{label="value",…} value [time]. OpenMetrics puts the time
// in seconds, Prometheus in milliseconds; an exemplar behind " # " is dropped.
func promLine(line []byte) (s promSample, ok bool) {
	end := 0
	for end < len(line) && (isLetter(line[end]) || line[end] == '_' || line[end] == ':' || end > 0 && line[end]-'0' < 10) {
		end++
	}
	s.name = line[:end]
	rest := line[end:]
	if len(rest) > 0 && rest[0] == '{' {
		n := promLabels(rest)
		if n == 0 {
			return s, false
		}
		s.labels, rest = rest[1:n-1], rest[n:]
	}
	if end == 0 || len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' {
		return s, false
	}
	if i := bytes.Index(rest, []byte(" # ")); i >= 0 {
		rest = rest[:i]
	}
	value, stamp, _ := bytes.Cut(scan.Trim(rest), []byte{' '})
	if s.value, ok = scan.Float(value); !ok {
		s.missing = true
		switch string(value) {
		case "NaN", "nan", "+Inf", "-Inf", "Inf", "N/A", "[N/A]":
			ok = true
		}
	}
	if stamp = scan.Trim(stamp); ok && len(stamp) > 0 {
		var t int64
		t, ok = scan.Epoch(stamp)
		s.when = smiWhen{t, model.ClockUTC}
	}
	return s, ok
}

// promLabels returns the length of the braces that b begins with, 0 where they
// are not closed.
func promLabels(b []byte) int {
	quoted := false
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == '}' && !quoted:
			return i + 1
		}
	}
	return 0
}

// label returns the value of a label.
func (s *promSample) label(name string) []byte {
	b := s.labels
	for len(b) > 0 {
		b = bytes.TrimLeft(b, ", ")
		key, rest, ok := bytes.Cut(b, []byte(`="`))
		if !ok {
			return nil
		}
		end := 0
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(rest))
		if string(key) == name {
			return promText(rest[:end])
		}
		b = rest[min(end+1, len(rest)):]
	}
	return nil
}

// promText is the text of a label: a backslash stands before quotes, other
// backslashes, and n for a new line.
func promText(b []byte) []byte {
	if bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+1 < len(b) {
			if i++; b[i] == 'n' {
				out = append(out, '\n')
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}

// labelOf returns the first of several labels that is there.
func (s *promSample) labelOf(names ...string) []byte {
	for _, n := range names {
		if v := s.label(n); len(v) > 0 {
			return v
		}
	}
	return nil
}
