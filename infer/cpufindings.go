package infer

import (
	"fmt"
	"strings"

	"tidemark/internal/say"
	"tidemark/internal/stackrules"
	"tidemark/model"
)

// find adds the findings on costs and on the capture.
func (c *costs) find(p *Pass, out *model.CPU) {
	for _, side := range []string{model.Target, model.Drafter} {
		r, ok := out.Roles[side]
		if !ok {
			continue
		}
		if r.Dominant == nil {
			p.Find(few(c, side, r))
			continue
		}
		p.Find(c.dominant(side, r))
		if u := c.unresolved(side, r); u != nil {
			p.Find(*u)
		}
	}
	c.late(p)
	c.failed(p)
	c.cut(p)
}

// cut reports a file that holds fewer samples than its sampler took.
func (c *costs) cut(p *Pass) {
	if !c.main.cut() {
		return
	}
	n := c.main.Note
	at := append([]model.Pos{{File: c.run.Files[n.File].Path, Line: int(n.Line)}}, firstOf(c.run, c.main.Index)...)
	p.Find(model.Finding{
		ID: "capture.cut", Claim: fmt.Sprintf("%s holds %s of the %s samples that its sampler took: what is missing is not known.", c.main.File, say.Count(c.main.Samples), say.Count(n.Samples)),
		Evidence: []model.Evidence{{What: "samples in the file over samples taken", Value: c.main.Samples / n.Samples, Unit: "share", At: at}},
		Advice:   "Copy the file again, whole.",
	})
}

func few(c *costs, side string, r model.RoleCPU) model.Finding {
	claim := fmt.Sprintf("Too few samples of the %ss to name a cost: %s, want %.0f.", side, say.Count(r.Samples), minActive)
	ev := model.Evidence{What: "active samples", Value: r.Samples, Unit: "samples", At: posOf(r.Frames, c)}
	if c.main.ByTime {
		claim = fmt.Sprintf("No cost of the %ss is named: %s gives times of stacks and no samples, so how sure a share is cannot be told.", side, c.main.File)
		ev.What, ev.Unit = "active time", "s"
	}
	return model.Finding{
		ID: "cpu.few", Claim: claim,
		Evidence: []model.Evidence{ev},
		Advice:   "Record longer: " + StackRecord,
	}
}

func (c *costs) dominant(side string, r model.RoleCPU) model.Finding {
	f := families[r.Dominant.Family]
	lead, rival := r.Families[0], model.FamilyOf{}
	for _, o := range r.Families {
		if o.Family == r.Dominant.Family {
			lead = o
		}
	}
	for _, o := range r.Families {
		if o.Family != lead.Family && rival.Family == "" {
			rival = o
		}
	}
	words := func(f model.FamilyOf) string {
		return fmt.Sprintf("%s, %s (%s)", f.Label, say.Round(f.Share.Mid), say.RoundRange(f.Share))
	}
	claim := fmt.Sprintf("Largest cost of the %s threads: %s of %s active samples.", side, words(lead), say.Count(r.Samples))
	if r.Dominant.Tie {
		claim = fmt.Sprintf("Tie for the largest cost of the %s threads: %s, and %s, of %s active samples.", side, words(lead), words(rival), say.Count(r.Samples))
	}
	out := model.Finding{ID: "cpu.dominant", Claim: claim}
	for _, fr := range r.Dominant.Frames {
		e := model.Evidence{What: strings.TrimSpace(fr.Function + " " + fr.File + leads(fr.From)), Value: fr.Share, Unit: "share"}
		if fr.At != nil {
			e.At = []model.Pos{*fr.At}
		}
		out.Evidence = append(out.Evidence, e)
	}
	out.Advice = adviceOf(f, r.Dominant.Frames)
	return out
}

func leads(from string) string {
	if from == "" {
		return ""
	}
	return ", from " + from
}

// adviceOf fills the line into a family's advice; without a line there is none.
func adviceOf(f family, frames []model.TopFrame) string {
	if f.id == "unresolved" {
		return "Record with native frames: " + StackRecord
	}
	if f.advice == "" || len(frames) == 0 {
		return ""
	}
	at := frames[0].From
	if at == "" {
		at = strings.TrimSpace(fmt.Sprintf("%s %s:%d", frames[0].Function, frames[0].File, frames[0].Line))
	}
	return strings.ReplaceAll(f.advice, "FROM", say.Function(at)) + "."
}

func posOf(frames []model.TopFrame, c *costs) []model.Pos {
	for _, f := range frames {
		if f.At != nil {
			return []model.Pos{*f.At}
		}
	}
	return firstOf(c.run, c.main.Index)
}

// unresolved says how much of a side's time no capture without native frames can name.
func (c *costs) unresolved(side string, r model.RoleCPU) *model.Finding {
	if r.Unresolved == nil || r.Unresolved.Mid < openShare {
		return nil
	}
	f := &model.Finding{ID: "cpu.unresolved"}
	f.Claim = fmt.Sprintf("%s of the %ss' samples end in lines of torch and model libraries that call into C", say.Round(r.Unresolved.Mid), side)
	f.Evidence = []model.Evidence{{What: "samples that end in a library's Python line", Value: r.Unresolved.Mid, Unit: "share", At: posOf(only(r.Frames, stackrules.Unresolved), c)}}
	if own := shareOfID(r.Mechanisms, stackrules.PythonOther); !c.main.Native && own > 0 {
		f.Claim += fmt.Sprintf(", another %s in own lines that may or may not", say.Round(own))
		f.Evidence = append(f.Evidence, model.Evidence{What: "samples that end in own Python lines", Value: own, Unit: "share", At: posOf(only(r.Frames, stackrules.PythonOther), c)})
	}
	if c.main.Native {
		f.Claim += ": the sampler found no native frames below them."
		return f
	}
	f.Claim += ": what they do there is not known."
	f.Advice = "Record with native frames: " + StackRecord
	return f
}

func only(frames []model.TopFrame, mechanism string) []model.TopFrame {
	for i, f := range frames {
		if f.Mechanism == mechanism {
			return frames[i : i+1]
		}
	}
	return nil
}

func shareOfID(list []model.ShareOf, id string) float64 {
	for _, s := range list {
		if s.ID == id {
			return s.Share.Mid
		}
	}
	return 0
}

// late reports that the sampler ran behind.
func (c *costs) late(p *Pass) {
	n := c.main.Note
	if n == nil || n.Lag <= 0 {
		return
	}
	e := model.Evidence{What: "largest lag", Value: n.Lag, Unit: "s"}
	for _, l := range n.LagLines[:min(3, len(n.LagLines))] {
		e.At = append(e.At, model.Pos{File: c.run.Files[n.File].Path, Line: int(l)})
	}
	if len(e.At) == 0 {
		e.At = []model.Pos{{File: c.run.Files[n.File].Path, Line: int(n.Line)}}
	}
	f := model.Finding{ID: "capture.lag", Evidence: []model.Evidence{e}}
	f.Claim = fmt.Sprintf("The sampler ran %.2f s behind.", n.Lag)
	if looks := c.main.Ticks + c.main.Errors; looks > 0 {
		f.Claim = fmt.Sprintf("The sampler ran %.2f s behind: %s of its ticks came late.", n.Lag, say.Percent(c.main.Late/looks))
		f.Evidence = append(f.Evidence, model.Evidence{What: "late ticks, at most", Value: c.main.Late / looks, Unit: "share", At: e.At})
	}
	if l := c.main.lateLimits(p.Out.CPU); len(l) > 0 {
		f.Claim += " " + strings.Join(l, " ")
	}
	f.Advice = "Sample less often: " + StackRecord
	p.Find(f)
}

// failed reports ticks without a stack, from a hundredth of them on.
func (c *costs) failed(p *Pass) {
	looks := c.main.Ticks + c.main.Errors
	if looks == 0 || c.main.Errors/looks < 0.01 {
		return
	}
	n := c.main.Note
	p.Find(model.Finding{
		ID: "capture.errors", Claim: fmt.Sprintf("%s of the sampler's ticks gave no stack; what ran then is not in the shares.", say.Percent(c.main.Errors/looks)),
		Evidence: []model.Evidence{{What: "ticks without a stack", Value: c.main.Errors, Unit: "ticks", At: []model.Pos{{File: c.run.Files[n.File].Path, Line: int(n.Line)}}}},
		Advice:   "Record again with --nonblocking, or without --native.",
	})
}
