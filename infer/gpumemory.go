package infer

import (
	"fmt"
	"math"
	"strings"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// memoryMoves explains the memory of the side's device that moves most.
func memoryMoves(p *Pass, u *GPUUse, s *SteadyState, classes *StackClasses, roles *RoleMap, side string) {
	var d *Device
	most := 0.0
	for _, o := range u.Devices {
		if o.Side != side && o.Side != model.Both {
			continue
		}
		if sw := swing(o.Memory, s); sw != nil && *sw > most {
			d, most = o, *sw
		}
	}
	if d == nil || most < memorySwing {
		return
	}
	m := memoryOf(d, s)
	claim := fmt.Sprintf("Memory of the %s GPUs swings by %s (%s of its most, GPU %d: %s to %s)",
		side, say.Bytes(int64(m.hi-m.lo)), say.Percent(most), d.Index, say.Bytes(int64(m.lo)), say.Bytes(int64(m.hi)))
	f := model.Finding{ID: "gpu.memory_swing", Evidence: []model.Evidence{{What: "range of memory in use, 5 % to 95 %", Value: m.hi - m.lo, Unit: "B", At: []model.Pos{d.First}}}}
	if m.period > 0 {
		claim += fmt.Sprintf(", every %.3g s", m.period)
	}
	switch {
	case m.growth >= memoryGrowth:
		claim += fmt.Sprintf("; it grows by %s over the steady state", say.Percent(m.growth))
		f.Advice = "Look for what is kept: compiled variants, lists of losses or hidden states, a cache without an end."
	case m.sawtooth > 0:
		claim += "; it falls at once and rises slowly, as an allocator that gives back its cache"
		f.Advice = "Stop empty_cache in the loop; pad or bucket lengths, or set expandable_segments:True, so that blocks fit again."
	case m.sawtooth < 0:
		claim += "; it rises at once and falls slowly, as bursts of large items do"
		f.Advice = "Bound the tokens of a batch, not its items."
	default:
		f.Advice = "Hold it against the lengths of the items: pad or bucket them, and bound the tokens of a batch."
	}
	for _, e := range retries(p.Run, classes, roles, side) {
		claim += fmt.Sprintf("; %s: %.0f", e.What, e.Value)
		f.Evidence = append(f.Evidence, e)
	}
	f.Claim = claim + "."
	p.Find(f)
}

// A memoryShape is how memory in use moves over the steady state.
type memoryShape struct {
	lo, hi   float64 // B, 5th and 95th percentile
	growth   float64 // rise by the trend, as a share of the most
	period   float64 // s, 0 where there is none
	sawtooth int     // 1: falls are sudden, -1: rises are, 0: neither
}

// memoryPoints bounds the readings that the shape is worked out on.
const memoryPoints = 400

func memoryOf(d *Device, s *SteadyState) memoryShape {
	var t []int64
	var v []float64
	for _, x := range s.Spans {
		part := d.Memory.between(x.from, x.to)
		t, v = append(t, part.T...), append(v, part.V...)
	}
	m := memoryShape{lo: stats.Quantile(v, 0.05), hi: stats.Quantile(v, 0.95)}
	every := 1 + len(v)/memoryPoints
	var thin []float64
	for i := 0; i < len(v); i += every {
		thin = append(thin, v[i])
	}
	trend := slope(thin)
	m.growth = trend * float64(len(thin)) / stats.Quantile(v, 1)
	var up, down, rises, falls float64
	for i := 1; i < len(v); i++ {
		switch step := v[i] - v[i-1]; {
		case step > 0:
			up, rises = up+step, rises+1
		case step < 0:
			down, falls = down-step, falls+1
		}
	}
	if rises > 0 && falls > 0 {
		switch ratio := (down / falls) / (up / rises); {
		case ratio >= 3:
			m.sawtooth = 1
		case ratio <= 1.0/3:
			m.sawtooth = -1
		}
	}
	if span := float64(t[len(t)-1]-t[0]) / 1e9; span > 0 && len(thin) > 1 {
		m.period = float64(period(thin, trend)) * span / float64(len(thin)-1)
	}
	return m
}

// period is the lag of the first peak of the autocorrelation over 0.3 after
// its first fall under 0, 0 where there is none.
func period(v []float64, trend float64) int {
	base := mean(v)
	x := make([]float64, len(v))
	var all float64
	for i := range v {
		x[i] = v[i] - base - trend*(float64(i)-float64(len(v)-1)/2)
		all += x[i] * x[i]
	}
	if !(all > 0) || math.IsInf(all, 0) {
		return 0
	}
	auto := func(lag int) (sum float64) {
		for i := lag; i < len(x); i++ {
			sum += x[i] * x[i-lag]
		}
		return sum / all
	}
	fallen, best, at := false, 0.3, 0
	for lag := 1; lag <= len(x)/3; lag++ {
		c := auto(lag)
		fallen = fallen || c < 0
		if fallen && c > best {
			best, at = c, lag
		} else if at > 0 && c < 0 {
			break
		}
	}
	return at
}

// retries is what logs and stacks say of an allocator that gave memory back to
// find room.
func retries(run *model.Run, classes *StackClasses, roles *RoleMap, side string) []model.Evidence {
	var out []model.Evidence
	var last float64
	var at model.Pos
	count := newTextSet(run, func(key string) bool {
		key = strings.ToLower(key)
		return strings.Contains(key, "alloc_retries") || strings.Contains(key, "num_ooms")
	})
	for _, b := range run.Metrics.Batches {
		for _, r := range b.RowsWith(nil, model.MetricKey, count.has) {
			if v, ok := b.Float(model.MetricValue, int(r)); ok && v > last {
				last, at = v, run.Pos(b, int(r))
			}
		}
	}
	if last > 0 {
		out = append(out, model.Evidence{What: "allocator retries in the log", Value: last, Unit: "retries", At: []model.Pos{at}})
	}
	if classes == nil || roles == nil {
		return out
	}
	var n float64
	for _, s := range run.Stacks.Samples {
		if allocatorSide(roles.Of(s)) == side && classes.Of(s.Stack).Mechanism == "gpu.alloc_oom_retry" {
			if n += weight(s); n == weight(s) {
				at = run.SamplePos(s)
			}
		}
	}
	if n > 0 {
		out = append(out, model.Evidence{What: "samples of its threads in the allocator giving memory back", Value: n, Unit: "samples", At: []model.Pos{at}})
	}
	return out
}

// allocatorSide counts autograd's own threads as the drafters'.
func allocatorSide(role string) string {
	if role == RoleAutograd {
		return model.Drafter
	}
	return role
}
