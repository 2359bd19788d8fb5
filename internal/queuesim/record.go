package queuesim

// A State is what a worker does.
type State uint8

// The states. Stalled is a pause or the wait for peers at the barrier.
const (
	Busy State = iota
	WaitPut
	WaitGate
	WaitInput
	WaitLock
	Stalled
)

// A Sample is one reading of the queue's counters. A wait is added when it ends.
type Sample struct {
	T                            float64
	Depth, Puts, Gets            int
	PutWait, GateWait, InputWait float64 // worker-seconds
}

// A Change is a worker entering a state. Workers are numbered targets first.
type Change struct {
	T      float64
	Worker int32
	State  State
}

// A Done is a batch of items that a drafter has finished.
type Done struct {
	T      float64
	Items  int
	Length float64 // sum of the items' lengths, in mean items
}

// A Recorder keeps what a run would log. Its slices are appended to.
type Recorder struct {
	Every   float64 // s between Samples, 0 = none
	Samples []Sample
	States  bool // keep Changes
	Changes []Change
	Steps   bool // keep Dones
	Dones   []Done
	next    float64
}

func (r *Recorder) change(t float64, worker int, s State) {
	if r != nil && r.States {
		r.Changes = append(r.Changes, Change{t, int32(worker), s})
	}
}

// until takes the samples that are due before t, of the levels that hold since
// the last event.
func (r *Recorder) until(t float64, e *engine) {
	for r.next <= t {
		r.Samples = append(r.Samples, Sample{
			T: r.next, Depth: e.depth, Puts: e.puts, Gets: e.gets,
			PutWait: e.ended[WaitPut], GateWait: e.ended[WaitGate], InputWait: e.ended[WaitInput],
		})
		r.next += r.Every
	}
}
