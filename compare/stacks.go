package compare

import (
	"math"
	"slices"

	"tidemark/model"
)

// stackMetric is the share of a mechanism in a role's active samples.
var stackMetric = &Metric{ID: "share", Kind: points, Between: betweenShare}

// smallShare is the share under which a mechanism is not worth a row.
const smallShare = 0.01

func stackKey(s *model.StackChange) string { return s.Role + "/" + s.ID }

// stacks compares mechanisms by share, and by worker-seconds per item: a share
// also grows where others shrink, the seconds tell (pyroscope#408).
func (p *pair) stacks() {
	for _, role := range []string{model.Target, model.Drafter} {
		for _, id := range mechanisms(role, p.base, p.fresh) {
			p.stack(role, id)
		}
	}
	slices.SortStableFunc(p.out.Stacks, func(a, b model.StackChange) int {
		if math.Abs(a.Change.Mid) > math.Abs(b.Change.Mid) {
			return -1
		}
		return 1
	})
}

func mechanisms(role string, sides ...[]*Run) []string {
	var ids []string
	for _, side := range sides {
		for _, r := range side {
			for _, s := range r.Shares {
				if s.Role == role && s.Share.Mid >= smallShare && !slices.Contains(ids, s.ID) {
					ids = append(ids, s.ID)
				}
			}
		}
	}
	slices.Sort(ids)
	return ids
}

func (p *pair) stack(role, id string) {
	base, fresh := shareReadings(role, id, p.base), shareReadings(role, id, p.fresh)
	if len(base) == 0 || len(fresh) == 0 {
		return
	}
	c := model.StackChange{Role: role, ID: id, Base: mean(stackMetric, base, 0.95), New: mean(stackMetric, fresh, 0.95)}
	e := change(base, fresh, stackMetric.Between, 0, p.opt.confidence())
	p.est[stackKey(&c)] = e
	c.Change = interval(stackMetric, e)
	a, ok := secondsPerItem(role, p.base)
	b, ok2 := secondsPerItem(role, p.fresh)
	if ok && ok2 {
		c.BaseS, c.NewS = new(a*c.Base.Mid), new(b*c.New.Mid)
		c.Absolute = &model.Interval{
			Lo: b*(c.New.Mid+e.lo-e.mid) - a*c.Base.Mid, Mid: b*c.New.Mid - a*c.Base.Mid, Hi: b*(c.New.Mid+e.hi-e.mid) - a*c.Base.Mid,
		}
	}
	p.out.Stacks = append(p.out.Stacks, c)
}

// shareReadings are a mechanism's shares by run. A run with stacks of the role
// but without the mechanism has none of it.
func shareReadings(role, id string, runs []*Run) []reading {
	var out []reading
	for _, r := range runs {
		found, any := model.Interval{}, false
		for _, s := range r.Shares {
			if s.Role != role {
				continue
			}
			any = true
			if s.ID == id {
				found = s.Share
			}
		}
		if any {
			out = append(out, reading{v: found.Mid, se: (found.Hi - found.Lo) / 2 / z95, df: math.Inf(1)})
		}
	}
	return out
}

// secondsPerItem is the busy worker time that one item costs a side.
func secondsPerItem(role string, runs []*Run) (float64, bool) {
	sum, n := 0.0, 0
	for _, r := range runs {
		workers, busy := r.Pipeline.TargetWorkers, targetBusyID
		if role == model.Drafter {
			workers, busy = r.Pipeline.DrafterWorkers, drafterBusyID
		}
		x, ok := read(metric(itemsID), r)
		b, ok2 := r.Values[busy]
		if !ok || !ok2 || workers == nil {
			continue
		}
		sum, n = sum+float64(*workers)*b.Mid/math.Exp(x.v), n+1
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}
