package infer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tidemark/infer"
	"tidemark/internal/config"
	"tidemark/model"
)

// TestHostileProfiles applies the analyzers of stacks to profiles that no
// sampler writes: empty stacks, weights of nothing, threads without samples,
// notes that contradict. Nothing may panic, and what holds of every report must hold.
func TestHostileProfiles(t *testing.T) {
	functions := []string{"", "0x0", "forward", "HSQueue.put", "get", "Condition.wait", "take_gil", "target_worker", "drafter", "backward", "<module>", "a\x00b", "torch::autograd::Engine::thread_main", "("}
	files := []string{"", "libcuda.so.1", "torch/_tensor.py", "threading.py", `C:\x\queue.py`, "x"}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		run := model.NewRun()
		run.Files = []*model.File{{Path: "pyspy.raw.txt"}, {Path: "dump.txt"}}
		p := run.Stacks
		for i := range 1 + r.IntN(3) {
			p.Captures = append(p.Captures, model.Capture{
				File: int32(i % 2), Writer: []string{"py-spy raw", "py-spy dump", "py-spy svg"}[r.IntN(3)], Rate: []float64{0, 1, 1e9}[r.IntN(3)],
				Threads: r.IntN(2) == 0, Native: r.IntN(2) == 0, Totals: r.IntN(4) == 0, Args: []string{"", "py-spy record --gil", "py-spy record -i"}[r.IntN(3)],
			})
		}
		for range 1 + r.IntN(6) {
			p.Threads = append(p.Threads, model.StackThread{
				Capture: int32(r.IntN(len(p.Captures))), TID: []string{"", "11", "0xFF", "9999999999999999999999"}[r.IntN(4)], Name: functions[r.IntN(len(functions))],
			})
		}
		for range r.IntN(400) {
			var path []int32
			for range r.IntN(12) {
				path = append(path, p.Set.Frame(model.Frame{
					Function: run.Strings.Code(functions[r.IntN(len(functions))]), File: run.Strings.Code(files[r.IntN(len(files))]), Native: r.IntN(2) == 0,
				}))
			}
			p.Add(model.Sample{
				Thread: int32(r.IntN(len(p.Threads))), Stack: p.Set.Stack(path), Hint: model.Hint(r.IntN(8)),
				N: []float64{0, 1, 1e12, 1e-9}[r.IntN(4)], Seconds: float64(r.IntN(2)), Line: 1,
			})
		}
		p.Notes = []model.SamplerNote{{File: 1, Rate: float64(r.IntN(3)) * 50, Duration: float64(r.IntN(3)) * 5, Lag: float64(r.IntN(3)) * 100, Errors: float64(r.IntN(3)) * 1e6, Output: "pyspy.raw.txt"}}
		cfg := &config.Config{Targets: []int{0, 1}, Drafters: []int{2}, Roles: map[string]string{"[ab](": "target", "(": "loader"}}
		out, _, err := infer.Analyze(context.Background(), run, cfg, []*infer.Analyzer{infer.CPUCost, infer.HotThreads, infer.StackActivity})
		if err != nil {
			t.Fatal(seed, err)
		}
		checkReport(t, out)
		if err := ordered(out.CPU); err != nil {
			t.Fatal(seed, err)
		}
	}
}

// ordered checks the intervals of a CPU section.
func ordered(c *model.CPU) error {
	if c == nil {
		return nil
	}
	for name, r := range c.Roles {
		list := append(append([]model.ShareOf{}, r.Mechanisms...), r.Causes...)
		for _, f := range r.Families {
			list = append(list, model.ShareOf{ID: f.Family, Share: f.Share})
		}
		for _, s := range list {
			i := s.Share
			if !(0 <= i.Lo && i.Lo <= i.Mid+1e-9 && i.Mid <= i.Hi+1e-9 && i.Hi <= 1+1e-9) || math.IsNaN(i.Mid) {
				return fmt.Errorf("%s: %s: %+v: want 0 <= lo <= mid <= hi <= 1", name, s.ID, i)
			}
		}
	}
	return nil
}
