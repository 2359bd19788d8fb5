package infer

import (
	"fmt"
	"strings"

	"tidemark/internal/stats"
	"tidemark/model"
)

// A QueueChoice is the recording of queue counters that is used where several
// have a time in common.
type QueueChoice struct {
	Used string
	Left []string // files
	at   []model.Pos
}

// ChosenQueue says which recordings of queue counters are left out though they
// overlap the one used and read another queue; nil where there are none. Parts
// of a rotated one are one recording.
func ChosenQueue(run *model.Run) *QueueChoice {
	return chosenQueue(run, queuesOf(run))
}

// chosenQueue holds the others of a list against its first.
func chosenQueue(run *model.Run, list []*QueueReadings) *QueueChoice {
	if len(list) == 0 || list[0].FromLog {
		return nil
	}
	best := list[0]
	c := &QueueChoice{Used: run.Files[best.File].Path, at: []model.Pos{best.First}}
	seen := map[int32]bool{best.File: true}
	if len(best.Depth.T) > 1 {
		for _, q := range apart(best, list) {
			seen[q.File] = true
		}
	}
	for _, q := range list[1:] {
		if q.FromLog || seen[q.File] || q.Name != best.Name && q.Name != "" && best.Name != "" || !best.overlaps(q) || best.agrees(q) {
			continue
		}
		seen[q.File] = true
		c.Left, c.at = append(c.Left, run.Files[q.File].Path), append(c.at, q.First)
	}
	if len(c.Left) == 0 {
		return nil
	}
	return c
}

// overlaps reports that two recordings share more of their time than clocks
// that are a little off make them.
func (q *QueueReadings) overlaps(o *QueueReadings) bool {
	a, b := q.Depth.T, o.Depth.T
	if len(a) < 2 || len(b) < 2 {
		return false
	}
	both := min(a[len(a)-1], b[len(b)-1]) - max(a[0], b[0])
	shorter := min(a[len(a)-1]-a[0], b[len(b)-1]-b[0])
	return float64(both) > overlapLeast*float64(shorter)
}

// agrees reports that two recordings read one queue: its puts, else its depth,
// are the same at the same time.
func (q *QueueReadings) agrees(o *QueueReadings) bool {
	a, b := q.Depth, o.Depth
	if len(q.Puts.T) > 1 && len(o.Puts.T) > 1 {
		a, b = q.Puts, o.Puts
	}
	slack := int64(1e9 * max(a.step(), b.step(), 0.1))
	every := max(len(b.T)/overlapSamples, 1)
	n, same := 0, 0
	for i := 0; i < len(b.T); i += every {
		near := a.between(b.T[i]-slack, b.T[i]+slack)
		if len(near.V) == 0 {
			continue
		}
		n++
		if b.V[i] >= stats.Quantile(near.V, 0)-1 && b.V[i] <= stats.Quantile(near.V, 1)+1 {
			same++
		}
	}
	return n > 0 && float64(same) >= 0.9*float64(n)
}

// several: the counters of another queue run beside those used.
func (d *Doubt) several(p *Pass, c *QueueChoice) {
	if c == nil {
		return
	}
	n, left := float64(len(c.Left)+1), strings.Join(c.Left[:min(len(c.Left), 3)], ", ")
	if more := len(c.Left) - 3; more > 0 {
		left += fmt.Sprintf(" and %d more", more)
	}
	text := fmt.Sprintf("queue counters of one time in %.0f files that differ: %s is used, %s left out", n, c.Used, left)
	p.Check(model.Check{Name: "queue.one", Value: &n, Limit: new(1.0), Text: text + "; give the files of one run"})
	d.add(p, doubt, model.Finding{
		ID:       "queue.several",
		Claim:    fmt.Sprintf("%s: two runs in one place, or a run with several queues, of which one is judged.", capital(text)),
		Evidence: []model.Evidence{{What: "files of queue counters", Value: n, Unit: "files", At: c.at[:min(len(c.at), 5)]}},
		Advice:   "Give the files of one run, each run in a directory of its own; of one queue that several processes count, write one file with the columns role and worker.",
	})
}
