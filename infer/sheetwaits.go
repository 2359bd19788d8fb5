package infer

import "tidemark/model"

// sheetWaits is lineWaits for records of JSON, tables of metrics and logs of
// services: what they hold may differ from one to the next, so that each is
// looked at by itself, and those that print one wait are of one kind.
func sheetWaits(run *model.Run, s *SteadyState) []*lineWait {
	kinds := map[string]*lineWait{} // by key
	var list []*lineWait
	for _, b := range run.Metrics.Batches {
		if b.Has(model.MetricTemplate) || !placed(run, b) || telemetryOnly(run, b) {
			continue
		}
		none := make([]int32, b.Rows())
		for from, to := 0, 0; from < b.Rows(); from = to {
			to = recordEnd(b, none, from)
			layout := layoutOf(run, b, from, to)
			if layout == nil {
				continue
			}
			x := kinds[layout.key]
			if x == nil {
				x = newLineWait(run, b, from, to, s)
				kinds[layout.key] = x
				list = append(list, x)
			}
			if x.key != "" {
				x.lineLayout = *layout
				x.add(b, from, to, s)
			}
		}
	}
	return list
}
