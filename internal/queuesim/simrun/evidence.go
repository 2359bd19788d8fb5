package simrun

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"tidemark/internal/queuesim"
	"tidemark/model"
)

// begin is when every simulated run starts, ns.
const begin = int64(1778486400e9)

// A writer fills the tables of one run.
type writer struct {
	c       Case
	rec     *queuesim.Recorder
	states  []history
	workers int
	rng     drawer
	run     *model.Run
}

// Run simulates the case and returns what its files would have given.
func Run(c Case) *model.Run {
	w := &writer{c: c, rng: drawer{rand.New(rand.NewPCG(c.Seed, 0x65766964))}, run: model.NewRun(), workers: c.Pipe.Targets + c.Pipe.Drafters}
	w.rec = &queuesim.Recorder{Every: 1 / c.Evidence.Hz, States: true, Steps: true}
	queuesim.Run(&c.Pipe, w.rec)
	w.states = histories(w.rec.Changes, w.workers)
	w.run.Name = fmt.Sprintf("case %d", c.Seed)
	e := c.Evidence
	if e.GPU {
		w.file("gpu.csv", "nvidia-smi-csv", w.devices)
	}
	if e.Threads {
		w.file("pidstat.txt", "pidstat", w.threads)
	}
	if e.Stack != Nothing {
		w.file("stacks.raw.txt", "py-spy-raw", w.stacks)
	}
	if e.Queue != Nothing {
		w.file("queue.csv", "queue-csv", w.queue)
	}
	w.file("train.log", "train-log", w.log)
	return w.run
}

// file adds one file with what fill writes.
func (w *writer) file(path, format string, fill func(*model.RunBuilder)) {
	f := &model.File{Path: path, Format: format, First: begin, Last: begin + ns(w.c.Pipe.Horizon)}
	f.Clock = model.Clock{Kind: model.ClockUTC, Placed: true, How: "as printed"}
	b := model.NewRunBuilder(f)
	fill(b)
	f.Rows = b.Rows()
	f.Lines, f.Claimed = f.Rows, f.Rows
	w.run.Files = append(w.run.Files, f)
	w.run.Join(b, int32(len(w.run.Files)-1))
}

func ns(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }

func (w *writer) queue(b *model.RunBuilder) {
	times := make([]float64, len(w.rec.Samples))
	for i, s := range w.rec.Samples {
		times[i] = s.T
	}
	all := totals(w.rec.Changes, w.workers, times)
	kind := w.c.Evidence.Queue
	for i, s := range w.rec.Samples {
		q := b.Queue.Add(i+2, 0)
		q.SetInt(model.QueueT, begin+ns(s.T))
		q.SetFloat(model.QueueDepth, float64(s.Depth))
		if kind == Depth {
			continue
		}
		q.SetFloat(model.QueueCapacity, float64(w.c.Pipe.Capacity))
		q.SetFloat(model.QueueMinReady, float64(w.c.Pipe.MinReady))
		q.SetFloat(model.QueuePuts, float64(s.Puts))
		q.SetFloat(model.QueueGets, float64(s.Gets))
		if kind != Counters {
			continue
		}
		put, gate := s.PutWait, s.GateWait
		if !w.c.Evidence.Ended {
			put, gate = all[i].put, all[i].gate
		}
		q.SetFloat(model.QueuePutWait, put)
		q.SetFloat(model.QueueGetWait, gate)
	}
}

// log writes a configuration line and one line every LogEvery seconds.
func (w *writer) log(b *model.RunBuilder) {
	p, e := w.c.Pipe, w.c.Evidence
	for _, f := range [][2]string{
		{"target_gpus", indices(0, p.Targets)},
		{"drafter_gpus", indices(p.Targets, w.workers)},
		{"queue_capacity", fmt.Sprint(p.Capacity)},
		{"min_ready", fmt.Sprint(p.MinReady)},
	} {
		b.Facts = append(b.Facts, model.Fact{Key: f[0], Value: f[1], Line: 1})
	}
	var times []float64
	for t := e.LogEvery; t <= p.Horizon; t += e.LogEvery {
		times = append(times, t)
	}
	all := totals(w.rec.Changes, w.workers, times)
	depth, step, k := 0, 0, 0
	var last total
	for i, t := range times {
		tokens := 0.0
		for k < len(w.rec.Dones) && w.rec.Dones[k].T <= t {
			tokens += w.rec.Dones[k].Length * w.c.Tokens
			step, k = step+1, k+1
		}
		for depth+1 < len(w.rec.Samples) && w.rec.Samples[depth+1].T <= t {
			depth++
		}
		line := logLine{b: b, line: i + 2, t: begin + ns(t), step: int64(step)}
		line.metric("tok_s", round(tokens/e.LogEvery, 3), "tok/s")
		if e.LogDepth {
			line.depth(float64(w.rec.Samples[depth].Depth), p)
		}
		if e.LogWaits {
			line.metric("put_wait", round((all[i].put-last.put)/(e.LogEvery*float64(p.Targets)), 3), "ratio")
			line.metric("gate_wait", round((all[i].gate-last.gate)/(e.LogEvery*float64(p.Drafters)), 3), "ratio")
			if p.LoaderRate > 0 {
				line.metric("input_wait", round((all[i].input-last.input)/(e.LogEvery*float64(p.Targets)), 3), "ratio")
			}
		}
		last = all[i]
	}
}

// round keeps so many significant digits, as a log prints them.
func round(v float64, digits int) float64 {
	if v == 0 {
		return 0
	}
	p := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*p) / p
}

func indices(from, to int) string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprint(i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

type logLine struct {
	b       *model.RunBuilder
	line    int
	t, step int64
}

func (l logLine) metric(key string, v float64, unit string) {
	m := l.b.Metrics.Add(l.line, 0)
	m.SetInt(model.MetricT, l.t)
	m.SetInt(model.MetricStep, l.step)
	m.SetText(model.MetricKey, l.b.Strings.Code(key))
	m.SetFloat(model.MetricValue, v)
	m.SetText(model.MetricUnit, l.b.Strings.Code(unit))
}

func (l logLine) depth(d float64, p queuesim.Config) {
	l.metric("depth", d, "items")
	q := l.b.Queue.Add(l.line, 0)
	q.SetInt(model.QueueT, l.t)
	q.SetFloat(model.QueueDepth, d)
	q.SetFloat(model.QueueCapacity, float64(p.Capacity))
	q.SetFloat(model.QueueMinReady, float64(p.MinReady))
}
