package ingest

import (
	"bytes"
	"strconv"

	"tidemark/model"
)

// MetricJSONL is one JSON object a line with metrics by step or time: W&B's
// history, Automodel's training log, structlog, mmdet and own loggers.
var MetricJSONL = &Format{
	Name:      "metric-jsonl",
	Doc:       "JSON lines of metrics by step: wandb-history.jsonl, training.jsonl of NeMo Automodel, structlog, own loggers",
	Record:    "one json.dumps line a step with step, timestamp and the metrics",
	Detect:    detectMetricJSONL,
	Parse:     parseMetricJSONL,
	LongLines: true,
}

// detectMetricJSONL wants half of the lines to be objects with a step and a
// number, or a time and a number that only a training log has. Readings of
// queues and devices have neither.
func detectMetricJSONL(_ string, head []byte) bool {
	if !jsonObject(head) {
		return false
	}
	lines, ours := 0, 0
	full := len(head) >= model.HeadSize
	for len(head) > 0 && lines < lookLines {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if head = rest; !ended && full && lines > 0 {
			break
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		lines++
		if metricObject(line) {
			ours++
		}
	}
	return ours > 0 && 2*ours >= lines
}

// metricObject reports whether a line is an object of metrics.
func metricObject(line []byte) bool {
	if line[0] != '{' || line[len(line)-1] != '}' {
		return false
	}
	step, time, number, training := false, false, false, false
	j := &jsonCursor{b: line}
	j.members(func(key string) {
		numeric := j.next() == '-' || isDigit(j.next())
		switch {
		case numeric && (stepRank(key) > 0 || key == "_step"):
			step = true
		case sheetTimes[key]:
			time = true
		case numeric && key != "_runtime" && key != "epoch" && key != "rank":
			number = true
			name, _, _ := keyName(key)
			training = training || trainingKeys[logKeys[name]]
		}
		j.skip()
	})
	return j.err == nil && j.next() == 0 && (step && number || time && training)
}

// trainingKeys are canonical keys that only a trainer logs.
var trainingKeys = wordSet("loss val_loss lr grad_norm tok_s step_s accept_len acc")

func parseMetricJSONL(src *Source, out *model.RunBuilder) error {
	p := &jsonSheet{metricSheet: newMetricSheet(out)}
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			out.Skip(1)
		case !p.object(line):
			src.Reject("%v, want one JSON object", p.err)
		case p.flush(src.Line(), src.Offset()) > 0:
			out.Claim(1)
		default:
			out.Skip(1)
		}
	}
}

// A jsonSheet takes JSON objects into a record. Objects within are paths,
// joined by a slash; short lists of numbers are numbered.
type jsonSheet struct {
	*metricSheet
	path []byte
	err  error
}

// maxSheetDepth and maxSheetList bound what is read of an object.
const (
	maxSheetDepth = 8
	maxSheetList  = 64
)

// object takes one object; on an error the record is dropped.
func (p *jsonSheet) object(b []byte) bool {
	j := &jsonCursor{b: b}
	p.path = p.path[:0]
	p.members(j, 0)
	if p.err = j.err; p.err == nil && j.next() != 0 {
		j.fail("the end of the line")
		p.err = j.err
	}
	if p.err != nil {
		p.drop()
	}
	return p.err == nil
}

func (p *jsonSheet) members(j *jsonCursor, depth int) {
	from := len(p.path)
	j.list('{', '}', "an object", func() {
		key, _ := j.raw()
		if j.next() != ':' {
			j.fail("a colon")
			return
		}
		j.i++
		p.path = append(p.path[:from], key...)
		p.value(j, depth)
	})
	p.path = p.path[:from]
}

// value takes the value that stands next under the path.
func (p *jsonSheet) value(j *jsonCursor, depth int) {
	switch c := j.next(); {
	case c == '{' && depth < maxSheetDepth:
		from, to := j.span()
		if j.err == nil && bytes.Contains(j.b[from:to], []byte(`"_type"`)) {
			return // a picture, a table or the like
		}
		j.i, j.err = from, nil
		p.path = append(p.path, '/')
		p.members(j, depth+1)
	case c == '[':
		p.list(j)
	case c == '"':
		s, _ := j.raw()
		p.words(p.path, s)
	case c == '-' || isDigit(c) || c == 'N' || c == 'I' || c == 'n':
		from := j.i
		j.word()
		if j.i == from {
			j.skip()
		} else if v, ok := sheetNumber(j.b[from:j.i]); ok {
			p.number(p.path, v)
		}
	default:
		j.skip()
	}
}

func (p *jsonSheet) list(j *jsonCursor) {
	from, n := len(p.path), 0
	j.elements(func() {
		c := j.next()
		if c != '-' && !isDigit(c) || n >= maxSheetList {
			j.skip()
			n++
			return
		}
		if v, ok := j.number(); ok {
			p.path = strconv.AppendInt(append(p.path[:from], '_'), int64(n), 10)
			p.number(p.path, v)
		}
		n++
	})
	p.path = p.path[:from]
}
