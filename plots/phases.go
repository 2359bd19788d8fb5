package plots

import (
	"image/color"

	"tidemark/internal/say"
	"tidemark/model"
)

// drawPhases draws the ribbon of phases. A name stands inside its phase where
// it fits; a phase too narrow for its name keeps its place and its hatch.
func drawPhases(p pen, y float64, t timeAxis, r *model.Report) {
	p.text(0, y+3.9, type8.strong(), "Phase")
	const top, h = 0.9, 4.4
	if len(r.Phases) == 0 {
		p.fill(plotLeft, y+top, plotRight-plotLeft, h, white)
		p.absent(plotLeft, y+top, plotRight-plotLeft, h, "not divided into phases")
		p.frame(plotLeft, y+top, plotRight-plotLeft, h, 0.15, rule)
		return
	}
	free := plotLeft // from where the ribbon is free of labels
	for i, ph := range r.Phases {
		a, b := t.clamp(ph.FromS), t.clamp(ph.ToS)
		if b <= a {
			continue
		}
		p.phase(a, y+top, b-a, h, ph)
		label := phaseLabel(ph)
		if w := p.width(type7, label); w > b-a-2 && i+1 < len(r.Phases) {
			label = ph.Kind + " " + say.Elapsed(ph.ToS-ph.FromS)
		}
		free = p.phaseLabel(max(a, free), b, y+top, ph, label)
	}
}

func (p pen) phase(x, y, w, h float64, ph model.Phase) {
	if ph.Kind == "steady" {
		p.fill(x, y, w, h, phaseSteady)
		return
	}
	p.fill(x, y, w, h, white)
	p.hatch(x, y, w, h, 1, 0.15, unresolvedInk)
	p.frame(x, y, w, h, 0.15, unresolvedInk)
}

// phaseLabel writes a phase's label inside it and returns where the next may begin.
func (p pen) phaseLabel(a, b, y float64, ph model.Phase, label string) float64 {
	st := type7.in(muted)
	if ph.Kind == "steady" {
		st = type7
	}
	w := p.width(st, label)
	if w+3 > b-a {
		label = ph.Kind
		if w = p.width(st, label); w+2 > b-a {
			return b
		}
	}
	x := a + (b-a-w)/2
	if ph.Kind != "steady" {
		p.fill(x-0.8, y+0.6, w+1.6, 3.2, color.White)
	}
	p.text(x, y+3.1, st, label)
	return b
}

func phaseLabel(ph model.Phase) string {
	s := ph.Kind + "   " + say.Elapsed(ph.FromS) + " – " + say.Elapsed(ph.ToS)
	if ph.Note != "" {
		s += ", " + ph.Note
	}
	return s
}
