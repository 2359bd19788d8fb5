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
	f := follower{stepped: stepped, done: true}
	var leads []uint16
	for _, b := range out.Metrics.Batches {
		leads, k := b.RecordsWith(leads[:0], model.MetricStep), 0
		for _, lead := range leads {
			if template, _ := b.RecordText(model.MetricTemplate, int(lead)); !stepped[template] {
				continue
			}
			f.after(b, k, int(lead))
			f.lead(b, int(lead))
			k = int(lead) + 1
		}
		f.after(b, k, b.Records())
	}
}

// after gives the step to records from from and up to to, as long as they follow.
func (f *follower) after(b *model.Batch, from, to int) {
	for k := from; k < to && !f.done; k++ {
		f.follow(b, k)
	}
}

// maxFollow is how many lines a record may stand behind the one whose step it
// shares: other ranks print between them.
const maxFollow = 16

// followTime is how much later, in ns, it may have been printed: two calls in a row.
const followTime = 10e6

// A follower remembers the last record with a step. Most have nothing behind them that was
// printed at once, so that only their time is read before there is.
type follower struct {
	stepped  []bool // templates of records with a step, which follow no other
	batch    *model.Batch
	record   int
	t        int64
	hasT     bool
	done     bool // nothing more can follow it
	known    bool // the three below are
	step     int64
	line     int32
	source   int32
	seen     []int32
	latest   int32 // line looked at last
	accepted bool  // … and it follows
}

func (f *follower) lead(b *model.Batch, record int) {
	if !f.done {
		f.know()
		if step, _ := b.RecordInt(model.MetricStep, record); f.line == b.RecordLine(record) && f.step == step {
			return
		}
	}
	*f = follower{stepped: f.stepped, batch: b, record: record, seen: f.seen[:0]}
	f.t, f.hasT = b.RecordInt(model.MetricT, record)
}

func (f *follower) know() {
	if f.known {
		return
	}
	f.known, f.line = true, f.batch.RecordLine(f.record)
	f.step, _ = f.batch.RecordInt(model.MetricStep, f.record)
	f.source, _ = f.batch.RecordText(model.MetricSource, f.record)
}

// follow gives the step to a record, or finds that nothing more can follow.
func (f *follower) follow(b *model.Batch, record int) {
	t, hasT := b.RecordInt(model.MetricT, record)
	if hasT && f.hasT && t > f.t+followTime {
		f.done = true
		return
	}
	template, _ := b.RecordText(model.MetricTemplate, record)
	if f.stepped[template] {
		return
	}
	f.know()
	if line := b.RecordLine(record); line != f.latest {
		if line > f.line+maxFollow || len(f.seen) == maxFollow {
			f.done = true
			return
		}
		source, _ := b.RecordText(model.MetricSource, record)
		f.latest = line
		f.accepted = source == f.source && hasT == f.hasT && t >= f.t && !slices.Contains(f.seen, template)
		if source == f.source {
			f.seen = append(f.seen, template)
		}
	}
	for r, end := b.FirstRow(record), b.FirstRow(record+1); r < end && f.accepted; r++ {
		if !b.OK(model.MetricStep, r) {
			b.PutInt(model.MetricStep, r, f.step)
		}
	}
}
