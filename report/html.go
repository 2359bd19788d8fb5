package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
	"tidemark/plots"
)

//go:embed html.css
var pageStyle string

// HTML is the report as one page that works without a network and without a
// script: verdict, check, comparison, both sides, what if, timeline, processor
// time, method, inputs. A profile is its flame graph.
var HTML = &Renderer{
	Name: "html",
	Doc:  "the report as one page without a network; of a profile, a flame graph to search",
	Render: func(w io.Writer, r *model.Report) error {
		if r.Kind == "profile" {
			return FlamePage(w, r)
		}
		body := &page{r: r}
		if err := body.body(); err != nil {
			return err
		}
		top := &page{r: r}
		top.head(body.ids)
		_, err := w.Write(append(top.Bytes(), body.Bytes()...))
		return err
	},
}

// A page is HTML under way.
type page struct {
	bytes.Buffer
	r   *model.Report
	ids []string // of the sections written so far
}

// body writes all below the header.
func (p *page) body() error {
	p.answer()
	p.check()
	if err := p.comparison(); err != nil {
		return err
	}
	if p.r.Comparison == nil || p.r.Check != nil {
		p.sides()
		if err := p.whatIf(); err != nil {
			return err
		}
	}
	if err := p.timeline(); err != nil {
		return err
	}
	p.cpu()
	p.method()
	p.inputs()
	p.f(`</main></body></html>`)
	return nil
}

// f writes a line; text among args must be escaped by svgText.
func (p *page) f(format string, args ...any) { fmt.Fprintf(&p.Buffer, format+"\n", args...) }

func (p *page) section(id, title, note string) {
	p.ids = append(p.ids, id)
	p.f(`<h2 id="%s">%s <small>%s</small></h2>`, id, svgText(title), svgText(note))
}

// prose escapes running text; a number keeps its percent sign.
func prose(s string) string { return strings.ReplaceAll(svgText(s), " %", "\u00a0%") }

// sections names the anchors that the header links to; they are stable, for links.
var sections = map[string]string{
	"verdict": "Verdict", "check": "Check", "comparison": "Comparison", "history": "History", "whatif": "What if",
	"timeline": "Timeline", "processor": "Processor", "method": "Method", "inputs": "Inputs",
}

// head writes the header, with links to those sections that were written.
func (p *page) head(ids []string) {
	r := p.r
	p.f(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`)
	p.f(`<title>Tidemark: %s</title><style>%s</style></head><body>`, svgText(r.Run.Name), pageStyle)
	p.f(`<header><b>Tidemark</b><span class="muted">%s</span><nav>`, svgText(subject(r)))
	for _, id := range ids {
		if name := sections[id]; name != "" {
			p.f(`<a href="#%s">%s</a>`, id, name)
		}
	}
	p.f(`</nav></header>`)
}

// subject names what the page is about.
func subject(r *model.Report) string {
	if r.Kind == "comparison" && r.Comparison != nil {
		return say.Runs(r.Comparison.Base) + " → " + say.Runs(r.Comparison.New)
	}
	return r.Run.Name + ", " + say.Window(r.Run.Start, r.Run.DurationS)
}

// answer is the sentence, how sure it is, and what to do next.
func (p *page) answer() {
	r := p.r
	p.ids = append(p.ids, "verdict")
	class := "top"
	if r.Kind == "comparison" || len(r.Next) == 0 {
		class = "top one"
	}
	p.f(`<main><div class="%s" id="verdict"><div>`, class)
	headline, lead := r.Verdict.Headline, r.Verdict.Lead
	if r.Check != nil {
		headline, lead = r.Check.Headline, r.Verdict.Headline+" "+r.Verdict.Lead
	}
	p.f(`<h1>%s</h1><p>%s</p>`, prose(headline), prose(lead))
	if r.Comparison == nil || r.Check != nil {
		p.probability()
	}
	p.f(`</div><div>`)
	p.next()
	p.f(`</div></div>`)
}

func (p *page) probability() {
	x := p.r.Limiter.Probabilities
	p.f(`<div class="bar">`)
	for _, s := range []struct {
		name, class string
		v           float64
	}{{"target", "fill-target", x.Target}, {"drafter", "fill-drafter", x.Drafter}, {"both", "fill-both", x.Both}, {"upstream", "fill-upstream", x.Upstream}, {"unknown", "fill-unknown", x.Unknown}} {
		if s.v >= 0.005 {
			label := fmt.Sprintf("%s %.2f", s.name, min(s.v, 0.99))
			if 60*s.v < float64(len(label)) { // it stands in the line below
				label = ""
			}
			p.f(`<span class="%s" style="width:%.1f%%">%s</span>`, s.class, 100*s.v, label)
		}
	}
	p.f(`</div><p class="muted">%s. %s</p>`, svgText(probabilities(x)), prose(p.r.Verdict.Queue))
}

func (p *page) next() {
	if len(p.r.Next) == 0 || p.r.Kind == "comparison" {
		return
	}
	p.f(`<b>Next</b> <span class="muted">gains are capped where the other side takes over</span><table>`)
	for i, s := range p.r.Next {
		gain := ""
		if s.Gain != nil {
			gain = "up to " + say.Gain(s.Gain.Hi)
		}
		p.f(`<tr><td>%s<td>%s<br><span class="muted">%s</span> <code class="muted">%s</code><td class="n">%s</tr>`, stepMark(p.r.Next, i), svgText(s.Text), svgText(s.Where), svgText(s.Command), gain)
	}
	p.f(`</table>`)
}

func (p *page) sides() {
	l := p.r.Limiter
	p.f(`<div class="cards">`)
	for _, s := range []struct{ side, title string }{{model.Target, "Targets"}, {model.Drafter, "Drafters"}} {
		p.f(`<div class="card %s"><b>%s</b> <span class="muted">%s</span>`, s.side, s.title, svgText(plots.Workers(s.side, p.r)))
		if part := plots.Part(s.side, p.r); part != "" {
			p.f(`<span class="pill">%s</span>`, svgText(part))
		}
		if all, unit := capacities(l); all.Of(s.side) != nil {
			c := all.Of(s.side)
			p.f(`<p><span class="big">%s %s</span> <span class="muted">%s, %s</span></p>`, say.SI(c.Mid), unit, plots.CapacityWord(s.side, l), say.Range(*c))
		}
		p.share("busy", "fill-"+s.side, l.Busy.Of(s.side))
		p.share("GPU active", "fill-active", active(p.r.Inside.Of(s.side)))
		p.f(`<p class="muted">%s; %s</p></div>`, prose(plots.Waits(s.side, l.Wait)), prose(plots.Bound(p.r.Inside.Of(s.side))))
	}
	p.f(`</div>`)
	if len(p.r.Verdict.Because) > 0 {
		p.section("why", "Why", "")
		p.f(`<table>`)
		for _, b := range p.r.Verdict.Because {
			p.f(`<tr><td>%s<td class="muted">%s</tr>`, prose(b.Text), svgText(b.Source))
		}
		p.f(`</table>`)
	}
}

func (p *page) share(name, class string, v *model.Interval) {
	if v == nil {
		p.f(`<div class="bar"><span>%s not recorded</span></div>`, name)
		return
	}
	width, inside, behind := 100*min(max(v.Mid, 0), 1), name+" "+say.Round(v.Mid), ""
	if width < 30 {
		inside, behind = "", inside
	}
	p.f(`<div class="bar"><span class="%s" style="width:%.1f%%">%s</span><span>%s</span></div>`, class, width, inside, behind)
}

func (p *page) timeline() error {
	if len(p.r.Series) == 0 || p.r.Run.DurationS <= 0 {
		return nil
	}
	title := "Timeline"
	if p.r.Kind == "comparison" {
		title += " of " + p.r.Run.Name
	}
	p.section("timeline", title, p.r.Steady.Why)
	return p.figure(plots.Timeline)
}

// figure sets a drawing into the page.
func (p *page) figure(fig *plots.Plot) error {
	var svg bytes.Buffer
	if err := plots.WriteSVG(&svg, p.r, fig); err != nil {
		return err
	}
	b := svg.Bytes()
	if i := bytes.Index(b, []byte("<svg")); i >= 0 {
		b = b[i:]
	}
	p.f(`<div class="figure">%s</div>`, b)
	return nil
}

func (p *page) cpu() {
	if p.r.CPU == nil {
		return
	}
	title := "Processor time"
	if p.r.Kind == "comparison" {
		title += " of " + p.r.Run.Name
	}
	p.section("processor", title, "active samples of sampled stacks")
	roleTable(p.f, p.r.CPU)
	if p.r.CPU.All != nil {
		codeTable(p.f, p.r.CPU.All)
	}
}

func (p *page) inputs() {
	p.section("inputs", "Inputs", "every file, and what became of it")
	p.f(`<table><tr><th>file<th>format<th class="n">lines<th class="n">rejected<th>clock, reason</tr>`)
	for _, in := range p.r.Inputs {
		p.f(`<tr><td><code>%s</code><td>%s<td class="n">%s<td class="n">%s<td>%s %s</tr>`, svgText(in.Path), svgText(in.Format), say.Count(in.Lines), say.Count(in.Rejected), svgText(in.Clock), svgText(in.Reason))
	}
	p.f(`</table><p class="muted">tidemark %s; intervals are 95 %%.</p>`, svgText(p.r.Version))
}
