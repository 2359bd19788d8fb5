package plots

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// Frames is the table of the heaviest leaves of each role, and the line that
// leads to each.
var Frames = &Plot{
	Name: "frames",
	Doc:  "the heaviest leaves of each role, with the line that leads to them",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		h := 5.0
		for _, g := range frameGroups(r) {
			h += framePitch*float64(len(g)) + 1.2
		}
		return mm(pageWidth), mm(max(h, 14))
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawFrames(newPen(c), r)
		return nil
	},
}

const framePitch = 4.15

// frameGroups returns the top frames of each role, 13 rows in all.
func frameGroups(r *model.Report) [][]model.TopFrame {
	var out [][]model.TopFrame
	roles := rolesOf(r)
	for i, role := range roles {
		room := 13
		if len(roles) > 1 {
			room = 7 - i
		}
		f := r.CPU.Roles[role].Frames
		f = slices.Clone(f[:min(len(f), room)])
		for k := range f {
			if f[k].Role == "" {
				f[k].Role = role
			}
		}
		if len(f) > 0 {
			out = append(out, f)
		}
	}
	return out
}

func drawFrames(p pen, r *model.Report) {
	groups := frameGroups(r)
	if len(groups) == 0 {
		p.absent(0, 2, pageWidth, 11, "no leaf frame was recorded")
		return
	}
	n := type7.in(muted)
	p.right(11.5, 3, n, "share")
	p.right(24, 3, n, "samples")
	p.text(31, 3, n, "leaf")
	p.text(106, 3, n, "from")
	y := 5.0
	for i, g := range groups {
		if i > 0 {
			p.line(0, y-0.4, pageWidth, y-0.4, 0.2, rule)
			y += 0.6
		}
		fill, _, _ := side(g[0].Role)
		p.fill(0, y, 0.9, framePitch*float64(len(g))-0.4, fill)
		for _, f := range g {
			p.frameRow(y, f)
			y += framePitch
		}
		y += 0.6
	}
}

func (p pen) frameRow(y float64, f model.TopFrame) {
	base := y + 2.9
	p.right(11.5, base, type78.strong(), say.Percent(f.Share))
	p.right(24, base, type78.in(muted), say.Count(f.Samples))
	p.swatch(28, y+0.9, 2, f.Mechanism)
	mono := face{size: 7.2, mono: true, col: ink}
	p.text(31, base, mono, p.fitFrame(mono, say.Function(f.Function), place(f), 73))
	function, where := f.From, ""
	if i := strings.LastIndexByte(f.From, ' '); i > 0 {
		function, where = f.From[:i], f.From[i+1:]
	}
	p.text(106, base, mono, p.fitFrame(mono, say.Function(function), where, pageWidth-106))
}

// place is the file and line of a leaf; native leaves have an object in brackets.
func place(f model.TopFrame) string {
	switch {
	case f.File == "":
		return ""
	case f.Line == 0:
		return "(" + path.Base(f.File) + ")"
	}
	return f.File + ":" + strconv.Itoa(f.Line)
}

// fitFrame shortens the directories first, then the function.
func (p pen) fitFrame(f face, function, where string, w float64) string {
	join := func(where string) string {
		if where == "" {
			return function
		}
		return function + "  " + where
	}
	if p.width(f, join(where)) <= w {
		return join(where)
	}
	where = path.Base(where)
	if p.width(f, join(where)) <= w {
		return join(where)
	}
	for rest, ok := withoutNamespace(function); ok; rest, ok = withoutNamespace(function) {
		if function = rest; p.width(f, join(where)) <= w {
			return join(where)
		}
	}
	room := w - p.width(f, "  "+where)
	if room < 20 {
		return p.fit(f, join(where), w)
	}
	return p.fit(f, function, room) + "  " + where
}

// withoutNamespace drops the first namespace of a C++ name, false where it has
// none: what stands last tells more.
func withoutNamespace(name string) (string, bool) {
	first, rest, ok := strings.Cut(name, "::")
	if !ok || rest == "" || strings.ContainsAny(first, "<(") && first != "(anonymous namespace)" {
		return name, false
	}
	return rest, true
}

// swatch is a small square in a mechanism's colour, hatched where it is open.
func (p pen) swatch(x, y, d float64, mechanism string) {
	if k, ok := kindOf(mechanism); ok {
		p.fill(x, y, d, d, k.color)
		return
	}
	p.hatch(x, y, d, d, 0.7, 0.2, unresolvedInk)
	p.frame(x, y, d, d, 0.2, unresolvedInk)
}
