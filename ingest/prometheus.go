package ingest

import (
	"bytes"
	"strconv"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// Prometheus reads what an exporter shows at /metrics, saved once or again and
// again: counters of a queue, dcgm-exporter and nvidia_gpu_exporter, the queues
// of vLLM and SGLang.
var Prometheus = &Format{
	Name:   "prometheus",
	Doc:    "Prometheus or OpenMetrics text, one scrape or many: counters of a bounded queue (hs_queue_depth and its like), dcgm-exporter, nvidia_gpu_exporter, vllm: and sglang: gauges; a line of date before each scrape places samples without a time",
	Record: "while :; do echo \"# $(date -u +%FT%T.%3NZ)\"; curl -s localhost:9400/metrics; sleep 1; done > metrics.prom",
	Detect: alone(detectPrometheus),
	Parse:  parsePrometheus,
}

// detectPrometheus wants a TYPE or HELP line, or that most lines are samples
// with labels or of a family that is read.
func detectPrometheus(_ string, head []byte) bool {
	lines, samples, known := 0, 0, 0
	var c lineClock
	const most = 200
	bare := !bytes.Contains(head, []byte("# TYPE ")) && !bytes.Contains(head, []byte("# HELP "))
	for line := range wholeLines(head, most) {
		if bare && 10*(lines-samples) > 2*most {
			return false // whatever comes
		}
		line = scan.Trim(bytes.TrimRight(line, "\r"))
		if bytes.HasPrefix(line, []byte("# TYPE ")) || bytes.HasPrefix(line, []byte("# HELP ")) {
			return true
		}
		if len(line) == 0 || line[0] == '#' || c.line(line) {
			continue
		}
		lines++
		if s, ok := promLine(line); ok {
			samples++
			if len(s.labels) > 0 || promFamily(s.name) != promOther {
				known++
			}
		}
	}
	return known > 0 && samples*10 >= lines*8
}

// A promKind is what a metric is about.
type promKind uint8

const (
	promOther promKind = iota
	promQueue
	promServer // an inference server
	promDCGM
	promSMI
)

func promFamily(name []byte) promKind {
	switch {
	case bytes.HasPrefix(name, []byte("DCGM_FI_")):
		return promDCGM
	case bytes.HasPrefix(name, []byte("nvidia_smi_")):
		return promSMI
	case bytes.HasPrefix(name, []byte("vllm:")), bytes.HasPrefix(name, []byte("vllm_")), bytes.HasPrefix(name, []byte("sglang:")), bytes.HasPrefix(name, []byte("sglang_")):
		return promServer
	case bytes.Contains(name, []byte("queue")):
		return promQueue
	}
	return promOther
}

// A promParser collects the samples of one scrape into rows: one a device, one
// a queue with its labels. A metric that comes again begins another scrape.
type promParser struct {
	src    *Source
	out    *model.RunBuilder
	clock  lineClock
	now    smiWhen // of the rows in work
	gpus   map[string]*gpuReading
	queues map[string]*queueReading
	order  []func() // writes the rows, in the order of their first samples
	seen   map[string]bool
	other  map[string]bool
	kept   map[string]bool // series of metrics that nothing here knows
	xids   map[string]float64
}

func parsePrometheus(src *Source, out *model.RunBuilder) error {
	p := &promParser{src: src, out: out, other: map[string]bool{}, kept: map[string]bool{}, xids: map[string]float64{}}
	p.reset()
	for {
		line, ok := src.Next()
		if !ok {
			p.flush()
			p.list()
			return src.Err()
		}
		p.line(bytes.TrimRight(line, " \t\r"))
	}
}

func (p *promParser) reset() {
	p.gpus, p.queues, p.order, p.seen = map[string]*gpuReading{}, map[string]*queueReading{}, p.order[:0], map[string]bool{}
}

// flush writes the rows of the scrape in work.
func (p *promParser) flush() {
	for _, write := range p.order {
		write()
	}
	p.reset()
}

func (p *promParser) line(line []byte) {
	switch {
	case len(line) == 0:
		p.out.Skip(1)
		return
	case string(line) == "# EOF":
		p.flush()
		p.out.Skip(1)
		return
	case line[0] == '#' && (bytes.HasPrefix(line, []byte("# HELP ")) || bytes.HasPrefix(line, []byte("# TYPE ")) || bytes.HasPrefix(line, []byte("# UNIT "))):
		p.out.Skip(1)
		return
	}
	s, ok := promLine(line)
	if !ok && timeOnly(&p.clock, line, p.flush) || line[0] == '#' {
		p.out.Skip(1)
		return
	}
	if !ok || p.src.Cut() && s.when.kind == model.ClockNone {
		p.src.Reject("%q, want name{label=\"value\"} number and perhaps a time", clip(line))
		return
	}
	p.sample(&s)
}

// sample takes a sample to the row it belongs to.
func (p *promParser) sample(s *promSample) {
	kind := promFamily(s.name)
	w := s.when
	if w.kind == model.ClockNone {
		w = p.clock.at(p.src)
	}
	if kind == promOther {
		p.keep(s, w)
		return
	}
	key := string(s.name) + "{" + string(s.labels)
	if w != p.now || p.seen[key] {
		p.flush()
		p.now = w
	}
	p.seen[key] = true
	used := false
	switch kind {
	case promDCGM:
		used = p.device(s, dcgmExported[string(s.name)])
	case promSMI:
		used = p.device(s, smiExported[string(s.name)])
	case promServer:
		used = p.server(s)
	default:
		used = p.queue(s)
	}
	switch {
	case used:
		p.out.Claim(1)
	default:
		p.unread(s.name)
		p.out.Skip(1)
	}
}

// maxKept is how many series are kept of metrics that nothing here knows.
const maxKept = 256

// promNoise are metrics of the exporter, its language and the machine.
var promNoise = []string{"go_", "process_", "python_", "promhttp_", "node_", "scrape_", "prometheus_"}

// keep takes a sample of a metric that nothing here knows under its own name.
// Parts of histograms, and what exporters say of themselves, are left out.
func (p *promParser) keep(s *promSample, w smiWhen) {
	key := string(s.name)
	noise := s.missing
	for _, n := range promNoise {
		noise = noise || strings.HasPrefix(key, n)
	}
	for _, end := range []string{"_bucket", "_count", "_sum", "_created", "_info"} {
		noise = noise || strings.HasSuffix(key, end)
	}
	if len(s.labels) > 0 {
		key += "{" + string(s.labels) + "}"
	}
	if noise || !p.kept[key] && len(p.kept) >= maxKept {
		p.unread(s.name)
		p.out.Skip(1)
		return
	}
	p.kept[key] = true
	m := metricRows{src: p.src, out: p.out}
	m.add(w, key, s.value, "")
	p.out.Claim(1)
}

// unread remembers the name of a metric that is not read.
func (p *promParser) unread(name []byte) {
	if len(p.other) < 1000 && !p.other[string(name)] {
		p.other[string(name)] = true
	}
}

// list notes how much was not read.
func (p *promParser) list() {
	if n := len(p.kept); n > 0 {
		p.out.File.Note(strconv.Itoa(n) + " series of metrics that are not known here are kept under their own names")
	}
	if n := len(p.other); n > 0 {
		first := ""
		for name := range p.other {
			if first == "" || name < first {
				first = name
			}
		}
		p.out.File.Note(strconv.Itoa(n) + " metrics are not read, the first by name " + clip([]byte(first)))
	}
}

// server takes a gauge of an inference server. Its waiting requests are the
// depth of a queue of its own, as in its log.
func (p *promParser) server(s *promSample) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(string(s.name), "vllm"), "sglang")[1:]
	switch name {
	case "num_requests_waiting", "num_queue_reqs":
		if !s.missing {
			server, _, _ := strings.Cut(strings.ReplaceAll(string(s.name), ":", "_"), "_")
			q := p.queueRow(s, server+" "+queueRequests)
			q.set(model.QueueDepth, s.value)
		}
		return true
	case "num_requests_running", "num_running_reqs", "gen_throughput", "token_usage", "gpu_cache_usage_perc", "kv_cache_usage_perc", "prompt_tokens_total", "generation_tokens_total":
		if !s.missing {
			m := metricRows{src: p.src, out: p.out}
			m.add(p.now, "server."+name, s.value, "")
		}
		return true
	}
	return false
}

// queue takes a counter or gauge of a bounded queue.
func (p *promParser) queue(s *promSample) bool {
	name := string(s.name)
	switch {
	case strings.HasSuffix(name, "_bucket"), strings.HasSuffix(name, "_count"), strings.HasSuffix(name, "_created"):
		return false
	}
	c := queueColumn(strings.TrimSuffix(name, "_sum")) // the sum of a histogram of waits is the total
	if !queueNumber(c.col) {
		return false
	}
	if !s.missing {
		q := p.queueRow(s, "")
		q.set(c.col, s.value*c.scale)
	}
	return true
}

// queueRow returns the row of the queue that a sample is about.
func (p *promParser) queueRow(s *promSample, name string) *queueReading {
	if label := s.labelOf("queue", "queue_name", "name"); len(label) > 0 && name == "" {
		name = string(label)
	} else if before, _, ok := strings.Cut(string(s.name), "queue"); ok && name == "" {
		name = strings.Trim(before, "_:")
	}
	worker := s.labelOf("worker", "gpu", "rank", "engine", "tp_rank")
	id := name + "|" + string(s.label("role")) + "|" + string(worker) + "|" + string(s.labelOf("instance", "host"))
	q := p.queues[id]
	if q == nil {
		q = &queueReading{line: p.src.Line(), off: p.src.Offset(), host: string(s.labelOf("host", "instance")), name: name, role: string(s.label("role")), worker: string(worker)}
		p.queues[id] = q
		w := p.now
		p.order = append(p.order, func() { q.write(p.out, w) })
	}
	return q
}
