package report

import (
	"io"

	"tidemark/model"
	"tidemark/plots"
)

// SVG is verdict and timeline as one picture; of a profile, its flame graph.
var SVG = &Renderer{
	Name: "svg",
	Doc:  "verdict and timeline as one picture; of a profile, its flame graph",
	Render: func(w io.Writer, r *model.Report) error {
		if r.Kind == "profile" {
			return writeFlame(w, r)
		}
		return plots.WriteSVG(w, r, plots.Verdict, plots.Timeline)
	},
}
