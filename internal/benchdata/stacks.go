package benchdata

// Stacks a process can have; those of other threads come on top.
const (
	mainStacks  = 2600
	otherStacks = 40
)

// A stackWriter writes py-spy record --native -f raw with process and thread
// rows: one capture after another, in each one process after another.
type stackWriter struct {
	*output
	r       *run
	d       *dice
	written int // lines
}

func writeStacks(o *output, r *run, size int64) {
	w := &stackWriter{output: o, r: r, d: r.dice(streamCounts)}
	for p := 0; o.size() < size && o.flush(); p = (p + 1) % workers {
		w.process(p, int(max(8, min(mainStacks, (size-o.size())/(workers*1000)))))
	}
}

// process writes what a capture has seen of a process: each stack once, most of
// them those of the capture before.
func (w *stackWriter) process(p, limit int) {
	n := min(limit, mainStacks*(6+w.d.IntN(4))/10)
	first := w.d.IntN(mainStacks)
	for i := range n {
		w.line(p, (first+i)%mainStacks)
		if i%20 == 0 {
			w.other(p, w.d.IntN(3), w.d.IntN(otherStacks))
		}
		if !w.flush() {
			return
		}
	}
}

// line writes the k-th stack of a process's main thread. One in twenty ends in
// an address without a name, seen nowhere else.
func (w *stackWriter) line(p, k int) {
	w.thread(p, 0, "MainThread")
	s := stackPicker{w.output, w.r.dice(streamStacks + uint64(p*mainStacks+k))}
	weight := 0
	if p < targets {
		weight = s.target()
	} else {
		weight = s.drafter()
	}
	w.written++
	if w.written%20 == 0 {
		w.text(";0x7f31")
		w.zeros(w.written, 8)
		w.text(" (libcuda.so.550.54.15)")
	}
	w.count(weight)
}

// thread begins a line.
func (w *stackWriter) thread(p, n int, name string) {
	w.text("process ")
	w.int(pid(p))
	w.text(`:"python train.py --config dflash_27b.yaml --role `)
	if p < targets {
		w.text("target")
	} else {
		w.text("drafter")
	}
	w.text(" --rank ")
	w.int(p)
	w.text(`";thread (0x7F`)
	w.zeros(pid(p)*9973+64*n, 8)
	w.text("): ")
	w.text(name)
}

func (w *stackWriter) count(weight int) {
	w.text(" ")
	w.int(1 + int(float64(weight)*w.d.ExpFloat64()))
	w.text("\n")
}

// other writes a stack of a thread beside the main one.
func (w *stackWriter) other(p, n, k int) {
	t := []struct{ name, leaf string }{
		{"hs_queue_put", ";send (runtime/data_plane/client.py:88)"},
		{"pt_autograd_0", ";torch::autograd::Engine::thread_main (libtorch_cpu.so)"},
		{"tokenizer", ";encode_batch (tokenizers/__init__.py:402)"},
	}[n]
	w.thread(p, n+1, t.name)
	w.text(";_bootstrap (threading.py:1032);_bootstrap_inner (threading.py:1075);run (threading.py:1012);loop (runtime/worker.py:")
	w.int(40 + k)
	w.text(")")
	w.text(t.leaf)
	w.count(3)
}
