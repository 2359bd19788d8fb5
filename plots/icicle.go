package plots

import (
	"image/color"
	"path"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// Icicle is the stacks of the limiting role: width is samples, colour mechanism.
var Icicle = &Plot{
	Name: "icicle",
	Doc:  "the stacks of the limiting role from the root down; width: samples, colour: mechanism",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		t := treeOf(r)
		if t == nil {
			return mm(pageWidth), mm(14)
		}
		return mm(pageWidth), mm(iciclePitch*float64(t.rows()) + 5.5)
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawIcicle(newPen(c), r)
		return nil
	},
}

const (
	iciclePitch = 4.7
	icicleRows  = 8 // below the folded root
)

// FlameOf returns the flame that the icicle shows: that of the limiting role,
// else of the dominant cost's, else the first that is no difference.
func FlameOf(r *model.Report) *model.Flame {
	want := []string{r.Limiter.Side}
	if r.CPU != nil && r.CPU.Dominant != nil {
		want = append(want, r.CPU.Dominant.Role)
	}
	for _, name := range want {
		for i := range r.Flames {
			if f := &r.Flames[i]; name != "" && roleOfFlame(f) == name && len(f.Nodes) > 1 {
				return f
			}
		}
	}
	for i := range r.Flames {
		if f := &r.Flames[i]; len(f.Nodes) > 1 && f.Nodes[0].Value2 == nil {
			return f
		}
	}
	return nil
}

func roleOfFlame(f *model.Flame) string {
	if len(f.Nodes) > 0 && f.Nodes[0].Role != "" {
		return f.Nodes[0].Role
	}
	return f.Name
}

// A tree is a flame with its children in order, the largest first.
type tree struct {
	nodes    []model.FlameNode
	children [][]int
	root     int // where the stacks first part
	folded   int // starting frames above it that hold everything
	mech     []string
}

func treeOf(r *model.Report) *tree {
	f := FlameOf(r)
	if f == nil {
		return nil
	}
	t := &tree{nodes: f.Nodes, children: make([][]int, len(f.Nodes)), mech: make([]string, len(f.Nodes))}
	for i, n := range f.Nodes {
		if i > 0 && n.Parent >= 0 && n.Parent < i {
			t.children[n.Parent] = append(t.children[n.Parent], i)
		}
	}
	for _, c := range t.children {
		slices.SortStableFunc(c, func(a, b int) int { return cmpFloat(t.nodes[b].Value, t.nodes[a].Value) })
	}
	for len(t.children[t.root]) == 1 && len(t.children[t.children[t.root][0]]) > 0 {
		t.root = t.children[t.root][0]
		t.folded++
	}
	t.mechanisms()
	if !(t.nodes[t.root].Value > 0) {
		return nil
	}
	return t
}

// mechanisms gives each node the mechanism that holds 95 % of it, or none.
// Parents stand before their children, so one pass from the end sums up.
func (t *tree) mechanisms() {
	sums := make([]map[string]float64, len(t.nodes))
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := t.nodes[i]
		below := 0.0
		if sums[i] == nil {
			sums[i] = map[string]float64{}
		}
		for _, c := range t.children[i] {
			below += t.nodes[c].Value
		}
		if own := n.Value - below; own > 0 {
			sums[i][n.Mechanism] += own
		}
		for m, v := range sums[i] {
			if v >= 0.95*n.Value {
				t.mech[i] = m
			}
		}
		if i > 0 && n.Parent >= 0 && n.Parent < i {
			if sums[n.Parent] == nil {
				sums[n.Parent] = map[string]float64{}
			}
			for m, v := range sums[i] {
				sums[n.Parent][m] += v
			}
		}
		sums[i] = nil
	}
}

// rows is how many rows the tree needs: the folded start, the root, what is below.
func (t *tree) rows() int {
	var deep func(i, d int) int
	deep = func(i, d int) int {
		m := d
		for _, c := range t.children[i] {
			if d < icicleRows && t.nodes[c].Value*pageWidth/t.nodes[t.root].Value >= 0.3 {
				m = max(m, deep(c, d+1))
			}
		}
		return m
	}
	n := 1 + deep(t.root, 0)
	if t.folded > 0 {
		n++
	}
	return n
}

func drawIcicle(p pen, r *model.Report) {
	t := treeOf(r)
	if t == nil {
		p.absent(0, 1, pageWidth, 12, missing(r, "stack", "py-spy")...)
		return
	}
	y := 0.0
	if t.folded > 0 {
		p.fill(0, 0, pageWidth, iciclePitch-0.15, parentGrey)
		s := t.nodes[0].Name + "   starting frames folded: " + strconv.Itoa(t.folded)
		p.text(1, 3.5, type7, p.fit(type7, s, pageWidth-2))
		y = iciclePitch
	}
	used := map[string]bool{}
	p.icicle(t, t.root, 0, y, pageWidth, 0, used)
	p.icicleKey(iciclePitch*float64(t.rows())+1.6, used)
}

func (p pen) icicle(t *tree, i int, x, y, w float64, depth int, used map[string]bool) {
	n := t.nodes[i]
	leaf := len(t.children[i]) == 0
	fill := p.icicleCell(t, i, x, y, w, leaf, used)
	p.icicleName(t, i, x, y, w, fill)
	if depth == icicleRows || !(n.Value > 0) {
		return
	}
	at := x
	for _, c := range t.children[i] {
		cw := w * t.nodes[c].Value / n.Value
		if cw < 0.3 || at+cw > x+w+0.01 {
			break
		}
		p.icicle(t, c, at, y+iciclePitch, cw, depth+1, used)
		at += cw
	}
}

// icicleCell fills the cell and returns its colour.
func (p pen) icicleCell(t *tree, i int, x, y, w float64, leaf bool, used map[string]bool) color.NRGBA {
	gap := min(0.2, w/4)
	k, ok := kindOf(t.mech[i])
	switch {
	case ok && leaf:
		used[k.word] = true
		p.fill(x, y, w-gap, iciclePitch-0.15, k.color)
		return k.color
	case ok:
		tint := mix(k.color, white, 0.68)
		p.fill(x, y, w-gap, iciclePitch-0.15, tint)
		return tint
	case leaf:
		used["line unresolved"] = true
		p.fill(x, y, w-gap, iciclePitch-0.15, white)
		p.hatch(x, y, w-gap, iciclePitch-0.15, 0.9, 0.15, unresolvedInk)
		return white
	}
	p.fill(x, y, w-gap, iciclePitch-0.15, parentGrey)
	return parentGrey
}

// icicleName writes as much of name, place and share as fits.
func (p pen) icicleName(t *tree, i int, x, y, w float64, fill color.NRGBA) {
	n := t.nodes[i]
	f := type7.points(6.9).in(onFill(fill))
	room := w - 1.8
	if room < 5 {
		return
	}
	where := ""
	if n.File != "" {
		where = "  " + path.Base(n.File)
		if n.Line > 0 {
			where += ":" + strconv.Itoa(n.Line)
		}
	}
	share := "  " + say.Percent(n.Value/t.nodes[t.root].Value)
	name := say.Function(n.Name)
	s := name
	for _, try := range []string{name + where + share, name + share, name + where} {
		if p.width(f, try) <= room {
			s = try
			break
		}
	}
	for rest, ok := withoutNamespace(s); ok && p.width(f, s) > room; rest, ok = withoutNamespace(s) {
		s = rest
	}
	s = p.fit(f, s, room)
	if fill == white {
		p.fill(x+0.6, y+0.8, p.width(f, s)+0.8, 3.4, white)
	}
	p.text(x+0.9, y+3.4, f, s)
}

// icicleKey names the colours that were used, in the order of the kinds.
func (p pen) icicleKey(y float64, used map[string]bool) {
	x := 0.0
	put := func(word, mechanism string) {
		if used[word] {
			p.swatch(x, y, 2.2, mechanism)
			x = p.text(x+3.4, y+1.9, type7, word) + 6
		}
	}
	for _, k := range kinds {
		put(k.word, k.prefixes[0])
	}
	if used["other"] {
		put("other", "other")
	}
	put("line unresolved", "")
	p.text(x, y+1.9, type7.in(muted), p.fit(type7, "tint: one mechanism holds 95 % of what is below; grey: several", pageWidth-x))
}
