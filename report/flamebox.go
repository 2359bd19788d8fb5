package report

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
	"tidemark/plots"
)

// A flameBox is one frame of a flame graph: where it stands, and what it says.
type flameBox struct {
	x, w   float64 // shares of the whole, from the left
	depth  int     // 0 is the root, at the top
	parent int     // box, -1 of the root
	name   string
	title  string
	fill   string // of SVG
	text   color.NRGBA
}

// openFill is a pattern: a Python line above C code, its mechanism open.
const openFill = "url(#open)"

// A flameChart is all stacks of a report as boxes; a parent stands before its
// children.
type flameChart struct {
	boxes []flameBox
	rows  int
	unit  string
	diff  bool
	words []legendWord
}

type legendWord struct {
	word string
	fill string
}

// leastBox is the narrowest box, as a share of the whole: a tenth of a pixel
// of 1,200.
const leastBox = 0.1 / 1200

// A flameTree is the flames of a report below one root.
type flameTree struct {
	nodes    []model.FlameNode
	children [][]int
	total    float64
	total2   float64
	diff     bool
}

// chartOf lays the report's flames out, the largest child of each frame left.
func chartOf(r *model.Report) *flameChart {
	t := treeOf(r)
	if t == nil {
		return nil
	}
	c := &flameChart{unit: r.Flames[0].Unit, diff: t.diff}
	words := map[string]string{}
	c.place(t, 0, 0, 1, 0, -1, words)
	for w, fill := range words {
		c.words = append(c.words, legendWord{w, fill})
	}
	slices.SortFunc(c.words, func(a, b legendWord) int { return cmp.Compare(a.word, b.word) })
	return c
}

// treeOf joins the flames; nil where there are none.
func treeOf(r *model.Report) *flameTree {
	t := &flameTree{nodes: []model.FlameNode{{Parent: -1, Name: "all"}}}
	plain := slices.ContainsFunc(r.Flames, func(f model.Flame) bool { return !isDifference(f) })
	for _, f := range r.Flames {
		if plain && isDifference(f) {
			continue // it shows the same stacks once more
		}
		base := len(t.nodes)
		for i, n := range f.Nodes {
			n.Parent += base
			if i == 0 {
				n.Parent = 0
				t.nodes[0].Value += n.Value
				if n.Value2 != nil {
					t.diff = true
					t.total2 += *n.Value2
				}
			}
			if n.Parent < 0 || n.Parent >= len(t.nodes) {
				continue // not a tree: leave the rest of it out
			}
			t.nodes = append(t.nodes, n)
		}
	}
	t.total = t.nodes[0].Value
	if t.diff {
		v := t.total2
		t.nodes[0].Value2 = &v
	}
	if t.total <= 0 && t.total2 <= 0 || len(t.nodes) < 2 {
		return nil
	}
	t.order()
	return t
}

func isDifference(f model.Flame) bool { return len(f.Nodes) > 0 && f.Nodes[0].Value2 != nil }

func (t *flameTree) order() {
	t.children = make([][]int, len(t.nodes))
	for i, n := range t.nodes {
		if i > 0 {
			t.children[n.Parent] = append(t.children[n.Parent], i)
		}
	}
	for _, list := range t.children {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(t.width(b), t.width(a)) })
	}
}

// width is a node's share of the whole; of a difference the mean of its two
// shares, so that what vanished is still seen.
func (t *flameTree) width(i int) float64 {
	n := t.nodes[i]
	if !t.diff {
		return n.Value / t.total
	}
	a, b := t.shares(i)
	return (a + b) / 2
}

func (t *flameTree) shares(i int) (base, now float64) {
	n := t.nodes[i]
	if t.total > 0 {
		base = n.Value / t.total
	}
	if t.total2 > 0 && n.Value2 != nil {
		now = *n.Value2 / t.total2
	}
	return base, now
}

func (c *flameChart) place(t *flameTree, i int, x, w float64, depth, parent int, words map[string]string) {
	n := t.nodes[i]
	b := flameBox{x: x, w: w, depth: depth, parent: parent, name: n.Name, title: t.title(i, c.unit)}
	if t.diff {
		base, now := t.shares(i)
		b.fill = hex(changeColor(now - base))
		b.text = ink
	} else {
		b.fill, b.text = c.color(n, len(t.children[i]) == 0, words)
	}
	at := len(c.boxes)
	c.boxes = append(c.boxes, b)
	c.rows = max(c.rows, depth+1)
	for _, k := range t.children[i] {
		kw := t.width(k)
		if kw < leastBox || depth > model.MaxDepth {
			break
		}
		c.place(t, k, x, min(kw, w), depth+1, at, words)
		x += kw
	}
}

// color is the mechanism's, paler above the leaf; grey where several share a
// frame, hatched where it is open.
func (c *flameChart) color(n model.FlameNode, leaf bool, words map[string]string) (fill string, text color.NRGBA) {
	solid, tint, onSolid, word := plots.MechanismColor(n.Mechanism)
	switch {
	case n.Mechanism == "":
		return hex(solid), ink
	case word == "unresolved":
		words[word] = openFill
		return openFill, ink
	}
	words[word] = hex(solid)
	if leaf {
		return hex(solid), onSolid
	}
	return hex(tint), ink
}

// changeColor is red for a share that grew, blue for one that shrank; full at
// 10 points.
func changeColor(d float64) color.NRGBA {
	k := min(1, max(-1, d/0.10))
	pale := func(v float64) uint8 { return uint8(255 - 175*v) }
	if k > 0 {
		return color.NRGBA{R: 250, G: pale(k), B: pale(k), A: 255}
	}
	return color.NRGBA{R: pale(-k), G: pale(-k), B: 250, A: 255}
}

// title says all of a frame: place, samples, share and mechanism.
func (t *flameTree) title(i int, unit string) string {
	n := t.nodes[i]
	var b strings.Builder
	b.WriteString(n.Name)
	if n.File != "" {
		b.WriteString(" " + n.File)
		if n.Line > 0 {
			b.WriteString(":" + strconv.Itoa(n.Line))
		}
	}
	if t.diff {
		base, now := t.shares(i)
		fmt.Fprintf(&b, " — %s to %s, %+.1f points", say.Percent(base), say.Percent(now), 100*(now-base))
	} else {
		fmt.Fprintf(&b, " — %s %s, %s", say.Count(n.Value), unit, say.Percent(n.Value/t.total))
	}
	if n.Mechanism != "" {
		b.WriteString(", " + n.Mechanism)
	}
	return b.String()
}
