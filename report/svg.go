package report

import (
	"io"

	"tidemark/model"
	"tidemark/plots"
)

// SVG is verdict and timeline as one picture; of a profile, its processor time.
var SVG = &Renderer{
	Name: "svg",
	Doc:  "verdict and timeline as one picture",
	Render: func(w io.Writer, r *model.Report) error {
		if r.Kind == "profile" {
			return plots.WriteSVG(w, r, plots.Families, plots.Icicle)
		}
		return plots.WriteSVG(w, r, plots.Verdict, plots.Timeline)
	},
}
