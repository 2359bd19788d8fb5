package report

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// profileFrames is how many frames the terminal report of a profile lists.
const profileFrames = 20

// profileText writes the report of a profile, or of two, for a terminal.
func profileText(w io.Writer, r *model.Report, style Style) error {
	t := &text{r: r, style: style}
	t.profileHead()
	tail := &text{r: r, style: style}
	tail.next()
	tail.profileSound()
	if r.CPU != nil && r.CPU.Diff != nil {
		t.diff(r.CPU.Diff, textLines-len(tail.rows))
	} else if r.CPU != nil && r.CPU.All != nil {
		t.roles(r.CPU)
		t.frames(r.CPU.All, textLines-len(tail.rows))
	}
	t.rows = append(t.rows, tail.rows...)
	_, err := w.Write(t.fit())
	return err
}

func (t *text) profileHead() {
	t.heading(t.r.Verdict.Headline)
	t.wrap(t.r.Verdict.Lead, 0)
	t.blank()
}

// maxRoles is how many roles have a line of their own.
const maxRoles = 5

// roles is one line a role: how much it worked, and on what.
func (t *text) roles(c *model.CPU) {
	names := rolesBySamples(c)
	if len(names) < 2 && c.GIL.Note == "" {
		return
	}
	t.add("%-11s%9s %7s %6s %6s  %s", "role", "active", "threads", "cpu", "spin", "dominant cost, share of active samples")
	for i, name := range names {
		if i == maxRoles {
			t.add("and %d roles more", len(names)-i)
			break
		}
		r := c.Roles[name]
		threads := ""
		if r.Threads > 0 {
			threads = strconv.Itoa(r.Threads)
		}
		t.add("%s%9s %7s %6s %6s  %s", t.paint(roleColor(name), pad(shorten(name, 10), 11)), say.Count(r.Samples), threads,
			stateShare(r, "cpu"), stateShare(r, "spin"), dominantWords(r))
	}
	if c.GIL.Note != "" {
		t.add("%s", strings.ToUpper(c.GIL.Note[:1])+c.GIL.Note[1:])
	}
	t.blank()
}

func roleColor(role string) string {
	switch role {
	case model.Target:
		return targetColor
	case model.Drafter:
		return drafterColor
	}
	return "0"
}

func rolesBySamples(c *model.CPU) []string {
	var names []string
	for name := range c.Roles {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := c.Roles[b].Samples - c.Roles[a].Samples; d != 0 {
			return int(max(-1, min(1, d*1e9)))
		}
		return strings.Compare(a, b)
	})
	return names
}

func stateShare(r model.RoleCPU, state string) string {
	if r.Samples <= 0 {
		return ""
	}
	return say.Round(min(1, r.States[state]/r.Samples))
}

// dominantWords names a role's cost, and what ties with it.
func dominantWords(r model.RoleCPU) string {
	if r.Dominant == nil {
		return "too few samples to name a cost"
	}
	words := func(f model.FamilyOf) string {
		return fmt.Sprintf("%s %s (%s)", lowerFirst(f.Label), say.Round(f.Share.Mid), say.RoundRange(f.Share))
	}
	var lead, rival string
	for _, f := range r.Families {
		switch {
		case f.Family == r.Dominant.Family:
			lead = words(f)
			if f.Mechanism != "" && !f.Unresolved {
				lead += ": " + f.Mechanism + " × " + f.Cause
			}
		case rival == "":
			rival = words(f)
		}
	}
	if r.Dominant.Tie {
		return lead + ", a tie with " + rival
	}
	return lead
}

// leastShare is what a frame must hold to be listed: less is printed as 0.0 %.
const leastShare = 0.0005

// frames lists the heaviest functions by their own samples, down to a row.
func (t *text) frames(r *model.RoleCPU, to int) {
	if r.Samples <= 0 || len(r.Functions) == 0 {
		return
	}
	t.add("   self   total  %s%s%s", pad("frame", 33), pad("where, heaviest line", 28), "mechanism")
	for i, u := range r.Functions[:min(len(r.Functions), profileFrames)] {
		if u.Self < leastShare*r.Samples || len(t.rows) >= to-2 && i > 0 {
			break
		}
		t.add("%7s %7s  %s%s%s", say.Round(u.Self/r.Samples), say.Round(min(1, u.Total/r.Samples)),
			pad(shorten(say.Function(u.Function), 32), 33), pad(keepEnd(place(u), 27), 28), u.Mechanism)
	}
	t.blank()
}

// place is a file with its line; of a long path the end tells more.
func place(u model.CodeUse) string {
	if u.File == "" {
		return ""
	}
	if u.Line > 0 {
		return u.File + ":" + strconv.Itoa(u.Line)
	}
	return u.File
}

// keepEnd cuts a path to n columns, the front first to go.
func keepEnd(s string, n int) string {
	if width(s) <= n {
		return s
	}
	if base := path.Base(s); width(base) < n-1 {
		for {
			_, rest, ok := strings.Cut(s, "/")
			if !ok || width(rest) <= n-2 {
				return shorten("…/"+rest, n)
			}
			s = rest
		}
	}
	r := []rune(s)
	return "…" + string(r[len(r)-n+1:])
}

// soundRows is how many rows the capture takes at most.
const soundRows = 4

// profileSound says what the capture can carry.
func (t *text) profileSound() {
	var bad []string
	if t.r.CPU != nil && t.r.CPU.Capture != nil {
		c := t.r.CPU.Capture
		bad = append(bad, "capture "+c.Quality+": native "+word(c.Native)+", idle "+word(c.Idle))
	}
	bad = append(bad, inputDoubts(t.r.Inputs, 0)...) // before what is true of most captures
	if t.r.CPU != nil && t.r.CPU.Capture != nil {
		for _, l := range t.r.CPU.Capture.Limits {
			bad = append(bad, "! "+l)
		}
	}
	lead := "sound "
	lines := wrapItems(bad, textColumns-6)
	if len(lines) > soundRows {
		lines = append(lines[:soundRows-1:soundRows-1], "more in -o profile.json")
	}
	for _, line := range lines {
		t.add("%s%s", lead, line)
		lead = "      "
	}
}
