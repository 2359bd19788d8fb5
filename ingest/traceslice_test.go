package ingest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tidemark/model"
)

// skewedTrace is two threads that launch on two devices, each of whose clocks is
// up to 20 ms early; kernels come at once or some hundred launches later, and
// graphs have several. It is longer than the threads are ahead.
func skewedTrace(r *rand.Rand) *model.RunBuilder {
	out := model.NewRunBuilder(&model.File{Path: "f"})
	log := model.NewTraceLog()
	out.Spans = log
	name := out.Strings.Code("k")
	at := int64(1000)
	for link := range uint32(80_000) {
		at += 500 + r.Int64N(3000)
		thread := log.Track(model.TrackKey{PID: 1, TID: int64(r.IntN(2))})
		if r.IntN(4) == 0 {
			log.Add(thread, model.NewTraceSpan(model.SpanSync, at-400, 100, name, 0))
		}
		log.Add(thread, model.NewTraceSpan(model.SpanLaunch, at, 200, name, link+1))
		begin := at - r.Int64N(20e6)
		if r.IntN(3) == 0 {
			begin += r.Int64N(1e6)
		}
		for range 1 + r.IntN(9)/8 {
			device := log.Track(model.TrackKey{PID: int64(r.IntN(2)), TID: 7, Device: true})
			log.Add(device, model.NewTraceSpan(model.SpanKernel, begin, 1+r.Int64N(2000), name, link+1))
			begin += 3000
		}
	}
	return out
}

// A trace summed up in slices gives what it gives in one.
func TestTraceSlices(t *testing.T) {
	for seed := range uint64(2) {
		sliced, whole := skewedTrace(rand.New(rand.NewPCG(seed, 1))), skewedTrace(rand.New(rand.NewPCG(seed, 1)))
		s := sumOf(whole)
		s.begin()
		s.markNames()
		s.sort()
		s.sumThreads(math.MaxInt64)
		s.sumDevices(math.MaxInt64)
		var got, want strings.Builder
		finishTrace(sliced)
		finishTrace(whole)
		dumpTrace(&got, sliced)
		dumpTrace(&want, whole)
		if got.String() != want.String() {
			t.Fatalf("in slices:\n%s\nin one:\n%s", got.String(), want.String())
		}
		if sliced.Trace.Threads[0].KernelNS == 0 {
			t.Fatal("no kernel was found to be a thread's")
		}
	}
}
