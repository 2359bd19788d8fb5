package infer

import (
	"math"

	"tidemark/model"
)

// A waitFit holds waits against the time between records: the part of it that
// the rest of a record does not explain is longer where the wait is, unless a
// helper thread waited while the worker went on.
type waitFit struct{ n, passed, w, r, ww, wr, rr float64 }

// waitFits are the fit of each record's own wait, and those of the waits that are
// printed in the record before and after.
type waitFits [3]waitFit

// fitRecords is how many records in a row are one point of a fit.
const fitRecords = 4

// A fitPoint is a worker's point as far as it is known.
type fitPoint struct {
	n      int                     // records, 0 for none
	block  int                     // of the last one
	from   int64                   // time of the first one
	to     int64                   // time of the last one that counts
	waited [fitRecords + 2]float64 // with those of the records before and after
	rest   float64
}

// fit takes a record of a worker into its point.
func (x *lineWait) fit(w *lineWorker, t int64, s *SteadyState, block int, waited, spent float64) {
	p := &w.point
	if p.n == 0 || t < p.from || block != p.block && s.Blocks[block].from != s.Blocks[p.block].to {
		*p = fitPoint{from: t}
	} else if p.n <= fitRecords {
		p.to, p.rest = t, p.rest+spent-waited
	}
	p.waited[p.n], p.block = waited, block
	if p.n++; p.n < len(p.waited) {
		return
	}
	passed := float64(p.to-p.from) / 1e9
	for shift := range x.fits {
		sum := 0.0
		for _, v := range p.waited[shift : shift+fitRecords] {
			sum += v
		}
		x.fits[shift].add(passed, sum, passed-p.rest)
	}
	p.n = 0
}

func (f *waitFits) join(g *waitFits) {
	for i := range f {
		f[i].join(&g[i])
	}
}

// overlapping reports waits that pass while their worker works, and the steepest
// slope.
func (f *waitFits) overlapping() (slope float64, yes bool) {
	slope = math.Inf(-1)
	for i := range f {
		b, se, ok := f[i].slope()
		if !ok || b+3*se >= serialWait {
			return 0, false
		}
		slope = max(slope, b)
	}
	return slope, true
}

func (f *waitFit) add(passed, w, r float64) {
	f.n, f.passed, f.w, f.r = f.n+1, f.passed+passed, f.w+w, f.r+r
	f.ww, f.wr, f.rr = f.ww+w*w, f.wr+w*r, f.rr+r*r
}

func (f *waitFit) join(g *waitFit) {
	f.n, f.passed, f.w, f.r = f.n+g.n, f.passed+g.passed, f.w+g.w, f.r+g.r
	f.ww, f.wr, f.rr = f.ww+g.ww, f.wr+g.wr, f.rr+g.rr
}

// slope is by how much the time between records grows with the wait, and its
// standard error; ok is false where the waits are too even to tell.
func (f *waitFit) slope() (slope, se float64, ok bool) {
	ww, wr, rr := f.ww-f.w*f.w/f.n, f.wr-f.w*f.r/f.n, f.rr-f.r*f.r/f.n
	if f.n < leastLines || !(math.Sqrt(ww/f.n) > unevenWait*f.passed/f.n) {
		return 0, 0, false
	}
	slope = wr / ww
	return slope, math.Sqrt(max(rr-slope*wr, 0) / (f.n - 2) / ww), true
}

// checkOverlap enters what was found of such waits.
func checkOverlap(p *Pass, key string, slope float64) {
	p.Check(model.Check{
		Name: "wait." + key, Value: &slope, Limit: new(serialWait),
		Text: key + " in the log does not lengthen the time between its worker's records: set aside, as it passes beside the work, or is no wait of one record",
	})
}
