package plots

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"tidemark/model"
)

// seriesOf returns the series of a name, or nil where it is absent or empty.
func seriesOf(r *model.Report, name string) *model.Series {
	for i := range r.Series {
		if s := &r.Series[i]; s.Name == name && usable(s) {
			return s
		}
	}
	return nil
}

// usable reports whether a series has a value and as many of each as of times.
func usable(s *model.Series) bool {
	if len(s.T) == 0 || len(s.Lo) != len(s.T) || len(s.Hi) != len(s.T) {
		return false
	}
	for i := range s.T {
		if s.Lo[i] != nil && s.Hi[i] != nil {
			return true
		}
	}
	return false
}

// numbered returns the series prefix0, prefix1, … of each side: targets,
// drafters, then those of no known side, in the order of their numbers.
func numbered(r *model.Report, prefix string) [][]*model.Series {
	groups := map[string][]*model.Series{}
	for i := range r.Series {
		if s := &r.Series[i]; strings.HasPrefix(s.Name, prefix) && usable(s) {
			groups[s.Side] = append(groups[s.Side], s)
		}
	}
	var out [][]*model.Series
	for _, side := range []string{model.Target, model.Drafter, ""} {
		g := groups[side]
		slices.SortStableFunc(g, func(a, b *model.Series) int { return byNumber(a.Name[len(prefix):], b.Name[len(prefix):]) })
		if len(g) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// byNumber compares numbers as numbers, and other names as text.
func byNumber(a, b string) int {
	x, err1 := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	if err1 == nil && err2 == nil {
		return x - y
	}
	return strings.Compare(a, b)
}

// A cell is one value over a stretch of time.
type cell struct{ from, to, lo, hi float64 }

func (c cell) mid() float64 { return (c.lo + c.hi) / 2 }

// cells returns the series as stretches. A point begins its stretch, which ends
// at the next point, or after the usual distance where the next is far away.
func cells(s *model.Series) []cell {
	d := spacing(s)
	out := make([]cell, 0, len(s.T))
	for i, t := range s.T {
		if s.Lo[i] == nil || s.Hi[i] == nil || !finite(t, *s.Lo[i], *s.Hi[i]) {
			continue
		}
		to := t + d
		if i+1 < len(s.T) && s.T[i+1] < t+2.5*d {
			to = s.T[i+1]
		}
		out = append(out, cell{t, to, *s.Lo[i], *s.Hi[i]})
	}
	return out
}

// ends returns cells whose points stand at the end of their stretch, as the
// lines of a log do.
func ends(s *model.Series) []cell {
	d := spacing(s)
	out := make([]cell, 0, len(s.T))
	for i, t := range s.T {
		if s.Lo[i] == nil || s.Hi[i] == nil || !finite(t, *s.Lo[i], *s.Hi[i]) {
			continue
		}
		from := t - d
		if i > 0 && s.T[i-1] > t-2.5*d {
			from = s.T[i-1]
		}
		out = append(out, cell{max(from, 0), t, *s.Lo[i], *s.Hi[i]})
	}
	return out
}

// spacing is the median distance of the points, in seconds.
func spacing(s *model.Series) float64 {
	var d []float64
	for i := 1; i < len(s.T); i++ {
		if s.T[i] > s.T[i-1] {
			d = append(d, s.T[i]-s.T[i-1])
		}
	}
	if len(d) == 0 {
		return 1
	}
	slices.Sort(d)
	return d[len(d)/2]
}

func finite(v ...float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// mean is weighted by time.
func mean(c []cell) float64 {
	sum, t := 0.0, 0.0
	for _, x := range c {
		sum += x.mid() * (x.to - x.from)
		t += x.to - x.from
	}
	if t == 0 {
		return 0
	}
	return sum / t
}

// quantile of the cells' values, each end counted once.
func quantile(c []cell, q float64) float64 {
	v := make([]float64, 0, 2*len(c))
	for _, x := range c {
		v = append(v, x.lo, x.hi)
	}
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[int(q*float64(len(v)-1))]
}

// clear reports whether no cell of the series reaches into t0..t1 × v0..v1.
func clear(c []cell, t0, t1, v0, v1 float64) bool {
	for _, x := range c {
		if x.to >= t0 && x.from <= t1 && x.hi >= v0 && x.lo <= v1 {
			return false
		}
	}
	return true
}

// missing returns the words for a figure whose source was not recorded, and
// the command that records it where the report has one. About names what an
// entry of Skipped speaks of.
func missing(r *model.Report, about ...string) []string {
	words := []string{"not recorded"}
	for _, s := range r.Skipped {
		if s.RecordWith != "" && mentions(s, about) {
			return append(words, s.RecordWith)
		}
	}
	return words
}

func mentions(s model.Skipped, about []string) bool {
	text := strings.ToLower(s.Analyzer + " " + s.Needs)
	for _, a := range about {
		if strings.Contains(text, a) {
			return true
		}
	}
	return false
}
