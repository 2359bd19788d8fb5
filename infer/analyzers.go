package infer

// Analyzers lists every analyzer. Each runs after those it requires; among
// the others the order here holds.
var Analyzers = []*Analyzer{
	LogSenseOf,
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
	Observer,
	HotThreads,
	Curves,
	LogFindings,
	VerdictWords,
	NextSteps,
}
