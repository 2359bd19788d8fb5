package ingest

import (
	"slices"

	"tidemark/model"
)

// followSteps gives the step of a record to the one after it that has none:
// same source, printed at once after it, and not of a kind that came since.
func followSteps(out *model.RunBuilder, log *model.Templates) {
	stepped := make([]bool, out.Strings.Len())
	for _, s := range log.Steps {
		stepped[s.Template] = true
	}
	with, without := false, false
	for _, x := range log.List {
		if x.Series() {
			with = with || stepped[x.Text]
			without = without || !stepped[x.Text]
		}
	}
	if !with || !without {
		return
	}
	f := follower{done: true}
	rows := model.NewReader(model.Metrics, model.MetricT, model.MetricSource, model.MetricTemplate, model.MetricStep)
	for _, b := range out.Metrics.Batches {
		rows.Read(b)
		for k, template := range rows.RecordTexts(model.MetricTemplate) {
			if stepped[template] {
				f.lead(rows, b.FirstRow(k))
				continue
			}
			if f.done {
				continue
			}
			for r, end := b.FirstRow(k), b.FirstRow(k+1); r < end && !f.done; r++ {
				f.follow(rows, r, template)
			}
		}
	}
}

// maxFollow is how many lines a record may stand behind the one whose step it
// shares: other ranks print between them.
const maxFollow = 16

// followTime is how much later, in ns, it may have been printed: two calls in a row.
const followTime = 10e6

// A follower remembers the last record with a step.
type follower struct {
	step, t  int64
	hasT     bool
	done     bool // nothing more can follow it
	source   int32
	line     int32
	seen     []int32
	latest   int32 // line looked at last
	accepted bool  // … and it follows
}

func (f *follower) lead(b *model.Reader, r int) {
	step, ok := b.Int(model.MetricStep, r)
	if !ok || !f.done && f.line == b.Line(r) && f.step == step {
		return
	}
	*f = follower{step: step, line: b.Line(r), seen: f.seen[:0]}
	f.t, f.hasT = b.Int(model.MetricT, r)
	f.source, _ = b.Text(model.MetricSource, r)
}

func (f *follower) follow(b *model.Reader, r int, template int32) {
	if line := b.Line(r); line != f.latest {
		t, hasT := b.Int(model.MetricT, r)
		if line > f.line+maxFollow || hasT && f.hasT && t > f.t+followTime || len(f.seen) == maxFollow {
			f.done = true
			return
		}
		source, _ := b.Text(model.MetricSource, r)
		f.latest = line
		f.accepted = source == f.source && hasT == f.hasT && t >= f.t && !slices.Contains(f.seen, template)
		if source == f.source {
			f.seen = append(f.seen, template)
		}
	}
	if f.accepted && !b.OK(model.MetricStep, r) {
		b.PutInt(model.MetricStep, r, f.step)
	}
}
