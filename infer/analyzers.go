package infer

// Analyzers lists every analyzer. Each runs after those it requires; among
// the others the order here holds.
var Analyzers = []*Analyzer{
	ReadingsOf,
	Inputs,
	Topology,
	Hardware,
	Steady,
	Throughput,
	QueueClass,
	Waits,
	GPUActivity,
	Stacks,
	Roles,
	StackActivity,
	ThreadActivity,
	Limiter,
	Soundness,
	WhatIfs,
	Traces,
	InsideSides,
	Losses,
	CPUCost,
	Flames,
	HotThreads,
	Curves,
	VerdictWords,
	NextSteps,
}
