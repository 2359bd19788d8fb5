package ingest

import (
	"bytes"
	"fmt"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// queueColumns are the names that writers give the columns, without the unit
// and _total endings that queueColumn takes off. A prefix such as hs_ or
// hs_queue_ is allowed.
var queueColumns = map[string]int{
	"depth": model.QueueDepth, "queue_depth": model.QueueDepth, "qsize": model.QueueDepth, "queue_size": model.QueueDepth,
	"queue_len": model.QueueDepth, "items": model.QueueDepth,
	"capacity": model.QueueCapacity, "maxsize": model.QueueCapacity, "max_size": model.QueueCapacity,
	"max_queue_size": model.QueueCapacity, "max_qsize": model.QueueCapacity, "queue_max": model.QueueCapacity, "cap": model.QueueCapacity,
	"min_ready": model.QueueMinReady, "low_water": model.QueueMinReady, "low_watermark": model.QueueMinReady,
	"puts": model.QueuePuts, "put": model.QueuePuts, "enqueued": model.QueuePuts, "produced": model.QueuePuts,
	"gets": model.QueueGets, "get": model.QueueGets, "dequeued": model.QueueGets, "consumed": model.QueueGets,
	"put_wait": model.QueuePutWait, "put_block": model.QueuePutWait, "put_blocked_time": model.QueuePutWait, "producer_wait": model.QueuePutWait,
	"get_wait": model.QueueGetWait, "gate_wait": model.QueueGetWait, "get_blocked_time": model.QueueGetWait, "consumer_wait": model.QueueGetWait,
	"input_wait": model.QueueInputWait, "prompt_wait": model.QueueInputWait,
	"in_flight": model.QueueInFlight, "drops": model.QueueDrops, "dropped": model.QueueDrops, "epoch": model.QueueEpoch,
	"queue": model.QueueName, "queue_name": model.QueueName, "host": model.QueueHost, "hostname": model.QueueHost,
	"role": model.QueueRole, "worker": model.QueueWorker,
	"timestamp": model.QueueT, "time": model.QueueT, "ts": model.QueueT, "t": model.QueueT, "unix_time": model.QueueT,
}

// A queueCell is where a CSV column goes: col is -1 for one nobody needs.
type queueCell struct {
	col    int
	scale  float64 // to the column's unit
	prefix int     // words before the name that were taken for a prefix
}

// queueOthers are first words that make of a name another quantity: the largest
// depth so far is not the depth.
var queueOthers = map[string]bool{
	"max": true, "min": true, "avg": true, "mean": true, "median": true, "peak": true, "p50": true, "p90": true, "p95": true, "p99": true,
	"last": true, "target": true, "limit": true, "initial": true, "start": true, "cpu": true,
}

// queueColumn recognises a column by its name.
func queueColumn(name string) queueCell {
	n := strings.ToLower(strings.Trim(strings.TrimSpace(name), `"`))
	n = strings.TrimSuffix(n, "_total")
	scale := 1.0
	for _, u := range []struct {
		end   string
		scale float64
	}{{"_seconds", 1}, {"_ms", 1e-3}, {"_us", 1e-6}, {"_ns", 1e-9}, {"_s", 1}} {
		if cut, ok := strings.CutSuffix(n, u.end); ok {
			n, scale = cut, u.scale
			break
		}
	}
	for prefix := 0; ; prefix++ {
		if c, ok := queueColumns[n]; ok {
			return queueCell{c, scale, prefix}
		}
		word, rest, ok := strings.Cut(n, "_")
		if !ok || queueOthers[word] {
			return queueCell{-1, 1, 0}
		}
		n = rest
	}
}

// queueHeader binds the columns of a header line. ok is false where it has no
// time and depth.
func queueHeader(line []byte) (cells []queueCell, sep byte, ok bool) {
	sep = ','
	if bytes.IndexByte(line, ',') < 0 && bytes.IndexByte(line, ';') >= 0 {
		sep = ';'
	}
	time, depth := false, false
	for _, name := range bytes.Split(line, []byte{sep}) {
		if len(name) > 0 && name[0]-'0' < 10 {
			return nil, sep, false
		}
		c := queueColumn(string(name))
		time = time || c.col == model.QueueT
		depth = depth || c.col == model.QueueDepth
		cells = append(cells, c)
	}
	return oneEach(cells), sep, time && depth
}

// oneEach keeps of the columns for one quantity the one with the least before
// its name, else the first.
func oneEach(cells []queueCell) []queueCell {
	best := map[int]int{}
	for i, c := range cells {
		if k, ok := best[c.col]; !ok || c.prefix < cells[k].prefix {
			best[c.col] = i
		}
	}
	for i, c := range cells {
		if best[c.col] != i {
			cells[i].col = -1
		}
	}
	return cells
}

// unreadColumns are the names in a header whose columns are not read.
func unreadColumns(line []byte, cells []queueCell, sep byte) (names []string) {
	for i, name := range bytes.Split(line, []byte{sep}) {
		if name = bytes.Trim(scan.Trim(name), "\"\r"); cells[i].col < 0 && len(name) > 0 {
			names = append(names, clip(name))
		}
	}
	return names
}

// noteColumns names what of a file is not read.
func noteColumns(out *model.RunBuilder, names []string) {
	if n := len(names); n > 20 {
		names = append(names[:20:20], fmt.Sprintf("%d more", n-20))
	}
	if len(names) > 0 {
		out.File.Note("columns that are not read: " + strings.Join(names, ", "))
	}
}
