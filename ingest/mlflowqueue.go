package ingest

import "tidemark/model"

// joinMLflow gives the depths of a run in MLflow's file store what other files
// of the run say of the same queue at the same step: its capacity and counters.
func joinMLflow(files []*model.RunBuilder) {
	runs := map[string][]*model.RunBuilder{}
	for _, b := range files {
		if before, _, ok := cutLast(b.File.Path, "/metrics/"); ok && b.File.Format == MLflowMetric.Name {
			runs[before] = append(runs[before], b)
		}
	}
	for _, run := range runs {
		queues := map[string]int{}
		for _, b := range run {
			if b.Queue.Rows() > 0 {
				queues[mlflowQueue(b).queue]++
			}
		}
		for _, b := range run {
			if b.Queue.Rows() > 0 {
				joinDepth(b, run, len(queues) == 1)
			}
		}
	}
}

// mlflowQueue is what the name of a metric's file says of a queue.
func mlflowQueue(b *model.RunBuilder) sheetQueueName {
	key, _ := mlflowPlace(b.File.Path)
	return queueOf(key, false)
}

// An mlflowStep is a step in one session.
type mlflowStep struct{ session, step int64 }

// joinDepth sets the cells of one queue's rows; only says that there is no
// other queue in the run, so that names without one mean this.
func joinDepth(depth *model.RunBuilder, run []*model.RunBuilder, only bool) {
	name := mlflowQueue(depth).queue
	rows := map[int32]mlflowStep{} // by line
	each(depth, func(line int32, at mlflowStep, _ float64) { rows[line] = at })
	for _, o := range run {
		n := mlflowQueue(o)
		col := n.total
		switch n.role {
		case queueCapacity:
			col = model.QueueCapacity
		case queueMinReady:
			col = model.QueueMinReady
		}
		if col == 0 || n.queue != name && (n.queue != "" || !only) {
			continue
		}
		values := map[mlflowStep]float64{}
		each(o, func(_ int32, at mlflowStep, v float64) { values[at] = v })
		for _, b := range depth.Queue.Batches {
			for r := range b.Rows() {
				if v, ok := values[rows[b.Line(r)]]; ok && v >= 0 {
					b.PutFloats(col, r, []float64{v})
				}
			}
		}
	}
}

// each calls fn for each value of a metric's file.
func each(b *model.RunBuilder, fn func(line int32, at mlflowStep, v float64)) {
	for _, batch := range b.Metrics.Batches {
		for r := range batch.Rows() {
			session, _ := batch.Int(model.MetricSession, r)
			step, _ := batch.Int(model.MetricStep, r)
			if v, ok := batch.Float(model.MetricValue, r); ok {
				fn(batch.Line(r), mlflowStep{session, step}, v)
			}
		}
	}
}
