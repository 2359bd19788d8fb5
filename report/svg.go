package report

import (
	"io"

	"tidemark/model"
	"tidemark/plots"
)

// SVG is verdict and timeline as one picture; of a comparison what changed; of
// a profile its flame graph.
var SVG = &Renderer{
	Name: "svg",
	Doc:  "verdict and timeline as one picture; of a comparison, what changed; of a profile, its flame graph",
	Render: func(w io.Writer, r *model.Report) error {
		switch {
		case r.Kind == "profile":
			return writeFlame(w, r)
		case r.Kind == "comparison":
			return plots.WriteSVG(w, r, plots.Comparison)
		}
		return plots.WriteSVG(w, r, plots.Verdict, plots.Timeline)
	},
}
