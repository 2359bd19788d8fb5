package ingest

import (
	"errors"
	"fmt"

	"tidemark/model"
)

// TrainerState is trainer_state.json of the HF Trainer: what it logged, by
// step, without a clock. Every checkpoint holds a copy up to itself.
var TrainerState = &Format{
	Name:     "trainer-state",
	Doc:      "trainer_state.json of the HF Trainer",
	Record:   "written with every checkpoint; for rates over time keep the log as well",
	Detect:   detectTrainerState,
	Parse:    parseTrainerState,
	Document: true,
}

func detectTrainerState(_ string, head []byte) bool {
	return jsonObject(head) && jsonOpens(head, `"log_history"`) && jsonOpens(head, `"global_step"`)
}

func parseTrainerState(src *Source, out *model.RunBuilder) error {
	return wholeDocument(src, out, func(doc []byte) error {
		p := &stateReader{jsonSheet: jsonSheet{metricSheet: newMetricSheet(out)}, line: lineCounter{b: doc, line: 1}}
		return p.document(doc)
	})
}

// wholeDocument reads a document; its lines are claimed, or rejected where it
// cannot be read to its end.
func wholeDocument(src *Source, out *model.RunBuilder, read func(doc []byte) error) error {
	doc, err := src.All()
	if err == nil {
		err = read(doc)
	}
	if err != nil {
		out.File.Rejected = out.File.Lines - out.File.Claimed
		return err
	}
	out.File.Claimed = out.File.Lines
	return nil
}

type stateReader struct {
	jsonSheet
	line    lineCounter
	found   bool
	entries int
}

func (p *stateReader) document(doc []byte) error {
	j := &jsonCursor{b: doc}
	j.members(func(key string) {
		switch {
		case key == "log_history" && j.next() == '[':
			p.found = true
			j.elements(func() { p.entry(j) })
		case key == "global_step" || key == "max_steps" || key == "train_batch_size" || key == "num_train_epochs":
			p.fact(j, key)
		default:
			j.skip()
		}
	})
	if j.err == nil && !p.found {
		return errors.New("no log_history, want a list of what was logged there")
	}
	p.out.File.Note(fmt.Sprintf("%d logged entries without wall time: steps and losses only, no rates", p.entries))
	return j.err
}

func (p *stateReader) fact(j *jsonCursor, key string) {
	from, to := j.span()
	p.out.Facts = append(p.out.Facts, model.Fact{Key: key, Value: string(valid(j.b[from:to])), Line: int32(p.line.at(from)), Byte: int64(from)})
}

// entry reads one logged dict. One that is cut short is dropped.
func (p *stateReader) entry(j *jsonCursor) {
	if j.next() != '{' {
		j.skip()
		return
	}
	at := j.i
	p.path = p.path[:0]
	p.members(j, 0)
	if j.err != nil {
		p.drop()
		return
	}
	p.entries++
	p.flush(p.line.at(at), int64(at))
}
