package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// ProfileAnalyzers are those that speak of sampled stacks alone, without a run.
var ProfileAnalyzers = []*Analyzer{Inputs, Stacks, Roles, StackActivity, CPUCost, HotThreads, ProfileVerdict}

// Documented are all analyzers that a list of what can be said shows: those of
// runs, and what speaks of profiles alone.
func Documented() []*Analyzer { return append(slices.Clone(Analyzers), ProfileVerdict, ProfileFlames) }

const (
	// profileNodes is the most nodes of all flame graphs of a profile together:
	// under a megabyte of JSON or SVG.
	profileNodes = 4000
	// smallRole: a role with fewer of the active samples has no flame of its own.
	smallRole = 0.002
)

// ProfileVerdict words the largest costs of sampled stacks that come without a run.
var ProfileVerdict = &Analyzer{
	Name: "profile",
	Doc: `The largest cost of all sampled threads and of each role, with what to try first.

Right as far as the capture is: it speaks of the sampled window, and knows nothing of queues and devices. A spin is waiting for the GPU, which sampled stacks alone cannot tell from work that limits.`,
	Requires: []*Analyzer{Inputs, Stacks, Roles, StackActivity, CPUCost, HotThreads},
	Last:     true,
	Run: func(p *Pass) (any, error) {
		w := &profileWords{p: p, out: p.Out}
		w.costs, _ = Result[*costs](p, CPUCost)
		w.use, _ = Result[*StackUse](p, StackActivity)
		p.Out.Kind = "profile"
		p.Out.Limiter = model.Limiter{Side: model.Unknown, Strength: "cannot tell", Probabilities: model.Probabilities{Unknown: 1}, Shared: model.Shared{Resource: "none"}, Ledger: []model.Entry{}}
		p.Out.Queue.Class, p.Out.Queue.GateKind = model.Unknown, model.Unknown
		p.Out.Skipped = slices.DeleteFunc(p.Out.Skipped, func(s model.Skipped) bool {
			return s.Analyzer != Stacks.Name && s.Analyzer != CPUCost.Name
		})
		w.dominant()
		if c := p.Out.CPU; c != nil && c.Capture != nil { // a profile says nothing of busy shares
			c.Capture.Limits = slices.DeleteFunc(c.Capture.Limits, func(l string) bool { return strings.HasPrefix(l, aboutWindows) })
		}
		w.headline()
		w.next()
		return nil, nil
	},
}

type profileWords struct {
	p     *Pass
	out   *model.Report
	costs *costs
	use   *StackUse
}

// RolesBySamples returns the roles with the most active samples first, the
// two sides before the others.
func RolesBySamples(c *model.CPU) []string {
	if c == nil {
		return nil
	}
	roles := sortedKeys(c.Roles)
	side := func(r string) int {
		if r == model.Target || r == model.Drafter {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(roles, func(a, b string) int {
		return cmp.Or(side(a)-side(b), cmp.Compare(c.Roles[b].Samples, c.Roles[a].Samples))
	})
	return roles
}

// dominant puts the cost of the role with the most samples on top.
func (w *profileWords) dominant() {
	c := w.out.CPU
	for _, role := range RolesBySamples(c) {
		r := c.Roles[role]
		if r.Dominant != nil && (c.Dominant == nil || r.Samples > c.Roles[c.Dominant.Role].Samples) {
			d := *r.Dominant
			d.Role = role
			c.Dominant = &d
		}
	}
}

func (w *profileWords) headline() {
	v, c := &w.out.Verdict, w.out.CPU
	v.Because = []model.Reason{}
	if c == nil || c.All == nil {
		v.Headline = "No sampled stacks that give shares of time."
		v.Strength = "cannot tell"
		for _, s := range w.out.Skipped {
			v.Lead = "Wanted: " + s.Needs + "."
		}
		return
	}
	v.Strength = "measured"
	switch d := c.All.Dominant; {
	case d == nil:
		v.Strength = "cannot tell"
		v.Headline = fmt.Sprintf("Too few samples to name a cost: %s active, want %.0f.", say.Count(c.All.Samples), minActive)
		if w.use.Captures[w.costs.list[0]].ByTime {
			v.Headline = "No cost is named: the file gives times of stacks and no samples, so how sure a share is cannot be told."
		}
	default:
		v.Headline = fmt.Sprintf("Largest cost of all threads: %s.", costWords(*c.All))
	}
	v.Lead = w.lead()
	for _, role := range RolesBySamples(c) {
		r := c.Roles[role]
		if r.Dominant != nil {
			v.Because = append(v.Because, model.Reason{Text: capital(role) + " threads: " + costWords(r) + ".", Source: "n = " + say.Count(r.Samples), At: posOf(r.Dominant.Frames, w.costs)})
		}
	}
}

// costWords says the largest cost of a role, and a tie as one.
func costWords(r model.RoleCPU) string {
	words := func(f model.FamilyOf) string {
		return fmt.Sprintf("%s %s (%s)", lowerWord(f.Label), say.Round(f.Share.Mid), say.RoundRange(f.Share))
	}
	lead, rival := leadAndRival(r)
	if r.Dominant.Tie && rival != nil {
		return "a tie of " + words(lead) + " and " + words(*rival)
	}
	s := words(lead)
	if spins(r) {
		s += ", waiting for the GPU"
	}
	return s
}

// spins reports whether the largest cost of a role is a synchronisation: a
// wait for the device that uses a core.
func spins(r model.RoleCPU) bool { return r.Dominant != nil && r.Dominant.Family == familySync }

// leadAndRival returns the dominant family and the largest other one.
func leadAndRival(r model.RoleCPU) (lead model.FamilyOf, rival *model.FamilyOf) {
	lead = r.Families[0]
	for i, f := range r.Families {
		if f.Family == r.Dominant.Family {
			lead = f
		} else if rival == nil {
			rival = &r.Families[i]
		}
	}
	return lead, rival
}

// lowerWord lowers a first letter that begins no acronym and no name.
func lowerWord(s string) string {
	if len(s) < 2 || strings.HasPrefix(s, "Python") || strings.ToUpper(s[:2]) == s[:2] {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// lead says what was captured.
func (w *profileWords) lead() string {
	var parts []string
	for _, i := range w.costs.list {
		c := w.use.Captures[i]
		s := c.File
		if c.Rate > 0 && c.Seconds > 0 {
			s += fmt.Sprintf(" (%s Hz, %s s)", say.Short(c.Rate), say.Short(c.Seconds))
		} else if c.Rate > 0 {
			s += fmt.Sprintf(" (%s Hz)", say.Short(c.Rate))
		}
		parts = append(parts, s)
	}
	if len(parts) > 3 {
		parts = append(parts[:3], fmt.Sprintf("%d more", len(parts)-3))
	}
	all := w.out.CPU.All
	waits := all.States["wait"] - w.costs.all.mechanism("gil.wait")
	if w.use.Captures[w.costs.list[0]].ByTime {
		return fmt.Sprintf("%s s active, %s s more wait: %s.", say.Short(all.Samples), say.Short(max(0, waits)), strings.Join(parts, ", "))
	}
	s := fmt.Sprintf("%s active samples", say.Count(all.Samples))
	if waits > 0 {
		s += fmt.Sprintf(", %s more wait", say.Count(waits))
	}
	return s + ": " + strings.Join(parts, ", ") + "."
}

func (t *tally) mechanism(id string) float64 {
	if s := t.mechanisms[id]; s != nil {
		return s.n
	}
	return 0
}

// next asks for what each role's largest cost would need, then for recordings.
func (w *profileWords) next() {
	c := w.out.CPU
	if c == nil || w.costs == nil {
		return
	}
	open := false
	for _, role := range RolesBySamples(c) {
		r := c.Roles[role]
		if r.Dominant == nil || len(w.out.Next) == maxSteps {
			continue
		}
		open = open || r.Unresolved != nil && r.Unresolved.Mid > unresolvedShare
		advice := strings.TrimSuffix(adviceOf(families[r.Dominant.Family], r.Dominant.Frames), ".")
		if advice == "" || r.Dominant.Family == "unresolved" {
			continue
		}
		w.out.Next = append(w.out.Next, model.Step{Kind: "experiment", Text: advice, Where: fmt.Sprintf("%s threads, %s", role, say.Round(r.Dominant.Share.Mid))})
	}
	if open {
		w.out.Next = append(w.out.Next, model.Step{Kind: "recording", Text: "which C calls these lines make", Command: StackRecord})
	}
}

// KeepRole makes the report of a profile one of a single role.
func KeepRole(r *model.Report, role string, of model.RoleCPU) {
	c := r.CPU
	c.Roles = map[string]model.RoleCPU{role: of}
	c.All, c.Dominant, c.Samples = &of, nil, of.Samples
	if of.Dominant != nil {
		d := *of.Dominant
		d.Role = role
		c.Dominant = &d
	}
	r.Flames = slices.DeleteFunc(r.Flames, func(f model.Flame) bool { return f.Name != role })
	r.Verdict.Because = slices.DeleteFunc(r.Verdict.Because, func(b model.Reason) bool { return !strings.HasPrefix(b.Text, capital(role)) })
	r.Verdict.Headline = fmt.Sprintf("Too few samples of %s threads to name a cost: %s active, want %.0f.", role, say.Count(of.Samples), minActive)
	if of.Dominant == nil && of.Samples >= minActive {
		r.Verdict.Headline = fmt.Sprintf("No cost of %s threads is named: the file gives times of stacks and no samples.", role)
	}
	if of.Dominant != nil {
		r.Verdict.Headline = fmt.Sprintf("Largest cost of the %s threads: %s.", role, costWords(of))
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f model.Finding) bool { return strings.HasPrefix(f.ID, "cpu.") && !strings.Contains(f.Claim, role) })
	r.Next = slices.DeleteFunc(r.Next, func(s model.Step) bool { return s.Kind == "experiment" && !strings.HasPrefix(s.Where, role) })
}
