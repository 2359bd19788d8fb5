package plots

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// A strip is one row of an activity map.
type strip struct {
	label string
	side  string
	cells []cell
	mean  float64
}

// gpuBand draws one strip a GPU: pale is idle. Beyond 32 GPUs it draws the
// minimum, median and maximum of each side.
func gpuBand(r *model.Report) band {
	groups := stripsOf(r, "gpu.", "GPU ")
	n := count(groups)
	h := 4.85
	switch {
	case n > 32:
		groups = summarise(groups)
		h = 3.4
	case n > 10:
		h = 3.0
	case n == 1:
		h = 9
	}
	note := "share of time with a kernel resident"
	if n > 32 {
		note += "; " + say.Count(n) + " GPUs: lowest, median and highest of a side"
	}
	m := activityMap{title: "GPU active", note: note, groups: groups, h: h, absent: missing(r, "gpu", "nvml", "nvidia"), side: gpuMeans(r, groups)}
	return m.band()
}

// gpuMeans are the readings of the sides: the report's own, else the strips' mean.
func gpuMeans(r *model.Report, groups [][]strip) func(int) (big, small string) {
	return func(i int) (string, string) {
		g := groups[i]
		m := 0.0
		for _, s := range g {
			m += s.mean / float64(len(g))
		}
		if in := r.Inside.Of(g[0].side); in != nil && in.GPUActive != nil && g[0].side != "" {
			m = in.GPUActive.Mid
		}
		return say.Round(m), plural(g[0].side)
	}
}

func plural(side string) string {
	if side == "" {
		return "no side"
	}
	return side + "s"
}

// maxThreads is how many threads a side shows: the busiest.
const maxThreads = 8

// threadBand draws one strip a thread: its share of a core.
func threadBand(r *model.Report) band {
	groups := stripsOf(r, "thread.", "tid ")
	n := count(groups)
	note := "share of a core"
	for i, g := range groups {
		if len(g) > maxThreads {
			byLoad := slices.Clone(g)
			slices.SortStableFunc(byLoad, func(a, b strip) int { return -cmpFloat(a.mean, b.mean) })
			groups[i] = byLoad[:maxThreads]
		}
	}
	if shown := count(groups); shown < n {
		note += fmt.Sprintf("; the busiest %d of %s threads", shown, say.Count(n))
	}
	if inferred(r) {
		note += "; roles are inferred from load"
	}
	hot := func(i int) (string, string) {
		k := 0
		for _, s := range groups[i] {
			if s.mean >= 0.85 {
				k++
			}
		}
		if k == 0 {
			return "", ""
		}
		return strconv.Itoa(k) + " hot", "≥ 85 %"
	}
	m := activityMap{title: "Thread CPU", note: note, groups: groups, h: 3.1, bold: 0.85, absent: missing(r, "thread", "pidstat"), side: hot}
	return m.band()
}

// inferred reports whether the roles of threads are a guess from their load.
func inferred(r *model.Report) bool {
	if r.CPU == nil {
		return false
	}
	for _, t := range slices.Concat(r.CPU.HotThreads, r.CPU.Busiest) {
		if strings.Contains(t.Role, "inferred") {
			return true
		}
	}
	return false
}

func stripsOf(r *model.Report, prefix, label string) [][]strip {
	var out [][]strip
	for _, g := range numbered(r, prefix) {
		var rows []strip
		for _, s := range g {
			c := cells(s)
			if len(c) > 0 {
				rows = append(rows, strip{label + strings.TrimPrefix(s.Name, prefix), s.Side, c, mean(c)})
			}
		}
		if len(rows) > 0 {
			out = append(out, rows)
		}
	}
	return out
}

func count(groups [][]strip) int {
	n := 0
	for _, g := range groups {
		n += len(g)
	}
	return n
}

// summarise returns the lowest, median and highest strip of each side at each time.
func summarise(groups [][]strip) [][]strip {
	var out [][]strip
	for _, g := range groups {
		first := g[0].cells
		rows := []strip{{label: "min"}, {label: "median"}, {label: "max"}}
		next := make([]int, len(g))
		for _, at := range first {
			t := (at.from + at.to) / 2
			var v []float64
			for k := range g {
				for next[k]+1 < len(g[k].cells) && g[k].cells[next[k]].to <= t {
					next[k]++
				}
				if c := g[k].cells[next[k]]; c.from <= t && t < c.to {
					v = append(v, c.mid())
				}
			}
			if len(v) == 0 {
				continue
			}
			slices.Sort(v)
			for k, x := range []float64{v[0], v[len(v)/2], v[len(v)-1]} {
				rows[k].cells = append(rows[k].cells, cell{at.from, at.to, x, x})
			}
		}
		for k := range rows {
			rows[k].side, rows[k].mean = g[0].side, mean(rows[k].cells)
		}
		out = append(out, rows)
	}
	return out
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
