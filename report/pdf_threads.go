package report

import (
	"fmt"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// threads names the hot threads, those of one role and occupation together. It
// returns its height, and what draws it.
func (d *document) threads() (float64, func()) {
	if d.r.CPU == nil {
		return 0, nil
	}
	lines := hotLines(d.r.CPU)
	if g := d.r.CPU.GIL; g.Note != "" || g.Share != nil {
		lines = append(lines, gilLine(g))
	}
	var wrapped []string
	for _, s := range lines {
		wrapped = append(wrapped, d.wrap(plain(8), s, pageWidth, 2)...)
	}
	if len(wrapped) == 0 {
		return 0, nil
	}
	return 3.4 + 3.7*float64(len(wrapped)), func() {
		d.separator()
		d.y += 2.6
		for _, line := range wrapped {
			d.text(pageLeft, d.y, plain(8), line)
			d.y += 3.7
		}
		d.y -= 1.6
	}
}

// maxHotGroups and maxHotNames keep the list readable; the JSON has it whole.
const (
	maxHotGroups = 4
	maxHotNames  = 8
)

func hotLines(c *model.CPU) []string {
	type key struct{ role, does string }
	groups := map[key][]model.HotThread{}
	var order []key
	for _, t := range c.HotThreads {
		k := key{t.Role, t.Does}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], t)
	}
	var out []string
	for i, k := range order {
		if i == maxHotGroups {
			return append(out, fmt.Sprintf("and %d more groups of hot threads.", len(order)-i))
		}
		out = append(out, hotLine(k.role, k.does, groups[k]))
	}
	if len(out) == 0 && len(c.Busiest) > 0 {
		b := c.Busiest[0]
		return []string{"No thread is hot; the busiest is tid " + b.TID + roleWords(b.Role) + " at " + say.Round(b.CPU) + " of a core."}
	}
	return out
}

func hotLine(role, does string, threads []model.HotThread) string {
	lo, hi := threads[0].CPU, threads[0].CPU
	var names []string
	for i, t := range threads {
		lo, hi = min(lo, t.CPU), max(hi, t.CPU)
		switch {
		case i < maxHotNames && t.Name != "" && len(threads) < 4:
			names = append(names, t.TID+" "+t.Name)
		case i < maxHotNames:
			names = append(names, t.TID)
		case i == maxHotNames:
			names = append(names, fmt.Sprintf("%d more", len(threads)-i))
		}
	}
	at := say.Round(hi)
	if lo < hi {
		at = say.RoundRange(model.Interval{Lo: lo, Mid: hi, Hi: hi}) + " %"
	}
	n := "thread"
	if len(threads) > 1 {
		n = fmt.Sprintf("%d threads", len(threads))
	}
	s := "Hot: " + n + roleWords(role) + " at " + at + " of a core: tid " + strings.Join(names, ", ")
	if does != "" {
		s += ". " + strings.ToUpper(does[:1]) + does[1:]
	}
	return s + "."
}

func roleWords(role string) string {
	if role == "" {
		return " of no known role"
	}
	return ", " + role + ","
}

func gilLine(g model.GIL) string {
	s := "GIL: "
	if strings.HasPrefix(g.Note, "GIL") {
		s = ""
	}
	if g.Share != nil {
		s += "held " + say.Round(g.Share.Mid) + " (" + say.RoundRange(*g.Share) + ") of the time. "
	} else if g.Bound != nil {
		s += "at most " + say.Round(g.Bound.Hi) + " of the time. "
	}
	return strings.TrimSpace(s + g.Note)
}

// capture is the box on what the capture of stacks can carry: its height, and
// what draws it.
func (d *document) capture() (float64, func()) {
	if d.r.CPU == nil || d.r.CPU.Capture == nil {
		return 0, nil
	}
	c := d.r.CPU.Capture
	var points [][]string
	h := 10.0
	for _, s := range c.Limits {
		lines := d.wrap(plain(7.4), s, pageWidth-10, 2)
		points = append(points, lines)
		h += 3.5 * float64(len(lines))
	}
	return h + 2.4, func() { d.captureBox(c, points, h) }
}

func (d *document) captureBox(c *model.CaptureInfo, points [][]string, h float64) {
	d.y += 2.4
	d.fill(pageLeft, d.y, pageWidth, h, panel)
	y := d.y + 5.6
	end := d.text(pageLeft+3, y, bold(10.2), "Capture quality: "+word(c.Quality))
	d.text(end+4, y, grey(7.8), d.fit(grey(7.8), captureWords(c), pageRight-end-7))
	y += 4.6
	for _, lines := range points {
		d.text(pageLeft+3, y, grey(8), "•")
		for _, s := range lines {
			d.text(pageLeft+6, y, plain(7.4), s)
			y += 3.5
		}
	}
	d.y += h
}

// captureWords are the facts of the capture in one line.
func captureWords(c *model.CaptureInfo) string {
	var known, missing []string
	for _, f := range []struct {
		name, unit string
		v          *float64
	}{{"rate", " Hz", c.RateHz}, {"length", " s", c.DurationS}, {"lag", " s behind", c.LagS}, {"errors", " errors", c.Errors}} {
		if f.v == nil {
			missing = append(missing, f.name)
		} else {
			known = append(known, say.Short(*f.v)+f.unit)
		}
	}
	known = append(known, "native "+word(c.Native), "idle "+word(c.Idle), "GIL holder "+word(c.GIL))
	if len(missing) > 0 {
		known = append(known, "not recorded: "+strings.Join(missing, ", "))
	}
	return strings.Join(known, "  ·  ")
}

func word(s string) string {
	if s == "" {
		return model.Unknown
	}
	return s
}
