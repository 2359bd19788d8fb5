// Package reporttest has reports for the tests of figures and renderers: one
// realistic run, and what can be absent, small, large or hostile in one.
package reporttest

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"tidemark/model"
)

// Story returns a fresh copy of the report in report/testdata/story.json: 5
// targets, 3 drafters, 15 minutes, the queue at its min_ready watermark.
func Story() *model.Report {
	_, here, _, _ := runtime.Caller(0)
	b, err := os.ReadFile(filepath.Join(filepath.Dir(here), "..", "..", "report", "testdata", "story.json"))
	if err != nil {
		panic(err)
	}
	r := &model.Report{}
	if err := json.Unmarshal(b, r); err != nil {
		panic(err)
	}
	return r
}

// Variants are reports that every renderer and figure must carry: what is
// absent, small, large or hostile.
func Variants() map[string]*model.Report {
	return map[string]*model.Report{
		"story":     Story(),
		"empty":     {Schema: model.Schema, Kind: "run"},
		"unknown":   unknownVerdict(),
		"both":      bothLimit(),
		"full":      queueFull(),
		"gpu1":      withGPUs(1, 0),
		"gpu16":     withGPUs(10, 6),
		"gpu40":     withGPUs(25, 15),
		"tiny":      stretched(1.0/30, 30),
		"long":      stretched(40, 36000),
		"no-start":  noStart(),
		"no-cpu":    without("thread.", func(r *model.Report) { r.CPU, r.Flames = nil, nil }),
		"no-gpu":    without("gpu.", func(r *model.Report) { r.Inside = model.Sides[model.Inside]{} }),
		"no-queue":  noQueue(),
		"unsteady":  unsteady(),
		"profile":   profileOnly(),
		"one-role":  oneRole(),
		"many":      many(),
		"hostile":   hostile(),
		"log-alone": logAlone(),
		"shallow":   shallow(),
		"compared":  comparedRuns(),
		"two":       twoProfiles(),
	}
}

func iv(lo, mid, hi float64) *model.Interval { return &model.Interval{Lo: lo, Mid: mid, Hi: hi} }

func drop(r *model.Report, prefixes ...string) {
	var keep []model.Series
	for _, s := range r.Series {
		ok := true
		for _, p := range prefixes {
			ok = ok && !strings.HasPrefix(s.Name, p)
		}
		if ok {
			keep = append(keep, s)
		}
	}
	r.Series = keep
}

func without(prefix string, change func(*model.Report)) *model.Report {
	r := Story()
	drop(r, prefix)
	change(r)
	r.Skipped = append(r.Skipped, model.Skipped{Analyzer: prefix, Needs: "a recording of gpu, thread and stack", RecordWith: "nvidia-smi --query-gpu=timestamp,index,utilization.gpu --format=csv -lms 200 > nvidia-smi.csv"})
	return r
}

func unknownVerdict() *model.Report {
	r := noQueue()
	r.Verdict = model.Verdict{
		Headline: "Cannot tell which side limits.", Strength: "cannot tell",
		Lead: "The run makes 11.9K tok/s (11.7–12.0), 18 % under the 14.5K high-water mark. Queue counters with wait times would settle it.",
	}
	r.Limiter = model.Limiter{Side: model.Unknown, Strength: "cannot tell", Probabilities: model.Probabilities{Target: .3, Drafter: .21, Both: .1, Upstream: .04, Unknown: .35}, Shared: model.Shared{Resource: "none"}}
	r.WhatIf, r.Next = nil, []model.Step{{Kind: "recording", Text: "Settles which side limits", Command: "analyze recipe --queue > record.sh && sh record.sh PID", Seconds: new(60.0)}}
	return r
}

func bothLimit() *model.Report {
	r := Story()
	r.Verdict.Headline = "Both sides limit throughput: they share the GIL."
	r.Limiter.Side, r.Limiter.Strength = model.Both, "probably limits"
	r.Limiter.Probabilities = model.Probabilities{Target: .05, Drafter: .08, Both: .84, Unknown: .03}
	r.Limiter.Shared = model.Shared{Resource: "gil", Probability: .8, Note: "take_gil in 31 % of samples"}
	return r
}

// queueFull is a run that drafters limit: the queue at 55 to 60, targets blocked.
func queueFull() *model.Report {
	r := Story()
	r.Verdict.Headline = "Drafters limit throughput."
	r.Verdict.Queue = "The queue is full: the target side runs ahead (target-bound)."
	r.Limiter.Side, r.Limiter.Strength = model.Drafter, "limits"
	r.Limiter.Probabilities = model.Probabilities{Drafter: .97, Both: .02, Unknown: .01}
	r.Limiter.Busy = model.Sides[model.Interval]{Target: iv(.5, .53, .56), Drafter: iv(.97, .99, 1)}
	r.Limiter.Headroom = model.Sides[model.Interval]{Target: iv(.8, .89, .95), Drafter: iv(0, 0, 0)}
	r.Limiter.CapacityTokensS.Target, r.Limiter.CapacityTokensS.Drafter = r.Limiter.CapacityTokensS.Drafter, r.Limiter.CapacityTokensS.Target
	r.Limiter.Wait = model.Waits{TargetPut: iv(.44, .47, .5), DrafterGate: iv(0, .01, .02), TargetInput: iv(.01, .02, .03)}
	q := &r.Queue
	q.Class, q.Depth, q.Zones = model.TargetBound, &model.Depth{P5: 56, P50: 60, P95: 60, Mean: 59.1}, &model.Zones{Full: .97, Between: .03}
	q.Histogram = []model.Bin{{Depth: 54, Width: 1, Share: .03}, {Depth: 58, Width: 1, Share: .2}, {Depth: 59, Width: 1, Share: .2}, {Depth: 60, Width: 1, Share: .57}}
	q.AtCapacity, q.AtMinReady = new(.57), new(0.0)
	for _, s := range r.Series {
		for i := range s.T {
			switch {
			case s.Name == "depth" && s.Lo[i] != nil:
				s.Lo[i], s.Hi[i] = new(56+math.Mod(float64(i), 3)), new(60.0)
			case s.Name == "wait.put" && s.Lo[i] != nil:
				s.Lo[i] = new(.47 + .1*math.Sin(float64(i)))
				s.Hi[i] = s.Lo[i]
			}
		}
	}
	return r
}

// withGPUs returns the story with so many target and drafter GPUs.
func withGPUs(targets, drafters int) *model.Report {
	r := Story()
	var gpus []model.Series
	for _, s := range r.Series {
		if strings.HasPrefix(s.Name, "gpu.") {
			gpus = append(gpus, s)
		}
	}
	drop(r, "gpu.")
	r.Run.Topology.TargetGPUs, r.Run.Topology.DrafterGPUs = nil, nil
	for i := range targets + drafters {
		s := gpus[i%5]
		s.Side = model.Target
		if i >= targets {
			s, s.Side = gpus[5+i%3], model.Drafter
			r.Run.Topology.DrafterGPUs = append(r.Run.Topology.DrafterGPUs, i)
		} else {
			r.Run.Topology.TargetGPUs = append(r.Run.Topology.TargetGPUs, i)
		}
		s.Name = fmt.Sprintf("gpu.%d", i)
		r.Series = append(r.Series, s)
	}
	return r
}

// stretched multiplies all times of the story and sets its length.
func stretched(f, seconds float64) *model.Report {
	r := Story()
	r.Run.DurationS = seconds
	for i := range r.Series {
		for k := range r.Series[i].T {
			r.Series[i].T[k] *= f
		}
	}
	for i := range r.Phases {
		r.Phases[i].FromS *= f
		r.Phases[i].ToS *= f
	}
	for _, s := range []*model.Span{r.Throughput.Best60At, r.Throughput.Best300At} {
		s.FromS, s.ToS = s.FromS*f, s.ToS*f
	}
	r.Steady.FromS, r.Steady.ToS = r.Steady.FromS*f, r.Steady.ToS*f
	return r
}

func noStart() *model.Report {
	r := Story()
	r.Run.Start = ""
	for i := range r.Inputs {
		r.Inputs[i].First, r.Inputs[i].Last = "", ""
	}
	return r
}

func noQueue() *model.Report {
	r := Story()
	drop(r, "depth", "wait.")
	r.Queue = model.QueueInfo{Class: model.Unknown, Meaning: "The depth of the queue was not recorded.", GateKind: "unknown"}
	r.Verdict.Queue = ""
	r.Limiter.Wait = model.Waits{}
	r.Skipped = append(r.Skipped, model.Skipped{Analyzer: "queue-class", Needs: "queue depth or wait counters", RecordWith: "write one line a tenth of a second: timestamp,queue,depth,capacity,min_ready,puts_total,gets_total,put_wait_seconds_total,get_wait_seconds_total"})
	return r
}

func unsteady() *model.Report {
	r := Story()
	r.Steady = model.Steady{Why: "Throughput climbs to the end: no stretch of 30 % is free of a trend."}
	r.Phases = nil
	for i := range 24 {
		kind := "steady"
		if i%2 == 1 {
			kind = "checkpoint"
		}
		r.Phases = append(r.Phases, model.Phase{Kind: kind, FromS: 37.5 * float64(i), ToS: 37.5 * float64(i+1)})
	}
	return r
}

func profileOnly() *model.Report {
	s := Story()
	return &model.Report{Schema: model.Schema, Kind: "profile", Version: s.Version, Run: model.RunInfo{Name: "pyspy.raw.txt"}, CPU: s.CPU, Flames: s.Flames, Inputs: s.Inputs[3:4], Limiter: model.Limiter{Side: model.Unknown}}
}

func oneRole() *model.Report {
	r := profileOnly()
	c := *r.CPU
	role := c.Roles[model.Target]
	dominant := *c.Dominant
	dominant.Role, dominant.Tie = "", true
	c.Dominant, c.HotThreads = &dominant, nil
	c.Roles = map[string]model.RoleCPU{"": role}
	r.CPU = &c
	return r
}

// shallow is a queue whose watermarks lie close together.
func shallow() *model.Report {
	r := Story()
	r.Queue.Capacity, r.Queue.MinReady = new(12.0), new(10.0)
	r.Queue.Zones = &model.Zones{Full: .02, AtWatermark: .98}
	return r
}

func logAlone() *model.Report {
	r := noQueue()
	drop(r, "gpu.", "thread.")
	r.CPU, r.Flames, r.Inputs = nil, nil, r.Inputs[6:]
	r.Run.Topology = model.Topology{}
	r.Inside = model.Sides[model.Inside]{}
	r.Limiter = model.Limiter{Side: model.Unknown, Strength: "cannot tell", Probabilities: model.Probabilities{Unknown: 1}}
	r.WhatIf, r.Throughput.HighWater, r.Throughput.Shortfall = nil, nil, nil
	return r
}

// many is the story with long lists.
func many() *model.Report {
	r := Story()
	for i := range 300 {
		f := r.Inputs[i%7]
		f.Path = fmt.Sprintf("runs/node-%03d/a/rather/long/directory/for/a/log/rank%d/%s", i, i, f.Path)
		r.Inputs = append(r.Inputs, f)
	}
	for i := range 40 {
		r.Checks = append(r.Checks, model.Check{Name: fmt.Sprintf("check-%d", i), OK: i%3 > 0, Text: strings.Repeat("a long explanation of what was compared ", 1+i%5)})
		r.Findings = append(r.Findings, r.Findings[i%2])
		r.Skipped = append(r.Skipped, model.Skipped{Analyzer: fmt.Sprintf("analyzer-%d", i), Needs: strings.Repeat("something that was not there ", 1+i%4), RecordWith: strings.Repeat("--option value ", 1+4*(i%4))})
		r.Next = append(r.Next, r.Next[i%4])
		r.Verdict.Because = append(r.Verdict.Because, r.Verdict.Because[i%5])
		r.WhatIf = append(r.WhatIf, r.WhatIf[i%5])
		s := r.Series[len(r.Series)-1]
		s.Name = fmt.Sprintf("thread.%d", 90000+i)
		r.Series = append(r.Series, s)
		r.Limiter.Ledger = append(r.Limiter.Ledger, r.Limiter.Ledger[0])
	}
	return r
}

// hostile has text without spaces, beyond the fonts and with controls, and
// numbers that no analyzer should give.
func hostile() *model.Report {
	r := Story()
	long := strings.Repeat("Wörter_ohne_Pause日本語\x00\x1b[31m𝔘", 40)
	r.Run.Name, r.Verdict.Headline, r.Verdict.Lead, r.Verdict.Queue = long, long, long, long
	r.Verdict.Because = []model.Reason{{Text: long, Source: long}, {}}
	r.Steady.Why = long
	r.Next = []model.Step{{Kind: "experiment", Text: long, Where: long, Command: long, Gain: iv(0, 0, 0)}, {Kind: "recording", Text: long, Command: long}, {}}
	r.Checks = []model.Check{{Name: long, Text: long, Value: new(-1e300)}, {}}
	r.Skipped = []model.Skipped{{Analyzer: long, Needs: long, RecordWith: long}}
	r.WhatIf = []model.WhatIf{{Change: long, Kind: "speed", Gain: iv(-40, 3, 1e9), Range: long, NextLimit: "target"}, {Change: "x"}}
	r.Phases = []model.Phase{{Kind: long, FromS: -5, ToS: 1e9}, {Kind: "steady", FromS: 10, ToS: 5}}
	r.Series = append(r.Series,
		model.Series{Name: "gpu.x", T: []float64{1, 2}, Lo: []*float64{new(5.0)}, Hi: nil},
		model.Series{Name: "gpu." + long, T: []float64{1, 1, 0}, Lo: []*float64{new(-5.0), nil, new(9.0)}, Hi: []*float64{new(5.0), nil, new(9.0)}})
	r.Queue.Capacity, r.Queue.MinReady = new(1e12), new(1e12-5)
	r.Queue.Histogram = append(r.Queue.Histogram, model.Bin{Depth: 1e12, Width: -4, Share: 7})
	r.Limiter.Probabilities = model.Probabilities{Target: 3, Drafter: -1}
	r.Limiter.Ledger = []model.Entry{{Source: long, Side: "target", Busy: iv(-3, 0, 12), Reading: long}}
	r.Throughput.Unit, r.Throughput.HighWater = long, &model.HighWater{Value: -4}
	r.Run.Topology.TargetGPUs = make([]int, 500)
	for i := range r.Run.Topology.TargetGPUs {
		r.Run.Topology.TargetGPUs[i] = 2 * i
	}
	r.Flames[0].Nodes[1].Parent = 5
	r.Flames[0].Nodes[2].Parent = -3
	role := r.CPU.Roles[model.Target]
	role.Frames = append([]model.TopFrame{{Function: long, File: long, Line: 3, From: long, Share: 4, Mechanism: long}}, role.Frames...)
	role.Families = append(role.Families, model.FamilyOf{Family: long, Label: long, Mechanism: long, Cause: long, Share: *iv(-2, 5, 3)})
	r.CPU.Roles[model.Target] = role
	r.CPU.HotThreads = append(r.CPU.HotThreads, model.HotThread{TID: long, Name: long, Role: long, CPU: 64, Does: long})
	r.CPU.Capture.Limits = append(r.CPU.Capture.Limits, long)
	r.Inputs = append(r.Inputs, model.Input{Path: long, Reason: long, First: long, Last: long, Rows: 3, Bytes: 1 << 50})
	r.Findings = append(r.Findings, model.Finding{ID: long, Claim: long, Advice: long, Evidence: []model.Evidence{{What: long, Value: 1e300, Unit: long, At: []model.Pos{{File: long, Line: 3}}}}})
	return r
}

// comparedRuns is the report of a comparison: a step in the history, a part
// beyond its noise, intervals beyond the axis, stacks that changed.
func comparedRuns() *model.Report {
	r := Story()
	c := &model.Comparison{
		Headline: "Throughput fell: −5.8 % (−7.2 to −4.4), for an item costs the targets more.", Lead: "Targets limit on both sides.",
		Method: "Each run is one value (9 + 1).", Noise: model.Noise{Between: 0.007, Measured: true, From: "measured from 9 + 1 runs"},
		Base: []model.ComparedRun{{Name: "nightly-15"}}, New: []model.ComparedRun{{Name: "nightly-16"}},
		About: []string{"queue capacity 20 against 60"}, Notes: []string{"date 2026-05-06 against 2026-05-07"},
		Metrics: []model.MetricChange{
			{ID: "throughput", Label: "throughput", Unit: "tok/s", Kind: "relative", Base: iv(11.8e3, 11.9e3, 12e3), New: iv(11.1e3, 11.2e3, 11.3e3), Change: iv(-0.072, -0.058, -0.044), Q: new(0.0004), Changed: true},
			{ID: "target.capacity", Label: "target capacity", Unit: "tok/s", Kind: "relative", Base: iv(11.8e3, 11.9e3, 12e3), New: iv(11.1e3, 11.2e3, 11.3e3), Change: iv(-0.58, -0.058, 0.93), Q: new(0.6)},
			{ID: "gate_wait", Label: "drafters wait at the gate", Kind: "points", Base: iv(0.17, 0.187, 0.2), New: iv(0.22, 0.234, 0.25), Change: iv(0.03, 0.047, 0.06), Q: new(0.01), Changed: true},
			{ID: "loss", Label: "loss at equal steps", Kind: "relative", New: iv(3.3, 3.36, 3.4), Why: "not recorded on one side"},
		},
		Waterfall: &model.Waterfall{Unit: "items/s", Base: 4.09, New: 3.85, Total: *iv(-0.075, -0.06, -0.045), Cause: "target_service", Text: "An item costs the targets more.", Parts: []model.Part{
			{ID: "target_service", Label: "target service", Ln: *iv(-0.085, -0.07, -0.055)},
			{ID: "gate_wait", Label: "drafters wait at the gate", Ln: *iv(-0.01, 0.001, 0.012)},
			{ID: "pauses", Label: "pauses", Ln: *iv(0.005, 0.009, 0.013)},
		}},
		Stacks: []model.StackChange{
			{Role: model.Target, ID: "gpu.sync_scalar_read", Base: iv(0.1, 0.11, 0.12), New: iv(0.19, 0.2, 0.21), Change: iv(0.07, 0.09, 0.11), BaseS: new(0.134), NewS: new(0.26), Changed: true},
			{Role: model.Drafter, ID: "python.unresolved_builtin", Base: iv(0.5, 0.544, 0.6), New: iv(0.49, 0.535, 0.59), Change: iv(-0.058, -0.009, 0.04)},
		},
		History: &model.History{Metric: "throughput", Unit: "tok/s", Text: "Throughput shows a step of −5.8 % at nightly-16, 4 runs ago.", Changes: []model.HistoryShift{{Kind: "step", Index: 8, Name: "nightly-9", Before: 11.9e3, After: 11.2e3, Change: *iv(-0.07, -0.058, -0.04), P: 0.001}}},
	}
	for i := range 12 {
		v := 11.9e3 + 40*math.Sin(float64(3*i))
		if i >= 8 {
			v -= 700
		}
		c.History.Points = append(c.History.Points, model.HistoryPoint{Name: fmt.Sprintf("nightly-%d", i+1), Start: fmt.Sprintf("2026-05-%02dT21:00:00Z", i+1), Value: v})
	}
	r.Kind, r.Comparison = "comparison", c
	r.Verdict.Headline, r.Verdict.Lead = c.Headline, c.Lead
	return r
}

// twoProfiles is the difference of two captures of stacks.
func twoProfiles() *model.Report {
	r := profileOnly()
	r.Verdict.Headline, r.Verdict.Lead = "Synchronise grew from 11 % to 20 % of active samples.", "From a.txt to b.txt."
	r.CPU.Diff = &model.ProfileDiff{
		Base: model.DiffSide{Name: "a.txt", Samples: 33000, Cores: new(8.1)}, New: model.DiffSide{Name: "b.txt", Samples: 34000, Cores: new(7.9)},
		Measure: "share", Misleads: "active time is the same within 5 %.",
		Rows: []model.DiffRow{
			{Kind: "family", ID: "gpu.sync", Label: "Synchronise, scalar read", Base: *iv(0.1, 0.11, 0.12), New: *iv(0.19, 0.2, 0.21), BaseCores: new(0.9), NewCores: new(1.58), Points: 0.09, Change: new(0.76), Clear: true},
			{Kind: "family", ID: "gpu.launch", Label: "Kernel launch", Base: *iv(0.3, 0.35, 0.4), New: *iv(0.28, 0.33, 0.38), BaseCores: new(2.84), NewCores: new(2.6), Points: -0.02, Change: new(-0.08)},
			{Kind: "function", ID: "item", Label: "cudaStreamSynchronize libcudart.so.13 of a long name", Base: *iv(0, 0, 0.01), New: *iv(0.08, 0.09, 0.1), BaseCores: new(0.0), NewCores: new(0.7), Points: 0.09, Clear: true},
		},
	}
	return r
}
