package benchdata

import (
	"math/rand/v2"
	"time"
)

// The pipeline.
const (
	targets     = 5
	drafters    = 3
	workers     = targets + drafters
	capacity    = 60
	minReady    = 10
	targetRate  = 7.0 // items/s that the targets make
	drafterRate = 9.1 // items/s that the drafters could take
	itemTokens  = 2048
	stepItems   = 21
)

// A phase is what the run does in a second.
type phase uint8

const (
	warmUp phase = iota
	steady
	checkpoint
)

const (
	checkpointEvery = 1800 // s
	checkpointFor   = 12   // s
)

// A run is what its files have in common.
type run struct {
	seed    uint64
	start   time.Time
	seconds int
	warm    int // s
}

// newRun is a run whose files give so many bytes at so many a second.
func newRun(seed uint64, bytes, rate float64) *run {
	r := &run{seed: seed, start: time.Date(2026, 3, 14, 8, 0, 0, 0, time.UTC)}
	if rate > 0 {
		r.seconds = int(bytes / rate)
	}
	r.warm = min(60, r.seconds/10)
	return r
}

func (r *run) phase(second int) phase {
	switch {
	case second < r.warm:
		return warmUp
	case second >= checkpointEvery && second%checkpointEvery < checkpointFor:
		return checkpoint
	}
	return steady
}

// dice are the chances of one file, or of one part of it.
func (r *run) dice(stream uint64) *dice {
	return &dice{rand.New(rand.NewPCG(r.seed, stream))}
}

// Streams of chances, one a file.
const (
	streamGPU uint64 = iota + 1
	streamQueue
	streamLog
	streamPidstat
	streamCounts
	streamStacks = 1 << 40
	streamTrace  = 1 << 41
)

type dice struct{ *rand.Rand }

// around is a whole number near mean, normal with deviation sd, in [lo, hi].
func (d *dice) around(mean, sd float64, lo, hi int) int {
	return min(max(int(mean+sd*d.NormFloat64()), lo), hi)
}

func (d *dice) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

func pick[T any](d *dice, list []T) T { return list[d.IntN(len(list))] }

// A stamp writes times in a layout of whole seconds.
type stamp struct {
	layout string
	start  time.Time
	second int
	text   []byte
}

func (r *run) stamp(layout string) *stamp { return &stamp{layout: layout, start: r.start, second: -1} }

func (s *stamp) write(o *output, second int) {
	if second != s.second {
		s.second = second
		s.text = s.start.Add(time.Duration(second)*time.Second).AppendFormat(s.text[:0], s.layout)
	}
	o.b = append(o.b, s.text...)
}
