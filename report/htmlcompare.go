package report

import (
	"fmt"
	"math"

	"tidemark/internal/say"
	"tidemark/model"
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

func (p *page) comparison() {
	c := p.r.Comparison
	if c == nil {
		return
	}
	p.section("comparison", "Comparison", runNames(c.Base)+" against "+runNames(c.New))
	p.f(`<p><b>%s</b></p><p>%s</p>`, svgText(c.Headline), svgText(c.Lead))
	p.f(`<table><tr><th><th class="n">base<th class="n">new<th>change, 95 %%<th><th class="n">q<th></tr>`)
	for _, m := range c.Metrics {
		if m.Base == nil && m.New == nil {
			continue
		}
		mark := ""
		if m.Changed {
			mark = "<b>changed</b>"
		}
		p.f(`<tr><td>%s<td class="n">%s<td class="n">%s<td>%s<td>%s<td class="n">%s<td>%s</tr>`, svgText(m.Label), svgText(value(m, m.Base)), svgText(value(m, m.New)), svgText(changeOf(m)), forest(m), svgText(probability(m.Q)), mark)
	}
	p.f(`</table>`)
	p.steps(c.Waterfall)
	p.mechanisms(c.Stacks)
	if h := c.History; h != nil {
		p.section("history", "History", "")
		p.f(`<p>%s</p>`, svgText(h.Text))
	}
	p.f(`<p class="muted">%s Scatter of one run: %s, %s.</p>`, svgText(c.Method), say.Round(c.Noise.Between), svgText(c.Noise.From))
	for _, list := range [][]string{c.About, c.Void, c.Notes} {
		for _, n := range list {
			p.f(`<p class="muted">%s</p>`, svgText(n))
		}
	}
}

// forestSpan is the change at either end of a forest plot's row.
const forestSpan = 0.2

// forest draws one interval around no change.
func forest(m model.MetricChange) string {
	if m.Change == nil {
		return ""
	}
	x := func(v float64) float64 { return 80 + 76*min(max(v/forestSpan, -1), 1) }
	return fmt.Sprintf(`<svg width="160" height="14" role="img" aria-label="interval"><path class="axis" d="M80 0V14"/><path class="ivl" d="M%.1f 7H%.1f"/><circle cx="%.1f" cy="7" r="3.5" class="up"/></svg>`,
		x(m.Change.Lo), x(m.Change.Hi), x(m.Change.Mid))
}

// steps draws the waterfall: each bar begins where the last one ended.
func (p *page) steps(w *model.Waterfall) {
	if w == nil {
		return
	}
	p.section("why-changed", "Why", w.Text)
	lo, hi, at := 0.0, 0.0, 0.0
	for _, part := range w.Parts {
		at += part.Ln.Mid
		lo, hi = min(lo, at), max(hi, at)
	}
	span := max(hi-lo, 0.02)
	x := func(v float64) float64 { return 260 + 480*(v-lo)/span }
	p.f(`<svg width="860" height="%d" role="img" aria-label="parts of the change"><path class="axis" d="M%.1f 0V%d"/>`, 24*len(w.Parts)+34, x(0), 24*len(w.Parts)+26)
	at = 0
	for i, part := range w.Parts {
		next := at + part.Ln.Mid
		class := "up"
		if part.Ln.Mid < 0 {
			class = "down"
		}
		y := 24 * i
		p.f(`<text class="lab" x="0" y="%d">%s</text><rect class="%s" x="%.1f" y="%d" width="%.1f" height="16"/><text class="lab" x="760" y="%d">%s %s</text>`,
			y+15, svgText(part.Label), class, x(min(at, next)), y+3, max(math.Abs(x(next)-x(at)), 1), y+15, say.Gain(math.Expm1(part.Ln.Mid)), svgText(partRange(part.Ln)))
		at = next
	}
	y := 24 * len(w.Parts)
	p.f(`<text class="lab" x="0" y="%d" font-weight="700">all together, %s: %s to %s</text><circle class="up" cx="%.1f" cy="%d" r="5"/><text class="lab" x="760" y="%d">%s</text></svg>`,
		y+18, svgText(w.Unit), say.SI(w.Base), say.SI(w.New), x(w.Total.Mid), y+14, y+18, say.Gain(math.Expm1(w.Total.Mid)))
}

func (p *page) mechanisms(list []model.StackChange) {
	if len(list) == 0 {
		return
	}
	p.section("stacks", "Stacks by mechanism", "share of the role's active samples, and worker-seconds an item")
	p.f(`<table><tr><th>role<th>mechanism<th class="n">base<th class="n">new<th class="n">points<th class="n">base s<th class="n">new s<th></tr>`)
	for _, s := range list {
		a, b, mark := "", "", ""
		if s.BaseS != nil && s.NewS != nil {
			a, b = say.SI(*s.BaseS), say.SI(*s.NewS)
		}
		if s.Changed {
			mark = "<b>changed</b>"
		}
		p.f(`<tr><td>%s<td>%s<td class="n">%s<td class="n">%s<td class="n">%s<td class="n">%s<td class="n">%s<td>%s</tr>`, svgText(s.Role), svgText(s.ID), say.Percent(s.Base.Mid), say.Percent(s.New.Mid), pointsOf(s.Change.Mid), a, b, mark)
	}
	p.f(`</table>`)
}
