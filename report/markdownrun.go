package report

import (
	"cmp"
	"fmt"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// run is the verdict on the run itself.
func (m *markdown) run(r *model.Report) {
	if r.Check == nil && r.Comparison == nil {
		m.line("## %s\n", escape(r.Verdict.Headline))
		m.runBody(r)
		return
	}
	m.fold("the run: "+r.Run.Name, func() { m.runBody(r) })
}

func (m *markdown) runBody(r *model.Report) {
	m.line("%s\n", escape(strings.TrimSpace(r.Verdict.Lead+" "+r.Verdict.Queue)))
	if r.Kind != "profile" && r.Limiter.Side != "" {
		m.line("%s\n", escape(probabilities(r.Limiter.Probabilities)))
	}
	m.sides(r)
	m.diff(r)
	m.because(r.Verdict.Because)
	if s := pauses(r); s != "" {
		m.line("P%s.\n", escape(s[1:]))
	}
	m.next(r.Next)
	m.inputs(r)
}

func (m *markdown) because(list []model.Reason) {
	for _, b := range list {
		m.line("- %s (%s)", escape(b.Text), escape(b.Source))
	}
	if len(list) > 0 {
		m.line("")
	}
}

// sides is the table of both sides.
func (m *markdown) sides(r *model.Report) {
	l := r.Limiter
	if l.Busy.Target == nil && l.Busy.Drafter == nil {
		return
	}
	share := func(v *model.Interval) string {
		if v == nil {
			return ""
		}
		return say.Percent(v.Mid)
	}
	wait := func(v *model.Interval) string {
		if v == nil {
			return ""
		}
		return say.Share(*v)
	}
	c, unit := capacities(l)
	m.line("| | targets | drafters |\n|---|---|---|")
	m.row("capacity, "+unit, capacityOf(l, c, model.Target), capacityOf(l, c, model.Drafter))
	m.row("busy", share(l.Busy.Target), share(l.Busy.Drafter))
	m.row("waits on the queue", wait(l.Wait.TargetPut), wait(l.Wait.DrafterGate))
	m.row("GPU active", share(active(r.Inside.Target)), share(active(r.Inside.Drafter)))
	m.row("10 % faster gives", gainOf(r, model.Target, 10), gainOf(r, model.Drafter, 10))
	m.row("room", room(l.Headroom.Target), room(l.Headroom.Drafter))
	m.line("")
}

func (m *markdown) row(name, target, drafter string) {
	if target+drafter != "" {
		m.line("| %s | %s | %s |", escape(name), escape(target), escape(drafter))
	}
}

// next lists experiments by their number with the gain, recordings with their command.
func (m *markdown) next(steps []model.Step) {
	if len(steps) == 0 {
		return
	}
	m.line("**Next** (gains are capped where the other side takes over)\n")
	for i, s := range steps {
		switch {
		case s.Kind == "recording":
			m.line("- still open: %s%s", escape(strings.TrimSuffix(s.Text, ":")), code(": ", cmp.Or(s.Command, s.Where)))
		case s.Gain != nil:
			m.line("%s. %s: **up to %s**%s", stepMark(steps, i), escape(stepText(s)), say.Gain(s.Gain.Hi), code(" ", s.Command))
		default:
			m.line("%s. %s%s", stepMark(steps, i), escape(stepText(s)), code(" ", s.Command))
		}
	}
}

// code sets a command behind a lead; "" where there is none.
func code(lead, command string) string {
	if command == "" {
		return ""
	}
	return lead + "`" + strings.NewReplacer("`", "'", "\n", " ", "\r", " ").Replace(command) + "`"
}

// diff is the table of two captures.
func (m *markdown) diff(r *model.Report) {
	if r.CPU == nil || r.CPU.Diff == nil {
		return
	}
	d := r.CPU.Diff
	m.line("Read the column %s: %s\n", escape(d.Measure), escape(d.Misleads))
	known := d.Base.Cores != nil && d.New.Cores != nil
	if known {
		m.line("| cost | share | new | points | misleads | cores | new | change |\n|---|--:|--:|--:|---|--:|--:|--:|")
	} else {
		m.line("| cost | share | new | points | misleads |\n|---|--:|--:|--:|---|")
	}
	for i, x := range d.Rows {
		if i == maxTableRows {
			m.line("\n%d more in the JSON report.", len(d.Rows)-i)
			break
		}
		row := fmt.Sprintf("| %s | %s | %s | %s | %s |", escape(x.Label), say.Round(x.Base.Mid), say.Round(x.New.Mid), escape(points(x)), x.Misleads)
		if known {
			row += fmt.Sprintf(" %s | %s | %s |", cores(x.BaseCores), cores(x.NewCores), change(x.Change))
		}
		m.line("%s", row)
	}
	m.line("\n%s\n", escape(fmt.Sprintf("base %s; new %s", diffSide(d.Base), diffSide(d.New))))
}
