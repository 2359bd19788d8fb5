package ingest

import (
	"strings"

	"tidemark/model"
)

// namesQueue reports whether a key of an object says that a queue stands there.
func namesQueue(key string) bool { return strings.Contains(strings.ToLower(key), "queue") }

// plainQueueName reports whether a key only says that queues stand there, and not
// which.
func plainQueueName(key string) bool {
	switch strings.ToLower(key) {
	case "queue", "queues", "queue_stats", "queues_stats":
		return true
	}
	return false
}

// insideColumn is queueColumn for a key inside an object under a queue's name.
func insideColumn(key string) queueCell {
	if c := queueColumn(key); c.col >= 0 {
		return c
	}
	return queueColumn("queue_" + key)
}

// depthInside reports whether an object under a queue's name in the first object
// of a head has a depth.
func depthInside(head []byte) (found bool) {
	j := jsonCursor{b: head}
	var object func(queue bool, depth int)
	object = func(queue bool, depth int) {
		j.members(func(key string) {
			c := j.next()
			inside := queue || namesQueue(key)
			switch {
			case c == '{' && inside && depth < mostNested:
				object(true, depth+1)
			case c == '[' && inside && depth < mostNested:
				j.elements(func() {
					if j.next() == '{' {
						object(true, depth+1)
					} else {
						j.skip()
					}
				})
			default:
				found = found || queue && c != '{' && c != '[' && insideColumn(key).col == model.QueueDepth
				j.skip()
			}
		})
	}
	if j.next() == '[' {
		j.i++
	}
	object(false, 0)
	return found
}
