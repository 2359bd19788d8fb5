package report

import (
	"fmt"
	"slices"

	"tidemark/internal/say"
	"tidemark/model"
	"tidemark/plots"
)

func (p *page) check() {
	c := p.r.Check
	if c == nil {
		return
	}
	p.section("check", "Check", "policy "+c.Policy)
	p.f(`<table><tr><th>outcome<th>rule<th>measured, and wanted</tr>`)
	for _, o := range c.Rules {
		p.f(`<tr><td class="%s">%s<td>%s<td>%s</tr>`, statusWord(o), statusWord(o), svgText(o.Name), svgText(o.Text))
	}
	p.f(`</table>`)
	for _, j := range c.Joined {
		p.f(`<p class="muted">%s</p>`, svgText(j))
	}
}

func (p *page) comparison() error {
	c := p.r.Comparison
	if c == nil {
		return nil
	}
	p.section("comparison", "Comparison", say.Runs(c.Base)+" against "+say.Runs(c.New))
	if p.r.Check != nil { // else it is the page's own headline
		p.f(`<p><b>%s</b></p><p>%s</p>`, svgText(c.Headline), svgText(c.Lead))
	}
	var changes []*model.Interval
	for _, m := range c.Metrics {
		changes = append(changes, m.Change)
	}
	span, axis := plots.ChangeSpan(changes), ""
	if slices.ContainsFunc(changes, func(c *model.Interval) bool { return c != nil }) {
		axis = forestHead(span)
	}
	p.f(`<table><tr><th><th class="n">base<th class="n">new<th>change, 95 %%<th>%s<th class="n">q<th></tr>`, axis)
	for _, m := range c.Metrics {
		if m.Base == nil && m.New == nil {
			continue
		}
		mark := ""
		if m.Changed {
			mark = "<b>changed</b>"
		}
		p.f(`<tr><td>%s<td class="n">%s<td class="n">%s<td>%s<td>%s<td class="n">%s<td>%s</tr>`, svgText(m.Label), svgText(say.Quantity(m, m.Base)), svgText(say.Quantity(m, m.New)), svgText(say.Change(m)), forest(m, span), svgText(say.Q(m.Q)), mark)
	}
	p.f(`</table><p class="muted">q: p of no change, adjusted for how many are compared (Benjamini and Hochberg); changed: q at most 0.05. pt: points.</p>`)
	if w := c.Waterfall; w != nil {
		p.section("why-changed", "Why", w.Text)
		if err := p.figure(plots.Waterfall); err != nil {
			return err
		}
	}
	p.mechanisms(c.Stacks)
	if h := c.History; h != nil {
		p.section("history", "History", h.Text)
		if err := p.figure(plots.History); err != nil {
			return err
		}
	}
	p.f(`<p class="muted">%s Scatter of one run: %s, %s.</p>`, svgText(c.Method), say.Round(c.Noise.Between), svgText(c.Noise.From))
	for _, part := range differences(c) {
		for _, n := range part.list {
			p.f(`<p class="muted">%s%s</p>`, part.lead, svgText(n))
		}
	}
	return nil
}

// forestWidth is that of the drawing in a row, forestHalf of one side of its axis.
const (
	forestWidth = 180.0
	forestHalf  = 74.0
)

func forestX(v, span float64) float64 {
	return forestWidth/2 + forestHalf*min(max(v/span, -1), 1)
}

// forestHead is the axis of the column.
func forestHead(span float64) string {
	return fmt.Sprintf(`<svg class="forest" viewBox="0 0 %.0f 14" role="img" aria-label="axis"><text x="%.0f" y="11">−%.0f</text><text x="%.0f" y="11">0 %%</text><text x="%.0f" y="11">+%.0f</text></svg>`,
		forestWidth, forestX(-span, span), 100*span, forestX(0, span), forestX(span, span), 100*span)
}

// forest draws one interval around no change; an end beyond the axis is an arrow head.
func forest(m model.MetricChange, span float64) string {
	if m.Change == nil {
		return ""
	}
	s := fmt.Sprintf(`<svg class="forest" viewBox="0 0 %.0f 14" role="img" aria-label="%s"><path class="axis" d="M%.1f 0V14"/><path class="ivl" d="M%.1f 7H%.1f"/><circle class="mid" cx="%.1f" cy="7" r="3.5"/>`,
		forestWidth, svgText(say.Change(m)), forestX(0, span), forestX(m.Change.Lo, span), forestX(m.Change.Hi, span), forestX(m.Change.Mid, span))
	if m.Change.Lo < -span {
		s += `<path class="mid" d="M4 7L11 3V11Z"/>`
	}
	if m.Change.Hi > span {
		s += fmt.Sprintf(`<path class="mid" d="M%.0f 7L%.0f 3V11Z"/>`, forestWidth-4, forestWidth-11)
	}
	return s + `</svg>`
}

func (p *page) mechanisms(list []model.StackChange) {
	if len(list) == 0 {
		return
	}
	p.section("stacks", "Stacks by mechanism", "share of the role's active samples, and worker-seconds an item")
	p.f(`<table><tr><th>role<th>mechanism<th class="n">base<th class="n">new<th class="n">points, 95 %%<th class="n">base s<th class="n">new s<th></tr>`)
	for _, s := range list {
		a, b, mark := "", "", ""
		if s.BaseS != nil && s.NewS != nil {
			a, b = say.SI(*s.BaseS), say.SI(*s.NewS)
		}
		if s.Changed {
			mark = "<b>changed</b>"
		}
		p.f(`<tr><td>%s<td>%s<td class="n">%s<td class="n">%s<td class="n">%s<td class="n">%s<td class="n">%s<td>%s</tr>`, svgText(s.Role), svgText(s.ID), say.Percent(s.Base.Mid), say.Percent(s.New.Mid), say.Points(s.Change.Mid)+" ("+say.PointsRange(*s.Change)+")", a, b, mark)
	}
	p.f(`</table>`)
}
