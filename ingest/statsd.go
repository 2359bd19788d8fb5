package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// StatsD reads lines of the StatsD protocol as a proxy or a test server writes
// them down: gauges, counters and timers of a queue.
var StatsD = &Format{
	Name:   "statsd",
	Doc:    "StatsD lines (name:value|g, |c with |@rate, |ms, |#tags), each perhaps behind a time: a row for each depth of a queue, with the counters summed so far",
	Record: "nc -ukl 8125 | while IFS= read -r l; do printf '%s %s\\n' \"$(date +%s.%3N)\" \"$l\"; done > statsd.txt",
	Detect: detectStatsD,
	Parse:  parseStatsD,
}

// A statsdLine is one line. Its slices are parts of it.
type statsdLine struct {
	name   []byte
	value  float64
	signed bool // a gauge's change, not its value
	kind   string
	rate   float64
	tags   []byte
	when   smiWhen
}

// statsdKinds are the types of the protocol.
var statsdKinds = map[string]bool{"g": true, "c": true, "ms": true, "h": true, "s": true, "d": true}

// readStatsD reads [time ]name:value|type[|@rate][|#tags].
func readStatsD(stamp *scan.Stamp, line []byte) (s statsdLine, ok bool) {
	if i := bytes.LastIndexByte(line, ' '); i > 0 {
		if s.when, ok = wholeTime(stamp, line[:i]); !ok {
			return s, false
		}
		line = line[i+1:]
	}
	name, rest, ok := bytes.Cut(line, []byte{':'})
	value, rest, ok2 := bytes.Cut(rest, []byte{'|'})
	kind, rest, _ := bytes.Cut(rest, []byte{'|'})
	if !ok || !ok2 || len(name) == 0 || len(value) == 0 || !isLetter(name[0]) || !statsdKinds[string(kind)] {
		return s, false
	}
	s.name, s.kind, s.rate, s.signed = name, string(kind), 1, value[0] == '+' || value[0] == '-'
	for len(rest) > 0 {
		part, more, _ := bytes.Cut(rest, []byte{'|'})
		rest = more
		if len(part) > 1 && part[0] == '@' {
			s.rate, _ = scan.Float(part[1:])
		} else if len(part) > 1 && part[0] == '#' {
			s.tags = part[1:]
		}
	}
	s.value, ok = scan.Float(value)
	return s, (ok || s.kind == "s") && s.rate > 0 && s.rate <= 1
}

// tag returns the value of a tag, nil where it is not there.
func (s *statsdLine) tag(name string) []byte {
	for _, t := range bytes.Split(s.tags, []byte{','}) {
		if key, value, ok := bytes.Cut(t, []byte{':'}); ok && string(key) == name {
			return value
		}
	}
	return nil
}

// detectStatsD wants that nearly all of the first lines are of the protocol.
func detectStatsD(_ string, head []byte) bool {
	lines, good := 0, 0
	var stamp scan.Stamp
	for line := range wholeLines(head, 50) {
		if line = scan.Trim(bytes.TrimRight(line, "\r")); len(line) == 0 {
			continue
		}
		lines++
		if _, ok := readStatsD(&stamp, line); ok {
			good++
		}
	}
	return good > 0 && good*10 >= lines*8
}

// A statsdParser keeps what the counters of each queue have come to.
type statsdParser struct {
	src    *Source
	out    *model.RunBuilder
	clock  lineClock
	queues map[string]*queueReading
	names  map[string]statsdName
}

func parseStatsD(src *Source, out *model.RunBuilder) error {
	p := &statsdParser{src: src, out: out, queues: map[string]*queueReading{}, names: map[string]statsdName{}}
	for {
		line, ok := src.Next()
		if !ok {
			if out.Queue.Rows() > 0 && out.File.Clock.Kind == model.ClockNone {
				out.File.Note("no times in the file: StatsD sends none, so each line wants one in front")
			}
			return src.Err()
		}
		line = scan.Trim(bytes.TrimRight(line, "\r"))
		if len(line) == 0 || p.clock.line(line) {
			out.Skip(1)
			continue
		}
		s, ok := readStatsD(&p.clock.stamp, line)
		if !ok || src.Cut() {
			src.Reject("%q, want name:value|type", clip(line))
			continue
		}
		p.take(&s)
	}
}

// take takes a line of a queue; others say nothing here.
func (p *statsdParser) take(s *statsdLine) {
	n, ok := p.names[string(s.name)]
	if !ok {
		n = newStatsDName(string(s.name))
		if len(p.names) < 10000 {
			p.names[string(s.name)] = n
		}
	}
	c := n.cell
	if !n.queue || s.kind == "s" {
		p.out.Skip(1)
		return
	}
	q := p.queue(s, n.before)
	v := s.value * c.scale
	switch s.kind {
	case "c":
		v = q.v[c.col] + s.value/s.rate*c.scale
	case "ms", "h", "d":
		v = q.v[c.col] + s.value/s.rate*1e-3
	default:
		if s.signed {
			v += q.v[c.col]
		}
	}
	if s.rate < 1 {
		p.out.File.Note("counters that are sampled (|@rate) are estimates")
	}
	q.set(c.col, v)
	p.out.Claim(1)
	if c.col != model.QueueDepth {
		return
	}
	w := s.when
	if w.kind == model.ClockNone {
		w = p.clock.at(p.src)
	}
	q.line, q.off = p.src.Line(), p.src.Offset()
	q.write(p.out, w)
}

// A statsdName is what a name means: a column of the queue table, and the name
// of the queue as it stands before the word.
type statsdName struct {
	cell   queueCell
	before string
	queue  bool
}

func newStatsDName(name string) statsdName {
	name = underscored(name, ".-")
	before, _, ok := strings.Cut(name, "queue")
	c := queueColumn(name)
	return statsdName{c, strings.Trim(before, "_"), ok && queueNumber(c.col)}
}

func (p *statsdParser) queue(s *statsdLine, name string) *queueReading {
	if tag := s.tag("queue"); len(tag) > 0 {
		name = string(tag)
	}
	q := p.queues[name]
	if q == nil {
		q = &queueReading{name: name}
		if len(p.queues) < 10000 {
			p.queues[name] = q
		}
	}
	return q
}
