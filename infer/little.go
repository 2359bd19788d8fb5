package infer

import (
	"fmt"
	"math"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// Little holds the time that items spend in the queue against its depth.
var Little = &Analyzer{
	Name: "little",
	Doc: `Little's law: mean depth = items/s x mean time in the queue (Little 1961).

Only where a log prints the time or age of an item in the queue. It holds for any order and any distribution in a steady state; a difference means that one of the three counts other items (another queue, drops, one rank's).`,
	Requires: []*Analyzer{ReadingsOf, Steady, Throughput, QueueClass},
	Run: func(p *Pass) (any, error) {
		r, ok := Result[*Readings](p, ReadingsOf)
		s, ok2 := Result[*SteadyState](p, Steady)
		pace, ok3 := Result[*Pace](p, Throughput)
		u, ok4 := Result[*DepthUse](p, QueueClass)
		if !ok || !ok2 || !ok3 || !ok4 || r.Log == nil || pace.ItemsS == nil {
			return nil, &SkipError{Needs: "the depth, items/s and the time of items in the queue", Record: "log queue_time_s (the mean time of the items just taken) on every step line"}
		}
		for _, key := range sortedKeys(r.Log.Keys) {
			if residence(key) && r.Log.Units[key] == "s" {
				little(p, r.Log, key, s, pace, u)
				return nil, nil
			}
		}
		return nil, nil
	},
}

// residence reports a key that counts the time of items in the queue.
func residence(key string) bool {
	k := strings.ToLower(key)
	for _, w := range []string{"residence", "queue_age", "item_age", "time_in_queue", "queue_time", "sojourn"} {
		if strings.Contains(k, w) {
			return true
		}
	}
	return false
}

// littleSlack: means of one run agree within a tenth where they count the same items.
const littleSlack = 0.10

func little(p *Pass, l *LogReadings, key string, s *SteadyState, pace *Pace, u *DepthUse) {
	var ages []float64
	for _, x := range s.Spans {
		ages = append(ages, l.Keys[key].between(x.from, x.to).V...)
	}
	depth := u.held.mean()
	if len(ages) < 10 || !(depth > 0) {
		return
	}
	made := pace.ItemsS.Mid * mean(ages)
	ratio := made / depth
	p.Check(model.Check{
		Name: "little", OK: math.Abs(ratio-1) <= littleSlack, Value: &ratio, Limit: new(1 + littleSlack),
		Text: fmt.Sprintf("%s items/s × %.3g s in the queue (%s) = %.3g items, mean depth %.3g", say.SI(pace.ItemsS.Mid), mean(ages), key, made, depth),
	})
}
