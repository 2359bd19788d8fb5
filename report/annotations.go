package report

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// maxAnnotations is how many annotations a step gets: GitHub shows ten of a
// kind and drops the rest without a word (zizmor#634).
const maxAnnotations = 8

// An annotation is one line that GitHub shows beside the code or the job.
type annotation struct {
	level, title, text, file string
	line                     int
	hours                    float64 // lost GPU-hours, for the order
}

// Annotations writes the rules that did not pass and the costs that map to
// the repository's own files as workflow commands, by lost GPU time. root is
// the repository.
func Annotations(w io.Writer, r *model.Report, root string) error {
	list := ruleAnnotations(r.Check)
	list = append(list, frameAnnotations(r, root)...)
	rank := map[string]int{"error": 0, "warning": 1, "notice": 2}
	slices.SortStableFunc(list, func(a, b annotation) int {
		return cmp.Or(cmp.Compare(rank[a.level], rank[b.level]), cmp.Compare(b.hours, a.hours))
	})
	if more := len(list) - maxAnnotations; more > 0 {
		list = list[:maxAnnotations]
		list[maxAnnotations-1].text += fmt.Sprintf(" (%d more in the report)", more)
	}
	for _, a := range list {
		if _, err := io.WriteString(w, a.command()); err != nil {
			return err
		}
	}
	return nil
}

// command is the workflow command; its escapes are those of the runner.
func (a annotation) command() string {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	props := []string{}
	if a.file != "" {
		props = append(props, "file="+property.Replace(a.file), fmt.Sprintf("line=%d", a.line))
	}
	props = append(props, "title="+property.Replace(a.title))
	return fmt.Sprintf("::%s %s::%s\n", a.level, strings.Join(props, ","), data.Replace(a.text))
}

func ruleAnnotations(c *model.CheckResult) []annotation {
	if c == nil {
		return nil
	}
	var out []annotation
	for _, o := range c.Rules {
		a := annotation{level: "error", title: "Tidemark: " + o.Name, text: o.Text}
		switch {
		case o.Warn:
			a.level = "warning"
		case o.Status == model.Inconclusive:
			a.level, a.title = "warning", a.title+" inconclusive"
		case o.Status == model.Pass:
			continue
		}
		if o.LostGPU != nil {
			a.hours = *o.LostGPU
			a.text += fmt.Sprintf("; %s GPU-hours a run", say.Short(a.hours))
		}
		out = append(out, a)
	}
	return out
}

// frameAnnotations are the limiting side's lines of the repository that cost most.
func frameAnnotations(r *model.Report, root string) []annotation {
	var out []annotation
	for _, s := range sourceLines(r) {
		file := repositoryFile(root, s.file)
		if file == "" {
			continue
		}
		out = append(out, annotation{
			level: "notice", file: file, line: s.line, title: "Tidemark: " + s.mechanism, hours: s.share,
			text: fmt.Sprintf("%s of the %s threads' time: %s", say.Round(s.share), s.role, s.mechanism),
		})
	}
	return out
}

// A sourceLine is a line of the program with what it costs.
type sourceLine struct {
	file            string
	line            int
	role, mechanism string
	function        string
	share           float64
}

// sourceLines are the program's lines that lead to the heaviest leaves, one row
// a line and mechanism.
func sourceLines(r *model.Report) []sourceLine {
	if r.CPU == nil {
		return nil
	}
	sums := map[sourceLine]float64{}
	for _, role := range []string{model.Target, model.Drafter} {
		for _, f := range r.CPU.Roles[role].Frames {
			s := sourceLine{role: role, mechanism: f.Mechanism}
			if s.place(f); s.file != "" && s.line > 0 {
				sums[s] += f.Share
			}
		}
	}
	var out []sourceLine
	for s, share := range sums {
		s.share = share
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b sourceLine) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.role, b.role), cmp.Compare(a.mechanism, b.mechanism))
	})
	return out
}

// place takes the line of the program that leads to a leaf, "function
// path/file.py:62", or the leaf's own.
func (s *sourceLine) place(f model.TopFrame) {
	function, where, ok := strings.Cut(f.From, " ")
	if ok {
		if file, line, ok := strings.Cut(where, ":"); ok {
			if _, err := fmt.Sscanf(line, "%d", &s.line); err == nil {
				s.file, s.function = file, function
				return
			}
		}
	}
	if strings.HasSuffix(f.File, ".py") {
		s.file, s.line, s.function = f.File, f.Line, f.Function
	}
}

// repositoryFile is the path of a file relative to the repository's root, ""
// where it does not lie in it.
func repositoryFile(root, file string) string {
	if filepath.IsAbs(file) {
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return ""
		}
		file = rel
	}
	if !filepath.IsLocal(file) {
		return ""
	}
	if st, err := os.Stat(filepath.Join(root, file)); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return filepath.ToSlash(file)
}

// Outputs are lines of name=value for $GITHUB_OUTPUT.
func Outputs(r *model.Report) string {
	var b strings.Builder
	put := func(name, value string) {
		fmt.Fprintf(&b, "%s=%s\n", name, strings.Map(func(c rune) rune {
			if c < ' ' {
				return ' '
			}
			return c
		}, value))
	}
	if r.Check != nil {
		put("status", r.Check.Status)
		put("headline", r.Check.Headline)
	}
	put("verdict", r.Verdict.Headline)
	put("limiter", r.Limiter.Side)
	if v := r.Throughput.Steady; v != nil {
		put("throughput", fmt.Sprintf("%.6g", v.Mid))
		put("throughput_unit", r.Throughput.Unit)
	}
	if r.Comparison != nil {
		for _, m := range r.Comparison.Metrics {
			if m.ID == "throughput" && m.Change != nil {
				put("throughput_change", fmt.Sprintf("%.6g", m.Change.Mid))
				put("throughput_change_lo", fmt.Sprintf("%.6g", m.Change.Lo))
				put("throughput_change_hi", fmt.Sprintf("%.6g", m.Change.Hi))
			}
		}
	}
	return b.String()
}
