package infer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"tidemark/internal/stats"
	"tidemark/model"
)

// A workerSpeed is what one worker does per second of work, with its standard error.
type workerSpeed struct{ items, sd float64 }

// stragglers predicts each side with all its workers at the median's speed, as
// "what if there were no stragglers" (Lin et al., OSDI 2025) asks for ranks. A
// side of fewer than three workers has no median that tells who lags.
func (u *LimitUse) stragglers(p *Pass, t *model.Topology) []model.WhatIf {
	counted, _ := Result[[]*workerCount](p, Workers)
	s, ok := Result[*SteadyState](p, Steady)
	if !ok {
		return nil
	}
	rates := printedRates(p.Run, s)
	var out []model.WhatIf
	for _, side := range []string{model.Target, model.Drafter} {
		list := u.counted(counted, side, u.noise)
		if len(list) == 0 {
			list = u.printed(side, rates)
		}
		if max(len(list), stated(t, side)) < minWorkers {
			continue
		}
		w := model.WhatIf{Change: "all " + side + "s at median speed", Kind: "stragglers"}
		switch {
		case len(list) == 0:
			w.Range = "items of each worker are not recorded: time at work alone tells no speed"
		case len(list) < stated(t, side):
			w.Range = fmt.Sprintf("items of %d of %d workers are recorded", len(list), stated(t, side))
		default:
			f := lifted(list)
			w.Gain = new(u.level(side, f))
			u.couple(&w, f.Mid-1)
		}
		out = append(out, w)
	}
	return out
}

// counted is the speed of a side's workers by their own counters: items over
// time at work. Where a worker's waits are not counted, each item is taken to
// wait as long as its side's do, since the queue serves its workers in turn.
func (u *LimitUse) counted(list []*workerCount, side string, n noise) []workerSpeed {
	var rates, busy, sds []float64
	for _, w := range list {
		if w.side != side || w.rate() <= 0 {
			continue
		}
		items, _ := w.counts()
		rates, sds = append(rates, w.rate()), append(sds, math.Sqrt(n.sum/2/max(items.sum, 1)))
		if b := w.busy(); b != nil {
			busy = append(busy, max(*b, minBusy))
		}
	}
	if len(busy) == len(rates) {
		out := make([]workerSpeed, len(rates))
		for i := range rates {
			out[i] = workerSpeed{rates[i] / busy[i], sds[i] * rates[i] / busy[i]}
		}
		return out
	}
	return u.without(side, rates, sds)
}

// without takes the side's mean wait of an item from each worker's time for one.
// sds are relative.
func (u *LimitUse) without(side string, rates, sds []float64) []workerSpeed {
	b := u.Busy.Of(side)
	if len(rates) == 0 || b == nil {
		return nil
	}
	wait := (1 - max(b.Mid, minBusy)) / mean(rates)
	var out []workerSpeed
	for i, rate := range rates {
		work := max(1/rate-wait, minBusy/rate)
		out = append(out, workerSpeed{1 / work, sds[i] / rate / work / work})
	}
	return out
}

// printed is the speed of a side's workers by the rates that a log prints for
// each, under a name that tells the side: target-0 items/s=3.1.
func (u *LimitUse) printed(side string, rates map[string][]float64) []workerSpeed {
	var mid, sds []float64
	for _, name := range sortedKeys(rates) {
		if wordRole(name) != side {
			continue
		}
		if len(rates[name]) < minRates {
			return nil
		}
		v := stats.Mean(rates[name])
		mid, sds = append(mid, v.Mid), append(sds, (v.Hi-v.Lo)/3.92/v.Mid)
	}
	return u.without(side, mid, sds)
}

// printedRates collects what is printed in items/s under a worker's name, in the
// line's prefix or before the value.
func printedRates(run *model.Run, s *SteadyState) map[string][]float64 {
	out := map[string][]float64{}
	workers := map[int32]bool{} // by code: a run has few names and many rows
	worker := func(code int32) bool {
		is, ok := workers[code]
		if !ok {
			name := run.Text(code)
			role := wordRole(name)
			is = strings.ContainsFunc(name, unicode.IsDigit) && (role == model.Target || role == model.Drafter)
			workers[code] = is
		}
		return is
	}
	rate := run.Strings.Find("items/s")
	for _, b := range run.Metrics.Batches {
		if rate < 0 || !placed(run, b) || telemetryOnly(run, b) {
			continue
		}
		for _, row := range b.RowsWith(nil, model.MetricUnit, func(code int32) bool { return code == rate }) {
			r := int(row)
			v, ok := b.Float(model.MetricValue, r)
			if t, _ := b.Int(model.MetricT, r); !ok || v <= 0 || t < s.From || t > s.To {
				continue
			}
			source, _ := b.Text(model.MetricSource, r)
			key, _ := b.Text(model.MetricKey, r)
			if worker(source) {
				out[run.Text(source)] = append(out[run.Text(source)], v)
			} else if worker(key) {
				out[run.Text(key)] = append(out[run.Text(key)], v)
			}
		}
	}
	return out
}

// lifted is the factor by which a side gets faster when its workers that are
// slower than the median, beyond the error of either, are as fast. The upper
// end lifts all that are slower: what noise may hide.
func lifted(list []workerSpeed) model.Interval {
	speeds := make([]float64, len(list))
	var total float64
	for i, w := range list {
		speeds[i], total = w.items, total+w.items
	}
	m := stats.Median(speeds)
	near := slices.MinFunc(list, func(a, b workerSpeed) int { return cmp.Compare(math.Abs(a.items-m), math.Abs(b.items-m)) })
	sd := near.sd * math.Sqrt(math.Pi/2/float64(len(list))) // of the median of as many
	var gain, variance, most, n float64
	for _, w := range list {
		lack := m - w.items
		if lack > 0 {
			most += lack
		}
		if lack > 1.96*math.Hypot(w.sd, sd) {
			gain, variance, n = gain+lack, variance+w.sd*w.sd, n+1
		}
	}
	half := 1.96 * math.Sqrt(variance+n*n*sd*sd)
	return model.Interval{Lo: 1 + max(gain-half, 0)/total, Mid: 1 + gain/total, Hi: 1 + max(gain+half, most)/total}
}

// level is the gain of a side that is faster by a factor known within an interval.
func (u *LimitUse) level(side string, f model.Interval) model.Interval {
	lo, mid, hi := u.gain(side, f.Lo), u.gain(side, f.Mid), u.gain(side, f.Hi)
	return model.Interval{
		Lo: mid.Mid - math.Hypot(mid.Mid-mid.Lo, mid.Mid-lo.Mid), Mid: mid.Mid,
		Hi: mid.Mid + math.Hypot(mid.Hi-mid.Mid, hi.Mid-mid.Mid),
	}
}
