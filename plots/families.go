package plots

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// Families compares what the threads of the roles do: mechanism × cause.
var Families = &Plot{
	Name: "families",
	Doc:  "mechanism × cause: shares of active samples with intervals, one role beside the other",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		n := len(familyRows(r, rolesOf(r)))
		if n == 0 {
			return mm(pageWidth), mm(26)
		}
		return mm(pageWidth), mm(familyTop + familyPitch(n)*float64(n) + 5)
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawFamilies(newPen(c), r)
		return nil
	},
}

const (
	familyTop   = 6.0
	maxFamilies = 10
)

// familyPitch is the height of a row; many rows stand closer.
func familyPitch(n int) float64 { return min(7.9, 62/float64(n)) }

// rolesOf returns at most two roles: the sides, else those with most samples.
func rolesOf(r *model.Report) []string {
	if r.CPU == nil {
		return nil
	}
	var names []string
	for name := range r.CPU.Roles {
		names = append(names, name)
	}
	rank := func(name string) int {
		return slices.Index([]string{model.Drafter, model.Target}, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := rank(b) - rank(a); d != 0 {
			return d
		}
		if d := cmpFloat(r.CPU.Roles[b].Samples, r.CPU.Roles[a].Samples); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names[:min(len(names), 2)]
}

// A familyRow is one family with its entry in each role, nil where it has no sample.
type familyRow struct{ of []*model.FamilyOf }

func (f familyRow) any() *model.FamilyOf {
	for _, x := range f.of {
		if x != nil {
			return x
		}
	}
	return nil
}

// familyRows joins the roles' families, those of the first role first, each by share.
func familyRows(r *model.Report, roles []string) []familyRow {
	var rows []familyRow
	at := map[string]int{}
	for k, role := range roles {
		fams := slices.Clone(r.CPU.Roles[role].Families)
		slices.SortStableFunc(fams, func(a, b model.FamilyOf) int { return cmpFloat(b.Share.Mid, a.Share.Mid) })
		for i := range fams {
			j, ok := at[fams[i].Family]
			if !ok {
				j = len(rows)
				at[fams[i].Family] = j
				rows = append(rows, familyRow{make([]*model.FamilyOf, len(roles))})
			}
			rows[j].of[k] = &fams[i]
		}
	}
	if len(rows) > maxFamilies {
		// Keep the largest of either role, in their order.
		keep := slices.Clone(rows)
		slices.SortStableFunc(keep, func(a, b familyRow) int { return cmpFloat(b.largest(), a.largest()) })
		least := keep[maxFamilies-1].largest()
		rows = slices.DeleteFunc(rows, func(f familyRow) bool { return f.largest() < least })
		rows = rows[:min(len(rows), maxFamilies)]
	}
	return rows
}

func (f familyRow) largest() float64 {
	m := 0.0
	for _, x := range f.of {
		if x != nil {
			m = math.Max(m, x.Share.Mid)
		}
	}
	return m
}

func drawFamilies(p pen, r *model.Report) {
	roles := rolesOf(r)
	rows := familyRows(r, roles)
	if len(rows) == 0 {
		p.absent(0, 2, pageWidth, 22, missing(r, "stack", "py-spy", "cpu")...)
		return
	}
	lefts, width := []float64{51, 116}, 62.0
	if len(roles) == 1 {
		width = pageWidth - 51
	}
	_, hi := 0.0, 0.0
	for _, f := range rows {
		for _, x := range f.of {
			if x != nil {
				hi = max(hi, min(x.Share.Hi, 1))
			}
		}
	}
	_, hi = around(0, max(hi, 0.05), 5)
	pitch := familyPitch(len(rows))
	for i, f := range rows {
		p.familyName(48, familyTop+pitch*float64(i), f.any(), i == 0 && f.of[0] != nil)
	}
	for k, role := range roles {
		v := scale{0, hi, lefts[k], lefts[k] + width - 23}
		p.familyColumn(v, familyTop+pitch*float64(len(rows)), role, r.CPU.Roles[role])
		for i, f := range rows {
			p.family(v, familyTop+pitch*float64(i)+0.8, f.of[k], lefts[k]+width)
		}
	}
}

func (p pen) familyName(right, y float64, f *model.FamilyOf, bold bool) {
	name := type8
	if bold {
		name = name.strong()
	}
	label := f.Label
	if label == "" {
		label = f.Family
	}
	p.right(right, y+3.2, name, p.fit(name, label, right))
	m := f.Mechanism
	if f.Unresolved {
		m = "line unresolved"
	}
	if f.Cause != "" {
		m += " × " + f.Cause
	}
	n := type7.points(6.9).in(muted)
	p.right(right, y+6.1, n, p.fit(n, m, right))
}

func (p pen) familyColumn(v scale, foot float64, role string, c model.RoleCPU) {
	_, text, _ := side(role)
	title := role
	switch role {
	case model.Target:
		title = "Targets"
	case model.Drafter:
		title = "Drafters"
	case "":
		title, text = "All threads", ink
	}
	p.title(v.a, 3, v.b-v.a+22, face{size: 9.3, bold: true, col: text}, title, "n = "+say.Count(c.Samples))
	ticks := (ticks125{5, plainPercent}).Ticks(0, v.hi)
	for i, k := range ticks {
		p.line(v.at(k.Value), familyTop, v.at(k.Value), foot, 0.2, grid)
		s := k.Label
		if i == len(ticks)-1 {
			s += " %"
		}
		p.center(v.at(k.Value), foot+3.4, type7.in(muted), s)
	}
	p.line(v.a, familyTop, v.a, foot, 0.25, laneFill)
}

func plainPercent(v float64) string { return say.Short(100 * v) }

// family draws one bar; hatched where the mechanism is not resolved.
func (p pen) family(v scale, y float64, f *model.FamilyOf, right float64) {
	const h = 4.5
	if f == nil || f.Samples == 0 && f.Share.Mid == 0 {
		p.text(v.a+1.4, y+3.2, type7.in(muted), "0 samples")
		return
	}
	b := v.clamp(f.Share.Mid)
	if k, ok := kindOf(f.Mechanism); ok && !f.Unresolved {
		if f.Family == "queue" || f.Cause == "queue" {
			k.color = queueCode
		}
		p.fill(v.a, y, max(b-v.a, 0.2), h, k.color)
	} else {
		p.fill(v.a, y, b-v.a, h, white)
		p.hatch(v.a, y, b-v.a, h, 0.8, 0.2, unresolvedInk)
		p.frame(v.a, y, max(b-v.a, 0.3), h, 0.2, unresolvedInk)
	}
	end := b
	if f.Share.Hi > f.Share.Lo {
		end = v.clamp(f.Share.Hi)
		p.interval(v.clamp(f.Share.Lo), end, y+h/2)
	}
	s := say.Round(f.Share.Mid)
	p.fill(end+1, y+0.5, p.width(type78.strong(), s)+1, 3.4, white)
	end = p.text(end+1.5, y+3.2, type78.strong(), s)
	if f.Share.Hi > f.Share.Lo {
		n := type7.in(muted)
		p.text(end+0.8, y+3.2, n, p.fit(n, "("+say.RoundRange(f.Share)+")", right-end))
	}
}
