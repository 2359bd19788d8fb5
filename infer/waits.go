package infer

import (
	"fmt"
	"math"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// A Wait is a measured share of worker time.
type Wait struct {
	Share  model.Interval
	SD     float64 // standard error of the share
	Source string
	At     []model.Pos
	Blocks []float64 // share in each block of the steady state, NaN where not read
	Bound  int       // 0: the share of waiting, -1: at most that, 1: at least
}

// WaitUse is what counters and log fields say about waiting at the queue.
type WaitUse struct {
	Put, Gate, Input *Wait
	// Rest is the time that the targets' own records leave open: they wait for
	// prompts in it at most.
	Rest    *Wait
	FromLog bool
	Renamed []rename // counters whose growth is that of another unit
}

// Waits measures waiting at the queue, from counters and from log fields.
var Waits = &Analyzer{
	Name: "waits",
	Doc: `Shares of worker time spent waiting: targets at put, drafters at the min_ready gate, targets for prompts.

Counters are cumulative worker-seconds; a share is their growth over workers times time. A log's records that print their waits beside the rest of their worker's time count where all together are the time that passed; a wait that only ever grows is a total, and none. Wrong where a prefetch or copy thread does the waiting: then the share overlaps compute. A log's wait that varies, and does not lengthen the time between its worker's records, is set aside for that. A counter that grows faster than its workers allow, or that a poll resets, is set aside; waits that helper threads spend are upper bounds, a share that never varies is a lower one.`,
	Requires: []*Analyzer{ReadingsOf, Topology, Steady, WaitCallers},
	Run: func(p *Pass) (any, error) {
		r, _ := Result[*Readings](p, ReadingsOf)
		topo, _ := Result[*model.Topology](p, Topology)
		callers, _ := Result[*WaitUsers](p, WaitCallers)
		s, ok := Result[*SteadyState](p, Steady)
		if !ok {
			return nil, &SkipError{Needs: "a steady state"}
		}
		u := &WaitUse{}
		fromCounters(p, u, r.Queue, topo, s)
		fromLog(p, u, r.Log, s)
		fromLines(p, u, topo, s)
		u.overlap(callers)
		if q := r.Queue; q != nil && q.Waits() && topo.TargetWorkers == nil && topo.DrafterWorkers == nil && !u.FromLog {
			return nil, &SkipError{
				Needs:  "how many workers each side has: the wait counters are there, and count worker-seconds",
				Record: "targets: [0, 1], drafters: [2] in tidemark.yaml, or --targets 0-1 --drafters 2",
			}
		}
		if u.Put == nil && u.Gate == nil && u.Input == nil && len(u.Renamed) > 0 {
			return nil, &SkipError{Needs: u.Renamed[0].text, Record: u.Renamed[0].column}
		}
		if u.Put == nil && u.Gate == nil && u.Input == nil {
			return nil, &SkipError{Needs: "wait counters of the queue, or wait fields in the log", Record: QueueRecord}
		}
		return u, nil
	},
}

func fromCounters(p *Pass, u *WaitUse, q *QueueReadings, topo *model.Topology, s *SteadyState) {
	if q == nil {
		return
	}
	file := p.Run.Files[q.File].Path
	if topo.TargetWorkers != nil {
		u.Put = u.counted(p, q, q.PutWait, *topo.TargetWorkers, s, "put", file)
		u.Input = u.counted(p, q, q.Input, *topo.TargetWorkers, s, "input", file)
	}
	if topo.DrafterWorkers != nil {
		u.Gate = u.counted(p, q, q.GetWait, *topo.DrafterWorkers, s, "gate", file)
	}
}

// overlap makes upper bounds of waits that helper threads spend.
func (u *WaitUse) overlap(c *WaitUsers) {
	if c == nil {
		return
	}
	if u.Put != nil && c.Put.Overlaps() {
		u.Put.Bound = -1
	}
	if u.Gate != nil && c.Get.Overlaps() {
		u.Gate.Bound = -1
	}
}

// counted turns a counter of worker-seconds into a share of worker time.
func (u *WaitUse) counted(p *Pass, q *QueueReadings, counter Points, workers int, s *SteadyState, name, file string) *Wait {
	if len(counter.T) < 3 {
		return nil
	}
	if falls, period, ok := polled(counter); ok {
		at := q.Resets[:min(len(q.Resets), 5)]
		if len(at) == 0 {
			at = []model.Pos{q.First}
		}
		findPolled(p, name, falls, period, len(counter.T), at)
		return nil
	}
	c := counter.increments()
	w := &Wait{Source: file, At: []model.Pos{q.First}}
	var num, den []float64
	for _, b := range s.Blocks {
		d, ok := gained(c, b)
		if !ok {
			w.Blocks = append(w.Blocks, math.NaN())
			continue
		}
		num, den = append(num, d), append(den, b.seconds()*float64(workers))
		w.Blocks = append(w.Blocks, num[len(num)-1]/den[len(den)-1])
	}
	if len(num) == 0 {
		return nil
	}
	w.Share = stats.Ratio(num, den)
	w.SD = (w.Share.Hi - w.Share.Lo) / 3.92
	if w.Share.Mid > 1+waitSlack {
		p.Check(model.Check{
			Name: "wait." + name, Value: &w.Share.Mid, Limit: new(1 + waitSlack),
			Text: fmt.Sprintf("%s wait counter grows by %.3g times what %d workers can wait%s: set aside", name, w.Share.Mid, workers, unitHint(w.Share.Mid)),
		})
		p.Find(model.Finding{
			ID:       "waits.impossible",
			Claim:    fmt.Sprintf("The %s wait counter grows by %s s a second, more than its %d workers can wait%s: it is set aside.", name, say.SI(w.Share.Mid*float64(workers)), workers, unitHint(w.Share.Mid)),
			Evidence: []model.Evidence{{What: name + " wait over the time of its workers", Value: w.Share.Mid, Unit: "share", At: w.At}},
			Advice:   "Export seconds, or name the column with its unit (_ms, _us), and as many workers as the counter adds up.",
		})
		u.rename(name, w.Share.Mid)
		return nil
	}
	w.clamp()
	if w.saturated(workers) {
		w.Bound = 1
		findSaturated(p, name, w)
	}
	return w
}

// unitHint names the unit in which an impossible share would be a possible one.
func unitHint(share float64) string {
	if unit, _ := unitOf(share); unit != "" {
		return ", as " + unit + " would"
	}
	return ""
}

// unitOf is that unit and how names of columns end in it, "" where none is known.
func unitOf(share float64) (unit, suffix string) {
	switch {
	case share > 2 && share/1e3 <= 1+waitSlack:
		return "milliseconds", "_ms"
	case share > 1e3 && share/1e6 <= 1+waitSlack:
		return "microseconds", "_us"
	}
	return "", ""
}

// A rename is what a counter's column should be called.
type rename struct{ text, column string }

func (u *WaitUse) rename(name string, share float64) {
	unit, suffix := unitOf(share)
	if unit == "" {
		return
	}
	column := map[string]string{"put": "put", "gate": "get", "input": "input"}[name] + "_wait" + suffix + "_total"
	u.Renamed = append(u.Renamed, rename{fmt.Sprintf("the %s wait, if it counts %s: name its column with the unit", name, unit), column})
}

func (w *Wait) clamp() {
	w.Share.Lo, w.Share.Mid, w.Share.Hi = min(w.Share.Lo, 1), min(w.Share.Mid, 1), min(w.Share.Hi, 1)
}

// fromLog takes printed wait shares where there are no counters.
func fromLog(p *Pass, u *WaitUse, l *LogReadings, s *SteadyState) {
	if l == nil {
		return
	}
	for _, f := range []struct {
		key string
		dst **Wait
	}{{keyPutWait, &u.Put}, {keyGateWait, &u.Gate}, {keyInputWait, &u.Input}} {
		if *f.dst != nil || l.Units[f.key] != "ratio" {
			continue
		}
		w := logged(l, f.key, s)
		if w != nil && w.Share.Mid > 1+waitSlack {
			w.printed(p, f.key)
			continue
		}
		if w != nil {
			*f.dst, u.FromLog = w, true
		}
	}
}

// logged averages a printed share over each block.
func logged(l *LogReadings, key string, s *SteadyState) *Wait {
	w := &Wait{Source: l.First[key].File, At: []model.Pos{l.First[key]}}
	var num, den []float64
	for _, b := range s.Blocks {
		part := l.Keys[key].between(b.from, b.to)
		if len(part.V) == 0 {
			w.Blocks = append(w.Blocks, math.NaN())
			continue
		}
		m := mean(part.V)
		num, den = append(num, m), append(den, 1)
		w.Blocks = append(w.Blocks, m)
	}
	if len(num) == 0 {
		return nil
	}
	w.Share = stats.Ratio(num, den)
	w.SD = (w.Share.Hi - w.Share.Lo) / 3.92
	if w.Share.Mid <= 1+waitSlack {
		w.clamp()
	}
	return w
}

// printed reports a printed share that is none.
func (w *Wait) printed(p *Pass, key string) {
	p.Check(model.Check{Name: "wait." + key, Value: &w.Share.Mid, Limit: new(1 + waitSlack), Text: fmt.Sprintf("%s in the log is %s of the time: set aside", key, say.Percent(w.Share.Mid))})
	p.Find(model.Finding{
		ID:       "waits.impossible",
		Claim:    fmt.Sprintf("%s in the log is %s of the time, which no share is: it is set aside.", key, say.Percent(w.Share.Mid)),
		Evidence: []model.Evidence{{What: "mean of " + key, Value: w.Share.Mid, Unit: "share", At: w.At}},
		Advice:   "Divide the wait by the time and by the workers that it adds up.",
	})
}
