package infer

import "tidemark/model"

// sheetWaits is lineWaits for records of JSON, tables of metrics and logs of
// services: what they hold may differ from one to the next, so that each is
// looked at by itself, and those that print one wait are of one kind.
func sheetWaits(run *model.Run, s *SteadyState) []*lineWait {
	kinds := map[string]*lineWait{} // by key
	var list []*lineWait
	b := metricReader()
	for _, batch := range run.Metrics.Batches {
		if batch.Has(model.MetricTemplate) || !placed(run, batch) || telemetryOnly(run, batch) {
			continue
		}
		b.Read(batch)
		offs := b.RecordBytes()
		for at, next := 0, 0; at < len(offs); at = next {
			next = recordEnd(b, offs, at)
			from, to := b.FirstRow(at), b.FirstRow(next)
			for _, layout := range layoutsOf(run, b, from, to) {
				x, seen := kinds[layout.key]
				if !seen {
					x = newLineWait(layout, map[int64]*lineWorker{}, run.Pos(batch, from), s)
					kinds[layout.key] = x
					list = append(list, x)
				}
				if x.key != "" {
					x.lineLayout = layout
					x.add(b, at, from, to, s)
				}
			}
		}
	}
	return list
}
