package report

import (
	"tidemark/internal/say"
	"tidemark/plots"
)

// whatIf is the figure of what changes would bring.
func (p *page) whatIf() error {
	if len(p.r.WhatIf) == 0 {
		return nil
	}
	p.section("whatif", "What if", "change of throughput")
	return p.figure(plots.WhatIf)
}

// method lists what the verdict rests on, and what could not be said.
func (p *page) method() {
	if len(p.r.Checks)+len(p.r.Findings)+len(p.r.Skipped)+len(p.r.Losses) == 0 {
		return
	}
	p.section("method", "Method", p.ofRun("what the verdict rests on"))
	p.checks()
	p.findings()
	p.skipped()
	p.losses()
}

// ofRun adds the name of the run where the page is about several.
func (p *page) ofRun(s string) string {
	if p.r.Kind == "comparison" {
		return s + ", of " + p.r.Run.Name
	}
	return s
}

func (p *page) checks() {
	if len(p.r.Checks) == 0 {
		return
	}
	p.f(`<table><tr><th>check<th><th><th class="n"></tr>`)
	for _, c := range p.r.Checks {
		class, outcome := "pass", "✓"
		if !c.OK {
			class, outcome = "warn", "△"
		}
		p.f(`<tr><td>%s<td class="%s">%s<td>%s<td class="n muted">%s</tr>`, svgText(c.Name), class, outcome, svgText(c.Text), svgText(checkNumbers(c)))
	}
	p.f(`</table>`)
}

func (p *page) findings() {
	if len(p.r.Findings) == 0 {
		return
	}
	p.f(`<table><tr><th>finding<th>claim, what it rests on, advice<th class="n"></tr>`)
	for _, f := range p.r.Findings {
		gain := ""
		if f.PredictedGain != nil {
			gain = "up to " + say.Gain(f.PredictedGain.Hi)
		}
		p.f(`<tr><td>%s<td><b>%s</b>`, svgText(f.ID), svgText(f.Claim))
		for i, e := range f.Evidence {
			if i == maxEvidence {
				p.f(`<br><span class="muted">and %d more readings</span>`, len(f.Evidence)-i)
				break
			}
			p.f(`<br><span class="muted">%s</span>`, svgText(evidenceLine(e)))
		}
		if f.Advice != "" {
			p.f(`<br>%s`, svgText(f.Advice))
		}
		p.f(`<td class="n">%s</tr>`, gain)
	}
	p.f(`</table>`)
}

func (p *page) skipped() {
	if len(p.r.Skipped) == 0 {
		return
	}
	p.f(`<table><tr><th>not recorded<th>needs, and the command that records it</tr>`)
	for _, s := range onceEach(p.r.Skipped) {
		p.f(`<tr><td>%s<td>%s<br><code>%s</code></tr>`, svgText(s.Analyzer), svgText(s.Needs), svgText(s.RecordWith))
	}
	p.f(`</table>`)
}

func (p *page) losses() {
	if len(p.r.Losses) == 0 {
		return
	}
	p.f(`<table><tr><th class="n">GPU hours<th class="n">cost<th>made nothing</tr>`)
	for _, l := range p.r.Losses {
		cost := ""
		if l.Cost != nil {
			cost = say.SI(*l.Cost)
		}
		p.f(`<tr><td class="n">%s<td class="n">%s<td>%s</tr>`, say.SI(l.GPUHours), cost, svgText(l.Cause))
	}
	p.f(`</table>`)
}
