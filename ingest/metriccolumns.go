package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// MetricColumns is two columns without names: a step and a number.
var MetricColumns = &Format{
	Name:   "metric-columns",
	Doc:    "two columns without names, a step and one metric, as loss references of torchtitan are kept",
	Detect: detectMetricColumns,
	Parse:  parseMetricColumns,
}

// detectMetricColumns wants steps that rise evenly, and most values with a
// decimal point: other tables of two numbers have neither.
func detectMetricColumns(_ string, head []byte) bool {
	lines, points := 0, 0
	var last, stride int64
	full := len(head) >= model.HeadSize
	for len(head) > 0 && lines < lookLines {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if head = rest; !ended && full {
			break
		}
		if line = trimRight(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		step, v, ok := twoColumns(line)
		if !ok || step < 0 || step >= 1e8 {
			return false
		}
		switch lines {
		case 0:
		case 1:
			stride = step - last
		default:
			if step-last != stride {
				return false
			}
		}
		if bytes.IndexByte(v, '.') >= 0 {
			points++
		}
		last = step
		lines++
	}
	return lines >= 5 && stride > 0 && 2*points > lines
}

// twoColumns splits "12 3.4040474891662598"; a comma or a tab will do.
func twoColumns(line []byte) (step int64, value []byte, ok bool) {
	i := bytes.IndexAny(line, " \t,;")
	if i <= 0 {
		return 0, nil, false
	}
	step, ok = scan.Int(line[:i])
	value = bytes.TrimSpace(line[i+1:])
	if ok {
		_, ok = sheetNumber(value)
	}
	return step, value, ok
}

func parseMetricColumns(src *Source, out *model.RunBuilder) error {
	m := newMetricSheet(out)
	key := columnKey(src.Name)
	out.File.Note("columns without names: read as a step and " + key + ", after the file's name")
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		if line = trimRight(line); len(line) == 0 || line[0] == '#' {
			out.Skip(1)
			continue
		}
		step, value, ok := twoColumns(line)
		if !ok || src.Cut() {
			src.Reject("%q, want a step, one number and a line end", clip(valid(line)))
			continue
		}
		m.counted(step, 1)
		m.words([]byte(key), value)
		m.flush(src.Line(), src.Offset())
		out.Claim(1)
	}
}

// columnKey takes the metric's name from the file's, "value" where it has none.
func columnKey(name string) string {
	low := strings.ToLower(name)
	for _, k := range []string{"val_loss", "loss", "grad_norm", "tok_s", "lr", "acc"} {
		if strings.Contains(low, k) {
			return k
		}
	}
	return "value"
}
