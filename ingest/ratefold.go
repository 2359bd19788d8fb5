package ingest

import (
	"strings"

	"tidemark/model"
)

// A rateFold takes rates of dropped records into those of the next one that is
// kept. A rate is that of the time since the record before: without this, long
// stretches, whose rates are low, would count as much as short ones.
type rateFold struct {
	t     int64 // of the record before
	timed bool
	since float64            // seconds since then
	sums  map[int32]*rateSum // by key
}

// A rateSum is the work of dropped records, and the seconds it took.
type rateSum struct{ work, seconds float64 }

// rateUnits recognises the units of rates.
func rateUnits(pool *model.Strings) func(unit int32) bool {
	is := map[int32]bool{}
	return func(unit int32) bool {
		rate, known := is[unit]
		if !known {
			rate = strings.HasSuffix(pool.At(unit), "/s")
			is[unit] = rate
		}
		return rate
	}
}

// begin takes note of the time of a record.
func (f *rateFold) begin(b *model.Batch, record int) {
	t, ok := b.RecordInt(model.MetricT, record)
	f.since = 0
	if ok && f.timed && t > f.t {
		f.since = float64(t-f.t) / 1e9
	}
	if ok {
		f.t, f.timed = t, true
	}
}

// row takes in a row with the rate of a dropped record, or gives that of a kept one the mean
// of all since the one kept before.
func (f *rateFold) row(b *model.Batch, r int, keep bool) {
	if f.since == 0 {
		return
	}
	v, ok := b.Float(model.MetricValue, r)
	if !ok {
		return
	}
	key, _ := b.Text(model.MetricKey, r)
	s := f.sum(key)
	s.work, s.seconds = s.work+v*f.since, s.seconds+f.since
	if keep {
		if s.seconds > f.since {
			b.PutFloats(model.MetricValue, r, []float64{s.work / s.seconds})
		}
		*s = rateSum{}
	}
}

func (f *rateFold) sum(key int32) *rateSum {
	s := f.sums[key]
	if s == nil {
		if f.sums == nil {
			f.sums = map[int32]*rateSum{}
		}
		s = &rateSum{}
		f.sums[key] = s
	}
	return s
}

// take takes over what the earlier rows of the same records left, and begins
// those anew.
func (f *rateFold) take(o *rateFold) {
	for key, x := range o.sums {
		s := f.sum(key)
		s.work, s.seconds = s.work+x.work, s.seconds+x.seconds
	}
	if !f.timed {
		f.t, f.timed = o.t, o.timed
	}
	*o = rateFold{}
}
