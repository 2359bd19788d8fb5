package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"io"

	"tidemark/internal/say"
	"tidemark/model"
)

//go:embed flame.js
var flameScript string

const flameStyle = `body{font:14px/1.45 system-ui,"Liberation Sans",sans-serif;color:#1B1F23;margin:1.5em auto;max-width:1220px;padding:0 10px}
h1{font-size:1.35em;margin:0 0 .2em}p{margin:.3em 0}table{border-collapse:collapse;margin:.6em 0}
th{text-align:left;font-weight:600;border-bottom:1px solid #C9CFD5}td,th{padding:2px 10px 2px 0;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}code{font-family:ui-monospace,"Liberation Mono",monospace;font-size:.92em}
#tools{margin:.6em 0}#detail{min-height:1.5em;color:#5B6570}svg{max-width:100%;height:auto}`

// FlamePage writes a profile as one page that works without a network:
// headline, roles, heaviest frames, and a flame graph that a script lets search
// and zoom. All of it can be read without the script.
func FlamePage(w io.Writer, r *model.Report) error {
	var b bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`)
	p(`<title>Tidemark: %s</title><style>%s</style></head><body>`, svgText(r.Run.Name), flameStyle)
	p(`<h1>%s</h1><p>%s</p>`, svgText(r.Verdict.Headline), svgText(r.Verdict.Lead))
	if r.CPU != nil && r.CPU.Diff != nil {
		diffTable(p, r.CPU.Diff)
	} else if r.CPU != nil {
		roleTable(p, r.CPU)
	}
	p(`<div id="tools" hidden><label>Search <input id="find" size="40"></label> <button id="reset">Reset</button> <span id="status"></span></div><div id="detail"></div>`)
	if err := writeFlame(&b, r); err != nil {
		return err
	}
	if r.CPU != nil && r.CPU.All != nil {
		codeTable(p, r.CPU.All)
	}
	captureList(p, r)
	p(`<script>%s</script></body></html>`, flameScript)
	_, err := w.Write(b.Bytes())
	return err
}

func roleTable(p func(string, ...any), c *model.CPU) {
	p(`<table><tr><th>role<th class="n">active samples<th class="n">threads<th>largest cost<th>rule, frame that matched</tr>`)
	for _, name := range rolesBySamples(c) {
		r := c.Roles[name]
		matched := ""
		if r.Dominant != nil && len(r.Dominant.Stacks) > 0 {
			s := r.Dominant.Stacks[0]
			matched = svgText(s.Rule) + "<br><code>" + svgText(s.Matched) + "</code>"
		}
		p(`<tr><td>%s<td class="n">%s<td class="n">%d<td>%s<td>%s</tr>`, svgText(name), say.Count(r.Samples), r.Threads, svgText(dominantWords(r)), matched)
	}
	p(`</table>`)
}

func codeTable(p func(string, ...any), r *model.RoleCPU) {
	if r.Samples <= 0 {
		return
	}
	p(`<h2>Heaviest frames</h2><table><tr><th class="n">self<th class="n">total<th>frame<th>where, heaviest line<th>mechanism</tr>`)
	for _, u := range r.Functions {
		p(`<tr><td class="n">%s<td class="n">%s<td><code>%s</code><td><code>%s</code><td>%s</tr>`, say.Round(u.Self/r.Samples), say.Round(min(1, u.Total/r.Samples)),
			svgText(u.Function), svgText(place(u)), svgText(u.Mechanism))
	}
	p(`</table>`)
}

func diffTable(p func(string, ...any), d *model.ProfileDiff) {
	p(`<p>Read the column <b>%s</b>: %s</p>`, html.EscapeString(d.Measure), svgText(d.Misleads))
	p(`<table><tr><th>cost<th class="n">base share<th class="n">new share<th class="n">points<th class="n">base cores<th class="n">new cores<th class="n">change<th>misleads</tr>`)
	for _, r := range d.Rows {
		p(`<tr><td>%s<td class="n">%s<td class="n">%s<td class="n">%s<td class="n">%s<td class="n">%s<td class="n">%s<td>%s</tr>`, svgText(diffName(r)), say.Round(r.Base.Mid), say.Round(r.New.Mid),
			points(r), cores(r.BaseCores), cores(r.NewCores), change(r.Change), r.Misleads)
	}
	p(`</table>`)
}

func captureList(p func(string, ...any), r *model.Report) {
	if r.CPU == nil || r.CPU.Capture == nil {
		return
	}
	c := r.CPU.Capture
	p(`<h2>Capture: %s</h2><p>%s</p><ul>`, svgText(c.Quality), svgText(captureWords(c)))
	for _, s := range c.Limits {
		p(`<li>%s`, svgText(s))
	}
	p(`</ul>`)
}
