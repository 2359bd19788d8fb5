package report

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
	"tidemark/plots"
)

// next lists experiments with their bound, then recordings with their command.
func (d *document) next() {
	d.section("Next", "what to try or record; gains are capped where the other side takes over", verdictName, 12)
	d.y += 3.4
	steps := d.chooseSteps(contentFloor - d.y - d.soundnessHeight() - 0.5)
	if len(steps) == 0 {
		d.text(pageLeft, d.y, grey(8.3), "Nothing to propose.")
		d.y += 3
	}
	most := 0.0
	for _, s := range steps {
		if s.Gain != nil {
			most = max(most, s.Gain.Hi)
		}
	}
	for i, s := range d.r.Next {
		if d.shown[i] {
			d.step(stepMark(d.r.Next, i), s, most)
		}
	}
	d.y -= 2
}

// stepMark is the number of an experiment, the same wherever it stands; a
// recording has a question mark.
func stepMark(steps []model.Step, i int) string {
	if steps[i].Kind == "recording" {
		return "?"
	}
	n := 0
	for _, s := range steps[:i+1] {
		if s.Kind != "recording" {
			n++
		}
	}
	return strconv.Itoa(n)
}

// best is the step with the largest gain, -1 where none has one.
func best(steps []model.Step) int {
	at := -1
	for i, s := range steps {
		if s.Gain != nil && (at < 0 || s.Gain.Hi > steps[at].Gain.Hi) {
			at = i
		}
	}
	return at
}

// leastSteps is the height of the first two steps and the best one.
func (d *document) leastSteps() float64 {
	h := 0.0
	for i, s := range d.r.Next {
		if i < 2 || i == best(d.r.Next) {
			h += d.stepHeight(s)
		}
	}
	return h
}

// chooseSteps returns the first steps that fit into h mm, one at least. The one
// with the largest gain is among them; where they hold no recording, the first
// recording takes the place of the last, for what is open should stand there too.
func (d *document) chooseSteps(h float64) []model.Step {
	d.shown = map[int]bool{}
	var chosen []int
	for i, s := range d.r.Next {
		need := d.stepHeight(s)
		if h < need && i > 0 {
			break
		}
		h -= need
		chosen = append(chosen, i)
	}
	if top := best(d.r.Next); top >= 0 && !slices.Contains(chosen, top) {
		h += d.stepHeight(d.r.Next[chosen[len(chosen)-1]]) - d.stepHeight(d.r.Next[top])
		chosen[len(chosen)-1] = top
	}
	recording := slices.IndexFunc(d.r.Next, func(s model.Step) bool { return s.Kind == "recording" })
	if recording >= 0 && !slices.Contains(chosen, recording) {
		d.swap(chosen, recording, h)
	}
	var out []model.Step
	for _, i := range chosen {
		d.shown[i] = true
		out = append(out, d.r.Next[i])
	}
	return out
}

// swap puts a recording in the place of the last step but the best, where the
// h mm that are left allow it.
func (d *document) swap(chosen []int, recording int, h float64) {
	last := len(chosen) - 1
	if last > 0 && chosen[last] == best(d.r.Next) {
		last--
	}
	if len(chosen) > 1 && h+d.stepHeight(d.r.Next[chosen[last]]) >= d.stepHeight(d.r.Next[recording]) {
		chosen[last] = recording
	}
}

// stepPitch is the height of a step of one line; a command below it takes more.
const stepPitch = 5.0

func (d *document) stepHeight(s model.Step) float64 {
	if s.Kind != "recording" && s.Gain != nil {
		h := stepPitch
		if _, ok := d.stepWhere(s); !ok {
			h += whereLine
		}
		if s.Command != "" {
			h += 4
		}
		return h
	}
	if s.Command == "" {
		return stepPitch
	}
	if d.width(plain(8.3), s.Text)+d.width(mono(7.2), s.Command)+9 <= pageWidth {
		return stepPitch
	}
	return stepPitch + 3.8*float64(len(d.wrap(mono(7.2), s.Command, pageWidth-5, 2)))
}

func (d *document) step(mark string, s model.Step, most float64) {
	fill, accent, _ := plots.SideColors(d.r.Limiter.Side)
	d.text(pageLeft, d.y, bold(8.3).in(accent), mark)
	if s.Kind == "recording" || s.Gain == nil {
		d.recording(s)
		return
	}
	end := d.text(pageLeft+5, d.y, bold(8.3), d.fit(bold(8.3), s.Text, stepWidth))
	where, beside := d.stepWhere(s)
	if beside {
		d.text(max(end+3, pageLeft+76), d.y, grey(7.4), where)
	} else {
		d.text(pageLeft+5, d.y+whereLine, grey(7.4), d.fit(grey(7.4), where, stepWidth))
	}
	w := 0.4
	if most > 0 {
		w = max(14*s.Gain.Hi/most, w)
	}
	d.fill(pageLeft+143, d.y-2.7, w, 3.2, fill)
	d.right(pageRight, d.y, bold(8.3), "up to "+say.Gain(s.Gain.Hi))
	d.y += stepPitch
	if !beside {
		d.y += whereLine
	}
	if s.Command != "" {
		d.text(pageLeft+5, d.y-1, mono(7.2), d.fit(mono(7.2), s.Command, pageWidth-5))
		d.y += 4
	}
}

// stepWidth is the room for the words of a step, whereLine the height of the
// line below them.
const (
	stepWidth = 136.0
	whereLine = 3.6
)

// stepWhere returns where a step is to be done, and whether that stands beside
// what is to be done.
func (d *document) stepWhere(s model.Step) (string, bool) {
	x := max(5+d.width(bold(8.3), s.Text)+3, 76)
	for _, where := range []string{s.Where, shortPaths(s.Where)} {
		if x+d.width(grey(7.4), where) <= 5+stepWidth {
			return where, true
		}
	}
	return s.Where, false
}

// shortPaths drops the directories of the files in a line of words.
func shortPaths(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		if strings.Contains(w, "/") && strings.Contains(w, ".") {
			words[i] = path.Base(w)
		}
	}
	return strings.Join(words, " ")
}

// recording sets a command beside its purpose, or below it where it is long.
func (d *document) recording(s model.Step) {
	text := s.Text
	if s.Command != "" && len(text) > 0 && text[len(text)-1] != ':' {
		text += ":"
	}
	end := d.text(pageLeft+5, d.y, plain(8.3), d.fit(plain(8.3), text, pageWidth-5))
	switch {
	case s.Command == "":
		if s.Where != "" {
			d.text(end+3, d.y, grey(7.4), d.fit(grey(7.4), s.Where, pageRight-end-3))
		}
	case end+2+d.width(mono(7.2), s.Command) <= pageRight:
		d.text(end+2, d.y, mono(7.2), s.Command)
	default:
		for _, line := range d.wrap(mono(7.2), s.Command, pageWidth-5, 2) {
			d.y += 3.8
			d.text(pageLeft+5, d.y, mono(7.2), line)
		}
	}
	d.y += 5
}
