package benchdata

const ticks = 10 // a second

// A queue is the pipeline's buffer, in ticks of a tenth of a second.
type queue struct {
	dice              *dice
	depth, puts, gets int
	putWait, getWait  float64 // s, over all workers of the side
	made, asked       float64 // parts of items
}

func (r *run) queue() *queue { return &queue{dice: r.dice(streamQueue)} }

// tick lets both sides work for a tenth of a second: targets put until the
// queue is full, drafters get while the gate is open.
func (q *queue) tick(ph phase) {
	rate := targetRate / ticks
	if ph == warmUp {
		rate /= 2
	}
	q.made += rate * (0.4 + 1.2*q.dice.Float64())
	put := min(int(q.made), capacity-q.depth)
	if lost := int(q.made) - put; lost > 0 {
		q.putWait += float64(targets*lost) / targetRate
	}
	q.made -= float64(int(q.made))
	q.depth += put
	q.puts += put
	speed := 0.4 + 1.2*q.dice.Float64()
	if ph == checkpoint {
		return
	}
	q.asked += drafterRate / ticks * speed
	get := min(int(q.asked), max(0, q.depth-minReady+1))
	if shut := int(q.asked) - get; shut > 0 {
		q.getWait += float64(drafters*shut) / drafterRate
	}
	q.asked -= float64(int(q.asked))
	q.depth -= get
	q.gets += get
}

// writeQueue writes the queue's counters as its owner exports them.
func writeQueue(o *output, r *run, _ int64) {
	q, start := r.queue(), int(r.start.Unix())
	o.text("timestamp,queue,depth,capacity,min_ready,puts_total,gets_total,put_wait_seconds_total,get_wait_seconds_total\n")
	for t := 0; t < r.seconds*ticks && o.flush(); t++ {
		q.tick(r.phase(t / ticks))
		o.int(start + t/ticks)
		o.text(".")
		o.int(t % ticks)
		o.text("00,hs,")
		o.int(q.depth)
		o.text(",60,10,")
		o.int(q.puts)
		o.text(",")
		o.int(q.gets)
		o.text(",")
		o.fixed(int(q.putWait*1000), 3)
		o.text(",")
		o.fixed(int(q.getWait*1000), 3)
		o.text("\n")
	}
}
