package infer

import (
	"fmt"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

const (
	// launchShare and fullGPU: a thread that launches half of its time onto
	// GPUs that are active nine tenths of theirs waits for room in the launch
	// queue: cudaLaunchKernel blocks at about 1,024 launches ahead (reference:
	// HolisticTraceAnalysis pull 178; both thresholds are proposals there).
	launchShare = 0.5
	fullGPU     = 0.9
)

// LaunchQueue tells launches that wait for the GPU from those that cost.
var LaunchQueue = &Analyzer{
	Name: "launch-queue",
	Doc: `Whether kernel launches wait for a full launch queue.

A launch blocks once the device is about a thousand kernels behind: then the time in launches is the device's. Said where a side's threads spend half of their active time in launches and its GPUs are active nine tenths of theirs. Wrong where the meter counts a device as active that only spins, as in a collective.`,
	Requires: []*Analyzer{CPUCost, InsideSides, GPUActivity},
	Run: func(p *Pass) (any, error) {
		c, ok := Result[*costs](p, CPUCost)
		gpus, ok2 := Result[*GPUUse](p, GPUActivity)
		if !ok || !ok2 {
			return nil, &SkipError{Needs: "sampled stacks, and readings of the GPUs beside them", Record: StackRecord}
		}
		for _, side := range []string{model.Target, model.Drafter} {
			r, in := p.Out.CPU.Roles[side], p.Out.Inside.Of(side)
			if !launchesWait(r, in) || gpus.Sides[side] == nil {
				continue
			}
			p.Find(model.Finding{
				ID: "cpu.launch_queue",
				Claim: fmt.Sprintf("The %ss' threads spend %s of their active time in kernel launches while their GPUs are active %s of the time: the launch queue is full, and a launch waits for the device.",
					side, say.Round(launching(r)), say.Round(in.GPUActive.Mid)),
				Evidence: []model.Evidence{
					{What: "active samples in kernel launches", Value: launching(r), Unit: "share", At: posOf(r.Frames, c)},
					{What: "GPU active", Value: in.GPUActive.Mid, Unit: "share", At: gpus.Sides[side].At},
				},
				Advice: "Less work on the device gains; fewer launches of the same work do not, until it has room.",
			})
		}
		return nil, nil
	},
}

// launchesWait reports that a side's launches wait for its full GPUs.
func launchesWait(r model.RoleCPU, in *model.Inside) bool {
	return in != nil && in.GPUActive != nil && in.Bound == "device" && in.GPUActive.Mid >= fullGPU && launching(r) >= launchShare
}

// launching is the share of a role's active samples in launches and in the
// driver below them.
func launching(r model.RoleCPU) float64 {
	share := 0.0
	for _, m := range r.Mechanisms {
		if strings.HasPrefix(m.ID, "gpu.launch") || m.ID == "gpu.driver_other" {
			share += m.Share.Mid
		}
	}
	return min(1, share)
}
