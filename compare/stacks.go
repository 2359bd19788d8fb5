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
			half := math.Hypot((found.Hi-found.Lo)/2, r.paused()*math.Max(found.Mid, 1-found.Mid))
			out = append(out, reading{v: found.Mid, se: half / z95, df: math.Inf(1)})
		}
	}
	return out
}

// paused is by how much the share of pauses in the capture of stacks may differ
// from that in another such capture: a short one meets a pause or misses it,
// and what a pause does is another mechanism. 0 where it most likely met none.
func (run *Run) paused() float64 {
	if run.CaptureS == nil || !(*run.CaptureS > 0) {
		return 0
	}
	n, seconds := float64(run.Pauses), run.PauseS
	if num, den := metric(throughputID).blocks(run); len(num) > 0 {
		for _, d := range dips(num, den) {
			n, seconds = n+1, seconds+d.lost
		}
	}
	if n == 0 || n*(seconds/n+*run.CaptureS)/(run.PauseS+run.SteadyS) < leastMet {
		return 0
	}
	return math.Min(seconds/n / *run.CaptureS, 1)
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
