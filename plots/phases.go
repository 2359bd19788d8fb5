package plots

import (
	"image/color"
	"slices"
	"strings"

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
	phases := namedPhases(r)
	for _, ph := range phases {
		if a, b := t.clamp(ph.FromS), t.clamp(ph.ToS); b > a {
			p.phase(a, y+top, b-a, h, ph)
		}
	}
	named := map[string]bool{"steady": true, "judged": true}
	free := plotLeft // from where the ribbon is free of labels
	for i, ph := range phases {
		a, b := t.clamp(ph.FromS), t.clamp(ph.ToS)
		room := b // up to where a label of this phase may reach
		if i+1 < len(phases) && taken(phases[i+1]) {
			room = b + (t.clamp(phases[i+1].ToS)-b)/4
		}
		if b > a {
			next, ok := p.phaseLabel(max(a, free), b, room, y+top, ph)
			free, named[ph.Kind] = next, named[ph.Kind] || ok
		}
	}
	var others []string
	for _, ph := range phases {
		if !named[ph.Kind] {
			named[ph.Kind] = true
			others = append(others, ph.Kind)
		}
	}
	if len(others) > 0 {
		names, room := strings.Join(others, ", "), readingRight-readingLeft
		label := "hatched: " + names
		if p.fit(type7, label, room) != label { // the hatch speaks for itself
			label = p.fit(type7, names, room)
		}
		p.text(readingLeft, y+3.9, type7.in(muted), label)
	}
}

// namedPhases are the phases; where no steady state was found, the part that
// is taken for one has another name.
func namedPhases(r *model.Report) []model.Phase {
	list := slices.Clone(r.Phases)
	for i := range list {
		if list[i].Kind == "steady" && !r.Steady.Found {
			list[i].Kind = "judged"
		}
	}
	return list
}

// taken reports whether the verdict is about a phase.
func taken(ph model.Phase) bool { return ph.Kind == "steady" || ph.Kind == "judged" }

func (p pen) phase(x, y, w, h float64, ph model.Phase) {
	if taken(ph) {
		p.fill(x, y, w, h, phaseSteady)
		return
	}
	p.fill(x, y, w, h, white)
	p.hatch(x, y, w, h, 1, 0.15, unresolvedInk)
	p.frame(x, y, w, h, 0.15, unresolvedInk)
}

// phaseLabel writes a phase's label inside it, or at the start of a steady phase
// behind it; it returns where the next label may begin, and whether it wrote one.
func (p pen) phaseLabel(a, b, room, y float64, ph model.Phase) (float64, bool) {
	st := type7.in(muted)
	if taken(ph) {
		st = type7
	}
	short := ph.Kind + " " + say.Elapsed(ph.ToS-ph.FromS)
	for _, label := range []string{phaseLabel(ph), short, ph.Kind} {
		w := p.width(st, label)
		if w+3 > b-a {
			continue
		}
		x := a + (b-a-w)/2
		if !taken(ph) {
			p.fill(x-0.8, y+0.6, w+1.6, 3.2, color.White)
		}
		p.text(x, y+3.1, st, label)
		return b, true
	}
	if w := p.width(st, short); b+w+3 <= room {
		p.text(b+1.5, y+3.1, st, short)
		return b + w + 4, true
	}
	return b, false
}

func phaseLabel(ph model.Phase) string {
	s := ph.Kind + "   " + say.Elapsed(ph.FromS) + " – " + say.Elapsed(ph.ToS)
	if ph.Note != "" {
		s += ", " + ph.Note
	}
	return s
}
