package infer_test

import (
	"context"
	"testing"

	"tidemark/infer"
	"tidemark/internal/config"
	"tidemark/internal/queuesim/simrun"
)

// BenchmarkAnalyze is the inference over ten minutes, about 1 MB as files: 6,000
// readings of the queue, 300 log lines, a reading a second of each device, and
// thread CPU.
func BenchmarkAnalyze(b *testing.B) {
	c := simrun.Draw(1)
	c.Pipe.Horizon = 600
	c.Evidence = simrun.Evidence{Queue: simrun.Counters, Hz: 10, LogEvery: 2, LogDepth: true, GPU: true, Stack: simrun.Nothing, Threads: true, Named: true}
	run := simrun.Run(c)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := infer.Analyze(context.Background(), run, &config.Config{}, infer.Analyzers); err != nil {
			b.Fatal(err)
		}
	}
}
