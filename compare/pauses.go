package compare

import (
	"maps"
	"math"
	"slices"

	"tidemark/model"
)

// evenPauses widens the share lost to pauses of each run to what the pauses of
// both sides together would give by chance: a run without a pause is not
// certain to have none the next time. The runs given are not changed.
func evenPauses(base, fresh []*Run) (a, b []*Run) {
	var n, lost, cv float64
	for _, r := range slices.Concat(base, fresh) {
		n, lost, cv = n+float64(r.Pauses), lost+r.Values[pausesID].Mid, max(cv, r.PauseCV)
	}
	if n == 0 {
		return base, fresh
	}
	rate := n / float64(len(base)+len(fresh))
	half := z95 * cv * lost / n * math.Sqrt(rate)
	return widened(base, half), widened(fresh, half)
}

func widened(runs []*Run, half float64) []*Run {
	out := make([]*Run, len(runs))
	for i, r := range runs {
		c := *r
		if v, ok := r.Values[pausesID]; ok {
			c.Values = maps.Clone(r.Values)
			c.Values[pausesID] = model.Interval{Lo: min(v.Lo, v.Mid-half), Mid: v.Mid, Hi: max(v.Hi, v.Mid+half)}
		}
		out[i] = &c
	}
	return out
}
