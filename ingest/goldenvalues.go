package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// GoldenValues is Megatron's JSON of reference values: a metric's name, and its
// values by step.
var GoldenValues = &Format{
	Name:     "golden-values",
	Doc:      "golden values of Megatron-LM: metrics by step for its tests",
	Detect:   detectGoldenValues,
	Parse:    parseGoldenValues,
	Document: true,
}

func detectGoldenValues(_ string, head []byte) bool {
	return jsonObject(head) && jsonOpens(head, `"start_step"`) && jsonOpens(head, `"step_interval"`) && jsonOpens(head, `"values"`)
}

func parseGoldenValues(src *Source, out *model.RunBuilder) error {
	return wholeDocument(src, out, func(doc []byte) error {
		p := &goldenReader{sheet: newMetricSheet(out), line: lineCounter{b: doc, line: 1}}
		j := &jsonCursor{b: doc}
		j.members(func(name string) { p.metric(j, name) })
		return j.err
	})
}

type goldenReader struct {
	sheet *metricSheet
	line  lineCounter
}

// metric reads one metric's values; each begins with the first step again.
func (p *goldenReader) metric(j *jsonCursor, name string) {
	if j.next() != '{' {
		j.skip()
		return
	}
	p.sheet.session = sheetSession{}
	j.members(func(key string) {
		if key != "values" || j.next() != '{' {
			j.skip()
			return
		}
		j.members(func(step string) { p.value(j, name, step) })
	})
}

func (p *goldenReader) value(j *jsonCursor, name, step string) {
	n, ok := scan.Int([]byte(step))
	from, to := j.span()
	v, ok2 := sheetNumber(bytes.Trim(j.b[from:to], `"`))
	if j.err != nil || !ok || !ok2 {
		return
	}
	p.sheet.counted(n, 1)
	p.sheet.number([]byte(name), v)
	p.sheet.flush(p.line.at(from), int64(from))
}
