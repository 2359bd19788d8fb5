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
