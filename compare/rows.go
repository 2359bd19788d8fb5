package compare

import (
	"errors"
	"fmt"
	"time"

	"tidemark/model"
)

// FromRows makes runs of the rows of a table of runs. It needs throughput (a
// number) and one of name and start; unit, target_gpus, drafter_gpus, capacity
// and min_ready tell the pipeline where they are there. Other columns named
// after a metric are taken as its value.
func FromRows(rows []map[string]any) ([]*Run, error) {
	if len(rows) == 0 {
		return nil, errors.New("no rows")
	}
	var out []*Run
	for i, row := range rows {
		r := &Run{Steady: true, Limiter: model.Unknown, Blocks: []model.Block{}, Values: map[string]model.Interval{}}
		r.Name, _ = row["name"].(string)
		r.Start = startOf(row["start"])
		if r.Name == "" {
			r.Name = r.Start
		}
		if r.Name == "" {
			return nil, fmt.Errorf("row %d: neither name nor start", i+1)
		}
		for _, m := range Metrics {
			if v, ok := number(row[m.ID]); ok {
				r.Values[m.ID] = model.Interval{Lo: v, Mid: v, Hi: v}
			}
		}
		if _, ok := r.Values[throughputID]; !ok && i == 0 {
			if _, has := row[throughputID]; !has {
				return nil, fmt.Errorf("no column %q, want one row a run with name, start and throughput", throughputID)
			}
		}
		r.Pipeline.Unit, _ = row["unit"].(string)
		t, _ := number(row["target_gpus"])
		d, _ := number(row["drafter_gpus"])
		r.Pipeline.TargetGPUs, r.Pipeline.DrafterGPUs = int(t), int(d)
		if v, ok := number(row["capacity"]); ok {
			r.Pipeline.Capacity = &v
		}
		if v, ok := number(row["min_ready"]); ok {
			r.Pipeline.MinReady = &v
		}
		out = append(out, r)
	}
	return out, nil
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, finite(v)
	case int64:
		return float64(v), true
	}
	return 0, false
}

// startOf reads a time as text, or as ns since 1970.
func startOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return time.Unix(0, v).UTC().Format(time.RFC3339)
	}
	return ""
}
