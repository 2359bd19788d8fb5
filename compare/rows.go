package compare

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidemark/internal/config"
	"tidemark/model"
)

// A Column is one of a table of runs, which has one row a run.
type Column struct {
	Name string
	Kind string // text, time (ns since 1970), whole, number
	Unit string
	Doc  string
	set  func(*Run, any) error
	get  func(*Run) (any, bool)
}

// Columns are those of a table of runs: what tells the run and its pipeline,
// then each metric by its id.
func Columns() []Column {
	cols := slices.Clone(pipelineColumns)
	for _, m := range Metrics {
		if m.ID == lossID { // is of a pair
			continue
		}
		cols = append(cols, Column{
			Name: m.ID, Kind: "number", Unit: m.columnUnit(), Doc: m.Label,
			set: func(r *Run, v any) error { return m.setCell(r, v) },
			get: func(r *Run) (any, bool) { return m.cell(r) },
		})
	}
	return cols
}

var pipelineColumns = []Column{
	{"name", "text", "", "the run", textCell(func(r *Run) *string { return &r.Name }), func(r *Run) (any, bool) { return r.Name, r.Name != "" }},
	{"start", "time", "ns", "when it began; in tables of others also text, without a zone UTC", setStart, startCell},
	{"unit", "text", "", "of throughput and capacities", textCell(func(r *Run) *string { return &r.Pipeline.Unit }), func(r *Run) (any, bool) { return r.Pipeline.Unit, r.Pipeline.Unit != "" }},
	{"limiter", "text", "", "target, drafter, both, upstream", textCell(func(r *Run) *string { return &r.Limiter }), func(r *Run) (any, bool) { return r.Limiter, r.Limiter != "" && r.Limiter != model.Unknown }},
	{"gpu", "text", "", "models, else memory and power limit", setGPU, func(r *Run) (any, bool) {
		list := append(r.gpuNames(), r.gpuSizes()...)
		return strings.Join(list, gpuSeparator), len(list) > 0
	}},
	{"target_gpus", "whole", "", "how many", wholeCell(func(r *Run, n int) { r.Pipeline.TargetGPUs = n }), func(r *Run) (any, bool) { return int64(r.Pipeline.TargetGPUs), r.Pipeline.TargetGPUs > 0 }},
	{"drafter_gpus", "whole", "", "how many", wholeCell(func(r *Run, n int) { r.Pipeline.DrafterGPUs = n }), func(r *Run) (any, bool) { return int64(r.Pipeline.DrafterGPUs), r.Pipeline.DrafterGPUs > 0 }},
	{"target_workers", "whole", "", "how many", wholeCell(func(r *Run, n int) { r.Pipeline.TargetWorkers = &n }), func(r *Run) (any, bool) { return count(r.Pipeline.TargetWorkers) }},
	{"drafter_workers", "whole", "", "how many", wholeCell(func(r *Run, n int) { r.Pipeline.DrafterWorkers = &n }), func(r *Run) (any, bool) { return count(r.Pipeline.DrafterWorkers) }},
	{"capacity", "number", "items", "of the queue", numberCell(func(r *Run, v float64) { r.Pipeline.Capacity = &v }), func(r *Run) (any, bool) { return amountCell(r.Pipeline.Capacity) }},
	{"min_ready", "number", "items", "of the gate", numberCell(func(r *Run, v float64) { r.Pipeline.MinReady = &v }), func(r *Run) (any, bool) { return amountCell(r.Pipeline.MinReady) }},
}

// columnUnit is the unit of a metric whatever the run: that of throughput is in
// a column of its own.
func (m *Metric) columnUnit() string {
	if m.Unit == "" {
		return "unit"
	}
	return m.Unit
}

// gpuSeparator stands between several models of GPU in one cell.
const gpuSeparator = "; "

// Rows makes the rows of a table of runs. What a run lacks is not in its row.
func Rows(runs []*Run) []map[string]any {
	var rows []map[string]any
	for _, r := range sane(runs) {
		row := map[string]any{}
		for _, c := range Columns() {
			if v, ok := c.get(r); ok {
				row[c.Name] = v
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// FromRows makes runs of the rows of a table of runs. It needs throughput (a
// number) and one of name and start; the other columns tell the pipeline and
// further metrics where they are there, and what Columns does not list is
// left alone.
func FromRows(rows []map[string]any) ([]*Run, error) {
	if len(rows) == 0 {
		return nil, errors.New("no rows")
	}
	if err := needed(rows); err != nil {
		return nil, err
	}
	cols := Columns()
	var out []*Run
	for i, row := range rows {
		r := &Run{Steady: true, Limiter: model.Unknown, Values: map[string]model.Interval{}}
		for _, c := range cols {
			v, ok := row[c.Name]
			if !ok {
				continue
			}
			if err := c.set(r, v); err != nil {
				return nil, fmt.Errorf("row %d: %s: %w", i+1, c.Name, err)
			}
		}
		if r.Name == "" {
			r.Name = r.Start
		}
		if r.Name == "" {
			return nil, fmt.Errorf("row %d: neither name nor start", i+1)
		}
		out = append(out, r)
	}
	return out, nil
}

// needed refuses a table without a throughput, and names what may be meant.
func needed(rows []map[string]any) error {
	names := map[string]bool{}
	for _, row := range rows {
		for name := range row {
			names[name] = true
		}
	}
	if names[throughputID] {
		return nil
	}
	err := fmt.Errorf("no column %q, want one row a run with name, start and throughput", throughputID)
	if list := slices.Sorted(maps.Keys(names)); len(list) > 0 {
		err = fmt.Errorf("%w; the nearest column is %q", err, config.Nearest(throughputID, list))
	}
	return err
}

func textCell(at func(*Run) *string) func(*Run, any) error {
	return func(r *Run, v any) error {
		s, ok := v.(string)
		if !ok {
			return fmt.Errorf("%v, want text", v)
		}
		*at(r) = s
		return nil
	}
}

func numberCell(set func(*Run, float64)) func(*Run, any) error {
	return func(r *Run, v any) error {
		switch v := v.(type) {
		case int64:
			set(r, float64(v))
			return nil
		case float64:
			if finite(v) {
				set(r, v)
			}
			return nil // NaN is how some writers say that a number is missing
		}
		return fmt.Errorf("%s, want a number", shown(v))
	}
}

// shown is a value as a message can hold it, whatever bytes are in it.
func shown(v any) string {
	s, ok := v.(string)
	if !ok {
		return fmt.Sprint(v)
	}
	if q := strconv.Quote(s); len(q) <= 60 {
		return q
	}
	return fmt.Sprintf("%.40q…", s)
}

func wholeCell(set func(*Run, int)) func(*Run, any) error {
	return func(r *Run, v any) error {
		var n float64
		if err := numberCell(func(_ *Run, x float64) { n = x })(r, v); err != nil {
			return err
		}
		if n != math.Trunc(n) || n < 0 || n > 1<<20 {
			return fmt.Errorf("%v, want a count", v)
		}
		if n > 0 {
			set(r, int(n))
		}
		return nil
	}
}

func (m *Metric) setCell(r *Run, v any) error {
	return numberCell(func(r *Run, x float64) { r.Values[m.ID] = model.Interval{Lo: x, Mid: x, Hi: x} })(r, v)
}

func (m *Metric) cell(r *Run) (any, bool) {
	x, ok := read(m, r)
	if m.Kind == relative {
		return math.Exp(x.v), ok
	}
	return x.v, ok
}

func count(n *int) (any, bool) {
	if n == nil {
		return nil, false
	}
	return int64(*n), true
}

func amountCell(v *float64) (any, bool) {
	if v == nil {
		return nil, false
	}
	return *v, true
}

func setGPU(r *Run, v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("%v, want text", v)
	}
	r.Pipeline.GPUs = strings.Split(s, gpuSeparator)
	return nil
}

func startCell(r *Run) (any, bool) {
	t, err := time.Parse(time.RFC3339Nano, r.Start)
	return t.UnixNano(), err == nil
}

// startForms are the ways to write when a run began; without a zone it is UTC.
var startForms = []string{time.RFC3339Nano, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04:05", time.DateOnly}

// setStart reads a time as text, or as ns since 1970, into the one form by
// which runs are ordered.
func setStart(r *Run, v any) error {
	switch v := v.(type) {
	case int64:
		r.Start = time.Unix(0, v).UTC().Format(time.RFC3339Nano)
		return nil
	case string:
		if v == "" {
			return nil
		}
		for _, form := range startForms {
			if t, err := time.Parse(form, v); err == nil {
				r.Start = t.UTC().Format(time.RFC3339Nano)
				return nil
			}
		}
	}
	return fmt.Errorf("%s, want a time such as 2026-05-07T21:27:51Z", shown(v))
}
