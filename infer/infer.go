// Package infer turns the tables of a run into a report. Each analyzer is one
// file here and one line in analyzers.go; every threshold stands with its
// source in thresholds.go.
package infer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tidemark/internal/config"
	"tidemark/model"
)

// An Analyzer is one rule, as a constant value.
type Analyzer struct {
	Name     string
	Doc      string // title, blank line, when it is right, and when it is wrong
	Requires []*Analyzer
	// Last: words about the whole report. It runs when all others are done, in
	// the order of the list.
	Last bool
	Run  func(*Pass) (any, error) // a *SkipError says what is missing and how to record it
}

// A Pass is one analyzer applied to one run. An analyzer fills the sections of
// Out that it owns, and returns what other analyzers need of it. It may read
// and add to sections of those that it requires; others run at the same time.
type Pass struct {
	Context  context.Context
	Analyzer *Analyzer
	Run      *model.Run // read only
	Config   *config.Config
	Out      *model.Report
	passes   map[*Analyzer]*Pass

	order    passOrder
	result   any
	skip     *SkipError
	err      error
	fault    any // of a panic
	findings []model.Finding
	checks   []model.Check
	flames   []model.Flame
}

// A SkipError says why an analyzer has nothing to say; it is not a failure.
type SkipError struct {
	Needs  string // "sampled stacks of the target threads"
	Record string // the command that records it, "" if there is none
}

func (e *SkipError) Error() string { return "needs " + e.Needs }

// Result returns what an analyzer returned, and whether it had anything to
// say. It panics if the analyzer is not in Requires.
func Result[T any](p *Pass, a *Analyzer) (v T, ok bool) {
	if !slices.Contains(p.Analyzer.Requires, a) {
		panic(fmt.Sprintf("infer: %s uses %s without requiring it", p.Analyzer.Name, a.Name))
	}
	v, ok = p.passes[a].result.(T)
	return v, ok
}

// Find adds a finding to the report.
func (p *Pass) Find(f model.Finding) { p.findings = append(p.findings, f) }

// Check adds a named test of the data to the report.
func (p *Pass) Check(c model.Check) { p.checks = append(p.checks, c) }

// Draw adds a flame graph to the report.
func (p *Pass) Draw(f ...model.Flame) { p.flames = append(p.flames, f...) }

// Analyze applies the analyzers to a run, each as soon as those it requires
// are done. What the report says does not depend on which comes first.
func Analyze(ctx context.Context, run *model.Run, cfg *config.Config, list []*Analyzer) (*model.Report, *Labels, error) {
	out := emptyReport()
	list = order(list)
	passes := make(map[*Analyzer]*Pass, len(list))
	for _, a := range list {
		passes[a] = &Pass{Context: ctx, Analyzer: a, Run: run, Config: cfg, Out: out, passes: passes}
	}
	runAll(list, passes)
	for _, last := range []bool{false, true} {
		for _, a := range list {
			if a.Last != last {
				continue
			}
			if last {
				passes[a].do()
			}
			if err := passes[a].publish(); err != nil {
				return nil, nil, err
			}
		}
	}
	if c, odd := finiteCheck(out); odd {
		out.Checks = append(out.Checks, c)
	}
	return out, labelsOf(run, passes), nil
}

// do runs the analyzer. Its panic is kept for who waits for all of them.
func (p *Pass) do() {
	defer func() { p.fault = recover() }()
	if p.err = p.Context.Err(); p.err != nil {
		return
	}
	v, err := p.Analyzer.Run(p)
	var asked *config.Error
	switch {
	case errors.As(err, &p.skip):
	case errors.As(err, &asked):
		p.err = err
	case err != nil:
		p.err = fmt.Errorf("%s: %w", p.Analyzer.Name, err)
	default:
		p.result = v
	}
}

// publish adds the pass's lists to the report.
func (p *Pass) publish() error {
	if p.fault != nil {
		panic(p.fault)
	}
	if p.err != nil {
		return p.err
	}
	if s := p.skip; s != nil {
		p.Out.Skipped = append(p.Out.Skipped, model.Skipped{Analyzer: p.Analyzer.Name, Needs: s.Needs, RecordWith: s.Record})
	}
	p.Out.Findings = append(p.Out.Findings, p.findings...)
	p.Out.Checks = append(p.Out.Checks, p.checks...)
	p.Out.Flames = append(p.Out.Flames, p.flames...)
	return nil
}

// emptyReport has every list, empty, so that JSON shows [] and not null.
// noTimes is why a run of no series has no steady state.
const noTimes = "no steady state: neither a training log nor queue counters give series to look for one in"

func emptyReport() *model.Report {
	return &model.Report{
		Schema: model.Schema, Kind: "run", Steady: model.Steady{Why: noTimes},
		Phases: []model.Phase{}, WhatIf: []model.WhatIf{}, Losses: []model.Loss{}, Workers: []model.Worker{}, Findings: []model.Finding{},
		Next: []model.Step{}, Checks: []model.Check{}, Skipped: []model.Skipped{}, Inputs: []model.Input{},
		Series: []model.Series{}, Blocks: []model.Block{}, Flames: []model.Flame{},
	}
}

// order returns the analyzers so that each stands after what it requires.
func order(list []*Analyzer) []*Analyzer {
	var out []*Analyzer
	seen := map[*Analyzer]bool{}
	var visit func(a *Analyzer)
	visit = func(a *Analyzer) {
		if seen[a] {
			return
		}
		seen[a] = true
		for _, r := range a.Requires {
			visit(r)
		}
		out = append(out, a)
	}
	for _, a := range list {
		visit(a)
	}
	return out
}
