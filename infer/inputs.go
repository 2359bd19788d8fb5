package infer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tidemark/internal/say"
	"tidemark/model"
)

// Inputs lists every file with what became of it, and the run's clock.
var Inputs = &Analyzer{
	Name: "inputs",
	Doc: `Every file of the run: format, lines claimed, skipped and rejected, rows, clock, and why a file was not read.

Nothing is skipped in silence: files that no format claims stand here with the reason. Training logs that follow each other are named: they are read as one run.`,
	Requires: []*Analyzer{ReadingsOf},
	Run: func(p *Pass) (any, error) {
		for _, f := range p.Run.Files {
			p.Out.Inputs = append(p.Out.Inputs, input(f, p.Run.Undated))
		}
		oneRun(p)
		clockSteps(p)
		unusedOffsets(p)
		unusedRoles(p)
		info := &p.Out.Run
		info.Name, info.Clock = p.Run.Name, clockWords(p.Run)
		if r, ok := Result[*Readings](p, ReadingsOf); ok {
			info.DurationS = float64(r.End-r.Start) / 1e9
			if !p.Run.Undated {
				info.Start = stamp(r.Start)
			}
		}
		return nil, nil
	},
}

// clockSteps says where a file's clock was set back, or a time lies so far off
// that it is left out: the times that the report speaks of are not as printed.
func clockSteps(p *Pass) {
	n, first := 0, model.SyntaxError{}
	for _, f := range p.Run.Files {
		if n == 0 {
			first = f.OddTimes.First
		}
		n += f.OddTimes.N
	}
	if n == 0 {
		return
	}
	text := first.Error()
	if n > 1 {
		text += fmt.Sprintf(" (and %s more; analyze inspect lists them)", say.Count(n-1))
	}
	p.Check(model.Check{Name: "clock.steps", Value: new(float64(n)), Limit: new(0.0), Text: text})
}

func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.999Z07:00") }

// warningNotes words warnings; what is said of a line again and again, as in a
// document without line ends, is said once.
func warningNotes(list []model.SyntaxError) (notes []string) {
	times := map[string]int{}
	for _, w := range list {
		times[w.Error()]++
		if times[w.Error()] == 1 {
			notes = append(notes, w.Error())
		}
	}
	for i, n := range notes {
		if times[n] > 1 {
			notes[i] += fmt.Sprintf(" (%d times)", times[n])
		}
	}
	return notes
}

func input(f *model.File, undated bool) model.Input {
	in := model.Input{
		Path: f.Path, Format: f.Format, Bytes: f.Bytes, SHA256: f.SHA256, Lines: f.Lines, Claimed: f.Claimed,
		Skipped: f.Skipped, Rejected: f.Rejected, Rows: f.Rows, Clock: f.Clock.How, Reason: f.Reason, Damaged: f.Damaged, Notes: slices.Clone(f.Notes),
	}
	if f.Archive != "" && !strings.HasPrefix(f.Path, f.Archive) {
		in.Notes = append(in.Notes, "member of "+f.Archive)
	}
	if f.First != 0 && !undated {
		in.First, in.Last = stamp(f.First), stamp(f.Last)
	}
	in.Notes = append(in.Notes, warningNotes(f.Warnings)...)
	if more := f.Rejected - len(f.Warnings); more > 0 && len(f.Warnings) >= model.MaxWarnings {
		in.Notes = append(in.Notes, fmt.Sprintf("%s more rejected lines", say.Count(more)))
	}
	if f.Truncated && f.Lines > 0 {
		in.Notes = append(in.Notes, "the last line has no end: the writer may have been cut off")
	}
	if in.Notes == nil {
		in.Notes = []string{}
	}
	if f.Format == "" {
		in.Clock = ""
	}
	return in
}

// clockWords says how the sources were put on one clock.
func clockWords(run *model.Run) string {
	by := map[string][]string{}
	var order []string
	for _, f := range run.Files {
		if f.Format == "" || f.Clock.Kind == model.ClockNone || f.Clock.How == "" {
			continue
		}
		if by[f.Clock.How] == nil {
			order = append(order, f.Clock.How)
		}
		by[f.Clock.How] = append(by[f.Clock.How], f.Path)
	}
	slices.Sort(order)
	var out []string
	for _, how := range order {
		files := by[how]
		if len(files) > 4 {
			files = append(files[:4:4], fmt.Sprintf("%d more", len(by[how])-4))
		}
		out = append(out, how+": "+strings.Join(files, ", "))
	}
	if len(out) == 0 {
		return "no source has times"
	}
	return strings.Join(out, "; ")
}
