package report

import (
	"fmt"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
	"tidemark/plots"
)

const cpuName = "Processor time"

// cpuPage shows what the threads do, and what the capture can carry.
func cpuPage(d *document) error {
	d.page(cpuName)
	d.title(cpuTitle(d.r), cpuLead(d.r))
	if err := d.costs(); err != nil {
		return err
	}
	d.separator()
	if err := d.cpuFigure(icicleTitle(d.r), icicleNote(d.r), plots.Icicle); err != nil {
		return err
	}
	d.orLater(d.threads())
	d.orLater(d.capture())
	return nil
}

// costs are the mechanisms of each role and its heaviest frames.
func (d *document) costs() error {
	if err := d.cpuFigure("Mechanism × cause", "share of active samples in each role; hatched: a Python line above C code, its mechanism open", plots.Families); err != nil {
		return err
	}
	d.separator()
	return d.cpuFigure("Top frames", "leaf, and the line that leads to it; edge: blue target, orange drafter threads", plots.Frames)
}

func (d *document) cpuFigure(name, note string, p *plots.Plot) error {
	d.section(name, note, cpuName, p.Height(d.r)+2)
	d.y++
	return d.plot(p, pageLeft)
}

// orLater draws what is h mm high, or leaves it to the page on the data where
// it would begin a page of its own.
func (d *document) orLater(h float64, draw func()) {
	switch {
	case draw == nil:
	case d.y+h > contentFloor:
		d.later = append(d.later, draw)
	default:
		draw()
	}
}

// cpuTitle names the dominant cost, its share and its interval.
func cpuTitle(r *model.Report) string {
	if r.CPU == nil || r.CPU.Dominant == nil {
		return "What the threads do was not recorded."
	}
	c := r.CPU.Dominant
	who := "The threads"
	if c.Role == model.Target || c.Role == model.Drafter {
		who = strings.ToUpper(c.Role[:1]) + c.Role[1:] + " threads"
	}
	share := "most"
	if c.Share != nil {
		share = say.Round(c.Share.Mid) + " (" + say.RoundRange(*c.Share) + ")"
	}
	s := who + " spend " + share + " of their time " + doing(familyOf(r, c), c) + "."
	if c.Tie {
		s = strings.TrimSuffix(s, ".") + ", a tie with the next cost."
	}
	return s
}

// familyOf returns the role's entry of the dominant family, nil if it has none.
func familyOf(r *model.Report, c *model.Dominant) *model.FamilyOf {
	for _, f := range r.CPU.Roles[c.Role].Families {
		if f.Family == c.Family {
			return &f
		}
	}
	return nil
}

// doing puts a mechanism into a verb.
func doing(f *model.FamilyOf, c *model.Dominant) string {
	if f == nil || !f.Unresolved {
		for _, v := range []struct{ prefix, words string }{
			{"gpu.launch", "launching kernels"},
			{"gpu.sync", "waiting for the GPU"},
			{"gpu.alloc", "in the allocator"},
			{"gpu.copy", "copying"},
			{"gil.", "waiting for the GIL"},
			{"compile.", "compiling"},
			{"comm.", "in collectives"},
		} {
			if strings.HasPrefix(c.Mechanism, v.prefix) {
				return v.words
			}
		}
	}
	if f != nil && f.Label == "Optimizer" {
		return "in the optimizer"
	}
	if f != nil && f.Label != "" {
		return "in " + lowerFirst(f.Label)
	}
	if c.Cause != "" {
		return "in " + c.Mechanism + " (" + c.Cause + ")"
	}
	return "in " + c.Mechanism
}

// lowerFirst lowers a word's first letter, but not that of an acronym or of Python.
func lowerFirst(s string) string {
	if len(s) < 2 || strings.HasPrefix(s, "Python") || strings.ToUpper(s[:2]) == s[:2] {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// cpuLead names the second cost of the role, and the first of the other.
func cpuLead(r *model.Report) string {
	if r.CPU == nil || r.CPU.Dominant == nil {
		return ""
	}
	c := r.CPU.Dominant
	var parts []string
	if second := runnerUp(r.CPU.Roles[c.Role].Families, c.Family); second != nil && c.Share != nil {
		s := fmt.Sprintf("Second is %s, %s, %s points behind", lowerFirst(second.Label), say.Round(second.Share.Mid), say.Count(100*(c.Share.Mid-second.Share.Mid)))
		if !c.Tie {
			s += ": no tie"
		}
		parts = append(parts, s+".")
	}
	for _, role := range []string{model.Target, model.Drafter} {
		if o := r.CPU.Roles[role].Dominant; role != c.Role && o != nil && o.Share != nil {
			f := familyOf(r, &model.Dominant{Role: role, Family: o.Family})
			if f != nil {
				parts = append(parts, fmt.Sprintf("The %ss: most on %s, %s.", role, lowerFirst(f.Label), say.Round(o.Share.Mid)))
			}
		}
	}
	return strings.Join(parts, " ")
}

func runnerUp(fams []model.FamilyOf, first string) *model.FamilyOf {
	var best *model.FamilyOf
	for i := range fams {
		if fams[i].Family != first && (best == nil || fams[i].Share.Mid > best.Share.Mid) {
			best = &fams[i]
		}
	}
	return best
}

func icicleTitle(r *model.Report) string {
	f := plots.FlameOf(r)
	if f == nil {
		return "Stacks"
	}
	name := f.Name
	if len(f.Nodes) > 0 && f.Nodes[0].Role != "" {
		name = f.Nodes[0].Role
	}
	if name == "" {
		return "Stacks"
	}
	return strings.ToUpper(name[:1]) + name[1:] + " stacks"
}

func icicleNote(r *model.Report) string {
	f := plots.FlameOf(r)
	if f == nil {
		return ""
	}
	return "width: " + f.Unit + " of " + say.Count(f.Total) + "; colour: mechanism"
}
