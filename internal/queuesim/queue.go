package queuesim

import "math"

// request asks the loader for a prompt. The loader makes one ahead: it works
// on the next while a prompt waits to be taken, and then stops.
func (e *engine) request(i int) {
	w := &e.w[i]
	w.length = 1
	if e.LengthCV > 0 {
		w.length = e.lengths.draw()
	}
	if e.LoaderRate <= 0 {
		e.serve(i)
		return
	}
	at := max(e.now, e.promptAt)
	e.promptAt = at + e.loader.draw()
	if at > e.now {
		e.enter(i, WaitInput)
		w.at, w.phase = at, atPrompt
		return
	}
	e.serve(i)
}

// put adds a finished item, or blocks its target while the queue is full.
func (e *engine) put(i int) {
	if e.depth >= e.Capacity {
		e.enter(i, WaitPut)
		e.w[i].at = math.Inf(1)
		e.blocked.push(i)
		return
	}
	e.add(e.w[i].length)
	e.request(i)
	e.release()
}

func (e *engine) add(length float64) {
	e.holdDepth()
	k := (e.head + e.depth) % e.Capacity
	e.ring[k], e.born[k] = length, e.now
	e.depth++
	e.puts++
}

// holdDepth books the time at the depth that ends now.
func (e *engine) holdDepth() {
	if d := e.now - max(e.depthSince, e.start); d > 0 {
		e.depthTime[e.depth] += d
	}
	e.depthSince = e.now
}

// ready reports whether the gate lets a get through.
func (e *engine) ready() bool {
	need := e.pop()
	switch e.Gate {
	case Level:
		return e.depth >= max(need, e.MinReady)
	case Hysteresis:
		if e.depth >= max(need, e.MinReady) {
			e.open = true
		} else if e.depth < need {
			e.open = false
		}
		return e.open
	case Start:
		e.open = e.open || e.depth >= e.MinReady
		return e.open && e.depth >= need
	}
	return e.depth >= need
}

// ask queues a drafter at the gate; with a barrier only when all peers have come.
func (e *engine) ask(i int) {
	if e.Barrier {
		e.arrived++
		if e.arrived < e.Drafters {
			e.enter(i, Stalled)
			e.w[i].at = math.Inf(1)
			return
		}
		e.arrived = 0
		for k := e.Targets; k < len(e.w); k++ {
			e.stand(k)
		}
	} else {
		e.stand(i)
	}
	e.release()
}

func (e *engine) stand(i int) {
	e.enter(i, WaitGate)
	e.w[i].at = math.Inf(1)
	e.waiting.push(i)
}

// release lets waiting drafters take what is ready, and blocked targets put
// into the room that makes.
func (e *engine) release() {
	for e.waiting.n > 0 && e.ready() {
		e.get(e.waiting.pop())
		for e.blocked.n > 0 && e.depth < e.Capacity {
			k := e.blocked.pop()
			e.add(e.w[k].length)
			e.request(k)
		}
	}
}

// get takes a batch and begins its service. Items that block on a full queue
// come in after it.
func (e *engine) get(i int) {
	e.holdDepth()
	w := &e.w[i]
	w.length = 0
	for range e.pop() {
		w.length += e.ring[e.head]
		if e.now >= e.start {
			e.residence += e.now - e.born[e.head]
		}
		e.head = (e.head + 1) % e.Capacity
		e.depth--
		e.gets++
	}
	w.length /= float64(e.pop())
	if e.now >= e.pauseAt {
		e.pause(i)
		return
	}
	e.serve(i)
}

// pause holds a drafter until the pause is over. The last drafter to reach the
// next one's time plans it.
func (e *engine) pause(i int) {
	end := e.pauseAt + e.Pause.Length
	if e.now >= end {
		for e.now >= e.pauseAt+e.Pause.Length {
			e.pauseAt += e.Pause.Every
		}
		if e.now < e.pauseAt {
			e.serve(i)
			return
		}
		end = e.pauseAt + e.Pause.Length
	}
	e.enter(i, Stalled)
	e.w[i].at, e.w[i].phase = end, atRelease
}

// finish ends a drafter's step.
func (e *engine) finish(i int) {
	if r := e.rec; r != nil && r.Steps {
		r.Dones = append(r.Dones, Done{e.now, e.pop(), e.w[i].length * float64(e.pop())})
	}
	e.ask(i)
}
