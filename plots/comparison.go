package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// Comparison is all that a comparison says, as one picture.
var Comparison = &Plot{
	Name: "comparison",
	Doc:  "a comparison as one picture: sentence, what changed, why, stacks, history",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		h := answerHeight(newFonts(), r)
		for _, q := range compared(r) {
			h += partHead + q.plot.Height(r) + 4
		}
		return mm(pageWidth), mm(h)
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		p := newPen(c)
		p.answer(r)
		y := answerHeight(p.fonts, r)
		for _, q := range compared(r) {
			p.title(0, y+3.4, pageWidth, head10, q.title, q.note)
			h := q.plot.Height(r)
			if err := q.plot.Draw(p.sub(0, y+partHead, pageWidth, h), r); err != nil {
				return err
			}
			y += partHead + h + 4
		}
		return nil
	},
}

const partHead = 6.4

// A comparedPart is a figure with its title.
type comparedPart struct {
	title, note string
	plot        *Plot
}

// compared are the parts that the report has.
func compared(r *model.Report) []comparedPart {
	c := r.Comparison
	if c == nil {
		return []comparedPart{{"What changed", "", Changes}}
	}
	var list []comparedPart
	if c.History != nil {
		list = append(list, comparedPart{"History", HistoryNote, History})
	}
	list = append(list, comparedPart{"What changed", "", Changes})
	if c.Waterfall != nil {
		list = append(list, comparedPart{"Why", c.Waterfall.Text, Waterfall})
	}
	if len(c.Stacks) > 0 {
		list = append(list, comparedPart{"Stacks by mechanism", "share of the role’s active samples", StackChanges})
	}
	return list
}

// answerText wraps the sentence and its lead.
func answerText(f *fonts, r *model.Report) (head, lead []string) {
	headline, text := r.Verdict.Headline, r.Verdict.Lead
	if c := r.Comparison; c != nil {
		headline, text = c.Headline, c.Lead
	}
	return f.wrap(answerFace, headline, pageWidth, 5), f.wrap(leadFace, text, pageWidth, 6)
}

var (
	answerFace = face{size: 14, bold: true, col: ink}
	leadFace   = face{size: 10.5, col: ink}
)

func answerHeight(f *fonts, r *model.Report) float64 {
	head, lead := answerText(f, r)
	return 4 + 6.2*float64(len(head)) + 4.9*float64(len(lead)) + 4
}

func (p pen) answer(r *model.Report) {
	head, lead := answerText(p.fonts, r)
	n := type78.in(muted)
	names := r.Run.Name
	if c := r.Comparison; c != nil {
		names = say.Runs(c.Base) + "  →  " + say.Runs(c.New)
	}
	p.text(0, 3, n, p.fit(n, names, pageWidth))
	y := 4.0
	for _, s := range head {
		y += 6.2
		p.text(0, y, answerFace, s)
	}
	for _, s := range lead {
		y += 4.9
		p.text(0, y+0.6, leadFace, s)
	}
}
