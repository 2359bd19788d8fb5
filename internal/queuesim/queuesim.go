// Package queuesim simulates the pipeline that this project reads: target
// workers that put items into a bounded queue, drafter workers that get them
// through a gate. It is the oracle behind tests, calibration and what-ifs.
//
// It is a discrete-event simulation with one pending event a worker. A run is
// a pure function of its Config: the same seed gives the same run, and two
// runs that differ in a speed alone draw the same service times in the same
// order (common random numbers).
package queuesim

// A Gate says when drafters may get.
type Gate uint8

// The gates. Batch is Level with Pop = MinReady.
const (
	Level      Gate = iota // each get needs depth >= MinReady
	Hysteresis             // opens at MinReady, closes when the queue cannot serve a get
	Start                  // opens at MinReady once
	None                   // a get needs what it takes
)

func (g Gate) String() string { return [...]string{"level", "hysteresis", "start", "none"}[g] }

// A Service is the time one side takes for an item, or for a batch of Pop.
type Service struct {
	Mean float64   // s
	CV   float64   // coefficient of variation of a lognormal time
	List []float64 // s; drawn from at random instead where not empty
	// Speed is the factor by which each worker is faster, 1 for all where empty.
	Speed []float64
	// Drift is ln of the factor by which services grow from the beginning to Horizon.
	Drift float64
	// Lock is the share of each service that holds the lock both sides share: in
	// pieces of Hold s at most that lie anywhere in it, or in one at the end for 0.
	Lock   float64
	Hold   float64
	Wander Wander
}

// A Wander moves ln of a side's speed slowly about 0, all its workers alike: a
// stationary process with this standard deviation and correlation time (s).
// Zero is none.
type Wander struct{ SD, Time float64 }

// A Pause stops the drafters once every Every seconds for Length seconds: a
// checkpoint or an evaluation.
type Pause struct{ Every, Length float64 }

// A Config is one pipeline and how long to run it. Either Horizon or Items ends it.
type Config struct {
	Targets, Drafters  int
	Capacity, MinReady int
	Gate               Gate
	Pop                int // items a get takes, 0 = 1
	Target, Drafter    Service
	LengthCV           float64 // of a length that scales an item's service on both sides
	LoaderRate         float64 // prompts/s for all targets together, 0 = no limit
	LoaderCV           float64
	Barrier            bool // drafters begin each step together
	Pause              Pause
	Horizon            float64 // s
	Items              int     // gets
	Warm               float64 // s, left out of Result
	WarmItems          int     // gets, likewise; the later one counts
	Seed               uint64
}

// A Result is what happened after the warm-up.
type Result struct {
	Seconds               float64
	Items                 int     // items got
	Rate                  float64 // items/s
	Put, Gate, Input      float64 // waits, as shares of their side's worker time
	Lock                  [2]float64
	Busy                  [2][]float64 // per worker: 1 - queue wait, targets first
	Depth                 []float64    // share of time at each depth
	Queued                float64      // time-weighted mean depth
	Residence             float64      // s, mean time from put to get
	FirstDepth, LastDepth int          // at the window's ends
}

// The sides, as indexes of Result.
const (
	Target = iota
	Drafter
)

// Run simulates c. rec may be nil.
func Run(c *Config, rec *Recorder) Result {
	s := newEngine(c, rec)
	s.run()
	return s.result()
}

// Capacity returns the items/s a side could do alone, all locks and pauses left out.
func (c *Config) capacity(side int) float64 {
	s, n, pop := &c.Target, c.Targets, 1
	if side == Drafter {
		s, n, pop = &c.Drafter, c.Drafters, c.pop()
	}
	rate := 0.0
	for i := range n {
		rate += s.speed(i)
	}
	return rate * float64(pop) / s.mean()
}

// Capacities returns what each side could do alone, in items/s.
func (c *Config) Capacities() (target, drafter float64) {
	return c.capacity(Target), c.capacity(Drafter)
}

func (c *Config) pop() int { return max(c.Pop, 1) }
