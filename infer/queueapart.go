package infer

import (
	"fmt"
	"math"
	"strings"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// apartLeast is the share of best's time, and of its readings, in which files
// must agree to be parts of one queue's counters.
const apartLeast = 0.9

// apartMost is how much of the range of the depths the difference may be off.
const apartMost = 0.25

// apart returns the recordings, best among them, in which each worker counts
// its own puts and gets of one queue: puts − gets is the depth for all of them
// together, and for none alone. Two whole queues never pass: each agrees with
// its own depth. It is nil where that does not show.
func apart(best *QueueReadings, all []*QueueReadings) []*QueueReadings {
	if best.FromLog || best.labelled {
		return nil
	}
	parts := []*QueueReadings{best}
	for _, q := range all {
		if q != best && !q.FromLog && !q.labelled && q.File != best.File && q.Name == best.Name && best.overlaps(q) {
			parts = append(parts, q)
		}
	}
	if len(parts) < 2 || len(parts)*len(best.Depth.T) > maxSummed || !balanced(best, parts) {
		return nil
	}
	for _, q := range parts {
		if balanced(q, []*QueueReadings{q}) {
			return nil
		}
	}
	return parts
}

// apartSlack is how far puts less gets may be off the depth where they are sums
// over files, whose readings are not of one moment: by what is counted between
// two of them.
func apartSlack(put, got Points, files int) float64 {
	last := len(put.V) - 1
	return conservationSlack*float64(files) + max(put.V[last]-put.V[0], got.V[last]-got.V[0])/float64(max(last, 1))
}

// balanced reports whether the puts less the gets of all parts follow the depth
// of q.
func balanced(q *QueueReadings, parts []*QueueReadings) bool {
	var puts, gets []Points
	from, to := q.Depth.T[0], q.Depth.T[len(q.Depth.T)-1]
	whole := to - from
	for _, o := range parts {
		if len(o.Puts.T) > 1 {
			puts = append(puts, o.Puts)
		}
		if len(o.Gets.T) > 1 {
			gets = append(gets, o.Gets)
		}
		from, to = max(from, o.Depth.T[0]), min(to, o.Depth.T[len(o.Depth.T)-1])
	}
	depth := q.Depth.between(from, to)
	if len(puts) == 0 || len(gets) == 0 || float64(to-from) < apartLeast*float64(whole) || len(depth.T) < 3 {
		return false
	}
	put, got := sumAt(depth.T, puts), sumAt(depth.T, gets)
	off := make([]float64, len(depth.T))
	for i, d := range depth.V {
		off[i] = put.V[i] - got.V[i] - d
	}
	slack := apartSlack(put, got, len(parts))
	if len(parts) > 1 && slack > apartMost*(stats.Quantile(depth.V, 1)-stats.Quantile(depth.V, 0)) {
		return false // anything would agree
	}
	base, near := stats.Select(append([]float64(nil), off...), 0.5), 0
	for _, v := range off {
		if math.Abs(v-base) <= slack {
			near++
		}
	}
	return float64(near) >= apartLeast*float64(len(off))
}

// summed says that the counters of several files were added up.
func summed(p *Pass, q *QueueReadings) {
	if len(q.summed) == 0 {
		return
	}
	var names []string
	for _, f := range q.summed {
		names = append(names, p.Run.Files[f].Path)
	}
	list := strings.Join(names[:min(len(names), 3)], ", ")
	if more := len(names) - 3; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	p.Check(model.Check{Name: "queue.summed", OK: true, Text: fmt.Sprintf("counters of one queue in %s files added up, since only together they give its depth: %s", say.Count(len(names)), list)})
}
