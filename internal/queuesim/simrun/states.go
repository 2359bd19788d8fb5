package simrun

import "tidemark/internal/queuesim"

// A history is the states of one worker over time.
type history struct {
	at    []float64
	state []queuesim.State
	k     int // cursor: times are asked for in rising order
}

// histories sorts changes by worker.
func histories(changes []queuesim.Change, workers int) []history {
	h := make([]history, workers)
	for _, c := range changes {
		w := &h[c.Worker]
		w.at, w.state = append(w.at, c.T), append(w.state, c.State)
	}
	return h
}

// in returns the state at t; times must not fall.
func (h *history) in(t float64) queuesim.State {
	for h.k+1 < len(h.at) && h.at[h.k+1] <= t {
		h.k++
	}
	if len(h.at) == 0 || h.at[0] > t {
		return queuesim.Busy
	}
	return h.state[h.k]
}

// share returns the share of [from, to] in a set of states; from must not fall.
func (h *history) share(from, to float64, want func(queuesim.State) bool) float64 {
	sum := 0.0
	h.in(from)
	for t, k := from, h.k; t < to; k++ {
		end := to
		if k+1 < len(h.at) {
			end = min(to, h.at[k+1])
		}
		if want(h.state[k]) {
			sum += end - t
		}
		if t = end; k+1 >= len(h.at) {
			break
		}
	}
	return sum / (to - from)
}

// working: a worker that waits for its peers spins in a collective, one in a
// pause writes a checkpoint.
func working(s queuesim.State) bool { return s == queuesim.Busy || s == queuesim.Stalled }

// A total is worker-seconds waited up to a time, waits that go on included.
type total struct{ put, gate, input float64 }

// totals integrates waits up to each of the times, which must rise.
func totals(changes []queuesim.Change, workers int, times []float64) []total {
	state := make([]queuesim.State, workers)
	var n [6]int
	n[queuesim.Busy] = workers
	var sum [6]float64
	out := make([]total, 0, len(times))
	now, k := 0.0, 0
	move := func(t float64) {
		for s := range n {
			sum[s] += float64(n[s]) * (t - now)
		}
		now = t
	}
	for _, t := range times {
		for k < len(changes) && changes[k].T <= t {
			c := changes[k]
			move(c.T)
			n[state[c.Worker]]--
			n[c.State]++
			state[c.Worker] = c.State
			k++
		}
		move(t)
		out = append(out, total{sum[queuesim.WaitPut], sum[queuesim.WaitGate], sum[queuesim.WaitInput]})
	}
	return out
}
