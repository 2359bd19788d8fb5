package ingest

import "strings"

// A queueRole is what a number of a log line says about a queue.
type queueRole uint8

const (
	queueNothing queueRole = iota
	queueDepth
	queueCapacity
	queueMinReady
	queueGauge // a depth, but only where the number changes: queue_size=60 is a setting in many logs
)

// Names of queues that are no hand-over between the two sides.
const (
	queueRequests = "requests" // of an inference server
	queueBlocks   = "blocks"   // of a loader
)

// queueFields finds the reading of a queue among the fields: one depth, its
// capacity and its watermark. Their keys become depth, capacity and min_ready.
func (c *compiler) queueFields() {
	s, gauge := c.s, false
	for i := range c.pairs {
		p := &c.pairs[i]
		role, queue := queueKey(p.key, beforeKey(c.b, p.name))
		first, second := c.fieldOf(p, 0), -1
		if p.value.fraction {
			second = c.fieldOf(p, 1)
		}
		if first < 0 || p.value.list || p.path || p.value.nums[0].unit != "" && p.value.nums[0].unit != unitCount {
			continue
		}
		switch {
		case (role == queueDepth || role == queueGauge) && s.depth < 0:
			s.depth, s.queue = first, c.p.out.Strings.Code(clean(queue))
			gauge = role == queueGauge && second < 0
			if second >= 0 {
				s.capacity = second
			}
		case role == queueCapacity && s.capacity < 0:
			s.capacity = first
		case role == queueMinReady && s.minimum < 0:
			s.minimum = first
		}
	}
	if s.depth < 0 {
		s.capacity, s.minimum = -1, -1
		return
	}
	s.gauge = gauge && s.capacity < 0
	if name := c.p.out.Strings.At(s.queue); s.gauge || name == queueRequests || name == queueBlocks {
		return // their own names say more
	}
	c.rename(s.depth, "depth")
	c.rename(s.capacity, "capacity")
	c.rename(s.minimum, "min_ready")
}

func (c *compiler) rename(field int, key string) {
	if field >= 0 {
		f := &c.s.fields[field]
		f.key, f.unit = c.p.out.Strings.Code(key), c.p.out.Strings.Code(unitCount)
	}
}

// fieldOf returns the field that the nth number of a pair became, -1 for none.
func (c *compiler) fieldOf(p *logPair, nth int) int {
	if nth >= len(p.value.nums) {
		return -1
	}
	at := c.pl.at(p.value.nums[nth].from)
	for i := range c.s.fields {
		if c.s.fields[i].at.from == at {
			return i
		}
	}
	return -1
}

// queueKey says what a key names, and of which queue. before is the word
// before the key, for "hs_queue size=0" and "HSQueue(len=41".
func queueKey(key, before string) (role queueRole, queue string) {
	k := strings.ToLower(underscored(key, " -."))
	if i := strings.LastIndexByte(k, '/'); i >= 0 {
		k = k[i+1:]
	}
	switch k {
	case "min_ready", "minready":
		return queueMinReady, ""
	case "max", "cap", "capacity", "maxsize", "max_size", "queue_capacity", "max_pool_size":
		return queueCapacity, ""
	case "#queue_req", "num_queue_reqs", "num_requests_waiting", "waiting":
		return queueDepth, queueRequests
	case "queued_blocks":
		return queueDepth, queueBlocks
	case "depth", "size", "len", "qsize":
		if queue, ok := queueWord(before); ok {
			return queueDepth, queue
		}
		if k == "depth" || k == "qsize" {
			return queueDepth, ""
		}
		return queueNothing, ""
	case "pool_size", "pool":
		return queueGauge, "pool"
	}
	for _, end := range []string{"_depth", "_len", "_length", "_qsize"} {
		if name, ok := strings.CutSuffix(k, end); ok {
			queue, ok := queueWord(name)
			return queueDepth.only(ok), queue
		}
	}
	if name, ok := strings.CutSuffix(k, "_size"); ok {
		queue, ok := queueWord(name)
		return queueGauge.only(ok), queue
	}
	queue, ok := queueWord(k)
	return queueDepth.only(ok), queue
}

func (r queueRole) only(ok bool) queueRole {
	if ok {
		return r
	}
	return queueNothing
}

// queueWord reports whether a word is the name of a queue, and which: hs of
// hs_queue, q_hs, hsqueue, HSQueue; nothing of queue and q.
func queueWord(w string) (name string, ok bool) {
	w = strings.ToLower(w)
	switch w {
	case "queue", "q":
		return "", true
	}
	for _, p := range []string{"queue_", "q_"} {
		if name, ok := strings.CutPrefix(w, p); ok && len(name) <= 16 && !strings.Contains(name, "_") && !queueOther[name] {
			return name, true
		}
	}
	for _, e := range []string{"_queue", "_q", "queue"} {
		if name, ok := strings.CutSuffix(w, e); ok && len(name) <= 16 {
			return name, true
		}
	}
	return "", false
}

// queueOther are words after queue_ that name no queue.
var queueOther = wordSet("put get wait req ms s time full empty puts gets id name policy proj")

// beforeKey returns the word that ends before a key, with a blank or a
// parenthesis between.
func beforeKey(b []byte, name int) string {
	i := name
	for i > 0 && (b[i-1] == ' ' || b[i-1] == '(') && name-i < 2 {
		i--
	}
	j := i
	for j > 0 && i-j < 32 && (isLetter(b[j-1]) || b[j-1] == '_' || isDigit(b[j-1])) {
		j--
	}
	if i == name {
		return ""
	}
	return string(b[j:i])
}
