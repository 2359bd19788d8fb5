package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// Markdown is the report for a step summary or a comment: the answer first,
// details folded, under 100 KB whatever the run.
var Markdown = &Renderer{
	Name:   "md",
	Doc:    "the answer first, details folded, under 100 KB: for step summaries and comments",
	Render: renderMarkdown,
}

// Limits of a summary: GitHub drops one over 1 MiB whole, and a comment over 64 KB.
const (
	maxSummary   = 60 << 10
	maxTableRows = 60
)

func renderMarkdown(w io.Writer, r *model.Report) error {
	m := &markdown{}
	if r.Check != nil {
		m.check(r.Check)
	}
	if r.Comparison != nil {
		m.comparison(r.Comparison)
	}
	m.run(r)
	s := m.String()
	if len(s) > maxSummary {
		cut := strings.LastIndexByte(s[:maxSummary], '\n')
		s = s[:max(cut, 0)] + "\n\n… cut: the whole is in the JSON report\n"
	}
	_, err := io.WriteString(w, s)
	return err
}

type markdown struct{ strings.Builder }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// escape keeps text from being read as markup or as a table's cell.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "#", `\#`, "\n", " ", "\r", " ").Replace(s)
}

func (m *markdown) fold(title string, body func()) {
	m.line("<details><summary>%s</summary>\n", escape(title))
	body()
	m.line("\n</details>\n")
}

func (m *markdown) check(c *model.CheckResult) {
	m.line("## %s\n", escape(c.Headline))
	m.line("| outcome | rule | measured and wanted |\n|---|---|---|")
	for i, o := range c.Rules {
		if i == maxTableRows {
			m.line("| | %d more | |", len(c.Rules)-i)
			break
		}
		m.line("| %s | %s | %s |", statusWord(o), escape(o.Name), escape(shorten(o.Text, 600)))
	}
	m.line("")
	for _, j := range c.Joined {
		m.line("- %s", escape(j))
	}
	m.fold("policy: "+c.Policy, func() {
		m.line("```yaml\n%s\n```", strings.ReplaceAll(strings.TrimSpace(shorten(c.Source, 4000)), "```", "'''"))
	})
}

func (m *markdown) comparison(c *model.Comparison) {
	m.line("### %s\n\n%s\n", escape(c.Headline), escape(c.Lead))
	m.line("| | base | new | change, 95 %% | q | |\n|---|--:|--:|---|--:|---|")
	for _, x := range c.Shown() {
		mark := ""
		if x.Changed {
			mark = "changed"
		}
		m.line("| %s | %s | %s | %s | %s | %s |", escape(x.Label), say.Quantity(x, x.Base), say.Quantity(x, x.New), say.Change(x), escape(say.Q(x.Q)), mark)
	}
	m.line("")
	if w := c.Waterfall; w != nil {
		m.fold("why: "+strings.TrimSuffix(w.Text, "."), func() {
			m.line("| part of the change of %s | factor | |\n|---|--:|---|", w.Unit)
			for _, p := range w.Parts {
				m.line("| %s | %s | %s |", escape(p.Label), say.Gain(math.Expm1(p.Ln.Mid)), say.Factor(p.Ln))
			}
			m.line("| all together | %s | %s |", say.Gain(math.Expm1(w.Total.Mid)), say.Factor(w.Total))
		})
	}
	m.stacks(c)
	if c.History != nil {
		m.line("%s\n", escape(c.History.Text))
	}
	m.fold("method and differences", func() {
		for _, list := range [][]string{c.About, c.Void, c.Notes, {c.Method}} {
			for _, n := range list {
				m.line("- %s", escape(n))
			}
		}
	})
}

func (m *markdown) stacks(c *model.Comparison) {
	if len(c.Stacks) == 0 {
		return
	}
	m.fold("stacks by mechanism", func() {
		m.line("| role | mechanism | base | new | points | worker-seconds an item | |\n|---|---|--:|--:|---|---|---|")
		for i, s := range c.Stacks {
			if i == maxTableRows {
				break
			}
			seconds, mark := "", ""
			if s.BaseS != nil && s.NewS != nil {
				seconds = say.SI(*s.BaseS) + " to " + say.SI(*s.NewS)
			}
			if s.Changed {
				mark = "changed"
			}
			m.line("| %s | %s | %s | %s | %s | %s | %s |", s.Role, escape(s.ID), say.Percent(s.Base.Mid), say.Percent(s.New.Mid), say.Points(s.Change.Mid), seconds, mark)
		}
	})
}

func (m *markdown) inputs(r *model.Report) {
	m.line("\n| file | format | lines | rejected | |\n|---|---|--:|--:|---|")
	for i, in := range r.Inputs {
		if i == maxTableRows {
			m.line("| %d more | | | | |", len(r.Inputs)-i)
			return
		}
		m.line("| %s | %s | %s | %s | %s |", escape(in.Path), escape(in.Format), say.Count(in.Lines), say.Count(in.Rejected), escape(shorten(in.Reason, 200)))
	}
}
