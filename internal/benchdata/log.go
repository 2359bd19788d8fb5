package benchdata

import "math"

// chatter are lines that say nothing of the pipeline.
var chatter = []string{
	` [INFO] httpx: HTTP Request: POST http://store-2:8081/v1/alloc "HTTP/1.1 200 OK"`,
	" [WARNING] torch.distributed: NCCL watchdog heartbeat 587 ms late",
	" [INFO] loader: opened prompts-00371.parquet, 20480 prompts, median length 1902",
	" [DEBUG] gc: collected 1187 objects in 7.9 ms",
}

const traceback = ` [ERROR] hs_store: put of one item failed, trying again (1 of 3)
Traceback (most recent call last):
  File "/opt/train/runtime/data_plane/store.py", line 288, in put_once
    self.client.put(key, buffer, timeout=self.timeout)
  File "/opt/train/runtime/data_plane/client.py", line 131, in put
    raise TransferTimeout(self.peer, timeout)
runtime.data_plane.client.TransferTimeout: no reply from store-2 within 2.0 s
`

// A logWriter writes the training log. It follows the queue as queue.csv
// does, so that both say the same of it.
type logWriter struct {
	*output
	d      *dice
	at     *stamp
	q      *queue
	second int
	last   struct{ second, step, gets int } // of the last step line
}

func writeLog(o *output, r *run, _ int64) {
	w := &logWriter{output: o, d: r.dice(streamLog), at: r.stamp("2006-01-02 15:04:05"), q: r.queue()}
	for i, s := range []string{
		" [INFO] launch: torch 2.9.1+cu128, world 8, python 3.11.7",
		" [INFO] topology: target_gpus=0,1,2,3,4 drafter_gpus=5,6,7 target_workers=5 drafter_workers=3",
		" [INFO] queue: name=hs capacity=60 min_ready=10",
		" [INFO] config: tokens_per_item=2048 items_per_step=21 lr=1e-4 clock=UTC",
	} {
		w.line(1+i, s)
	}
	for ; w.second < r.seconds && w.flush(); w.second++ {
		w.writeSecond(r.phase(w.second))
	}
	w.line(100, " [INFO] launch: training finished")
}

// line writes a line that has no more to it.
func (w *logWriter) line(ms int, s string) {
	w.begin(ms, s)
	w.text("\n")
}

func (w *logWriter) begin(ms int, s string) {
	w.at.write(w.output, w.second)
	w.text(",")
	w.zeros(ms, 3)
	w.text(s)
}

// writeSecond writes one line a worker, and one where a step has ended.
func (w *logWriter) writeSecond(ph phase) {
	w.q.tick(ph)
	switch {
	case ph == checkpoint:
		w.begin(w.d.between(5, 50), " [INFO] checkpoint: writing shard ")
		w.int(w.d.between(1, 12))
		w.text("/12\n")
	case w.q.gets/stepItems > w.last.step:
		w.step()
	}
	for i := range workers {
		if k := (i + w.second) % workers; k < targets {
			w.target(60+100*i+w.d.IntN(90), k, ph)
		} else if ph != checkpoint {
			w.drafter(60+100*i+w.d.IntN(90), k-targets)
		}
	}
	switch n := w.d.IntN(250); {
	case n == 0:
		w.begin(w.d.between(900, 999), traceback)
	case n < 60:
		w.line(w.d.between(900, 999), pick(w.d, chatter))
	}
	for range ticks - 1 {
		w.q.tick(ph)
	}
}

func (w *logWriter) step() {
	n := w.q.gets / stepItems
	w.begin(w.d.between(5, 50), " [INFO] step=")
	w.int(n)
	w.text(" loss=")
	w.fixed(int(1e4*(1.6+6.8/(1+float64(n)/400)+0.02*math.Abs(w.d.NormFloat64()))), 4)
	w.text(" lr=1.00e-04 grad_norm=")
	w.fixed(w.d.between(300, 900), 3)
	w.text(" acc_len=")
	w.fixed(w.d.around(340, 10, 100, 600), 2)
	w.text(" tok/s=")
	w.fixed((w.q.gets-w.last.gets)*itemTokens/(w.second-w.last.second)/100, 1)
	w.text("K q_hs=")
	w.int(w.q.depth)
	w.text("/60 min_ready=10 mem=")
	w.fixed(w.d.around(941, 3, 900, 1000), 1)
	w.text("GiB\n")
	w.last.second, w.last.step, w.last.gets = w.second, n, w.q.gets
}

func (w *logWriter) target(ms, k int, ph phase) {
	blocked := 0
	if ph == checkpoint {
		blocked = w.d.between(200, 900)
	}
	w.begin(ms, " [INFO] target-")
	w.int(k)
	w.text(": forward batch=4 seq=2048 fwd_ms=")
	w.fixed(w.d.around(6950, 200, 5000, 9900), 1)
	w.text(" put_wait_ms=")
	w.int(blocked)
	w.text(" kv_hit=")
	w.fixed(w.d.IntN(1000), 3)
	w.text("\n")
}

func (w *logWriter) drafter(ms, k int) {
	w.begin(ms, " [DEBUG] drafter-")
	w.int(k)
	w.text(": got 1 item queue_get_ms=")
	w.fixed(w.d.around(990, 250, 0, 3000), 1)
	w.text(" mask_ms=")
	w.fixed(w.d.around(6100, 600, 3000, 9900), 2)
	w.text(" fwd_bwd_ms=")
	w.fixed(w.d.around(2140, 80, 1500, 3000), 1)
	w.text(" optim_ms=")
	w.fixed(w.d.around(210, 20, 100, 400), 1)
	w.text("\n")
}
