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
	Run      func(*Pass) (any, error) // a *SkipError says what is missing and how to record it
}

// A Pass is one analyzer applied to one run. An analyzer fills the sections of
// Out that it owns, and returns what other analyzers need of it.
type Pass struct {
	Context  context.Context
	Analyzer *Analyzer
	Run      *model.Run // read only
	Config   *config.Config
	Out      *model.Report
	results  map[*Analyzer]any
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
	v, ok = p.results[a].(T)
	return v, ok
}

// Find adds a finding to the report.
func (p *Pass) Find(f model.Finding) { p.Out.Findings = append(p.Out.Findings, f) }

// Check adds a named test of the data to the report.
func (p *Pass) Check(c model.Check) { p.Out.Checks = append(p.Out.Checks, c) }

// Analyze applies the analyzers to a run, each after those it requires.
func Analyze(ctx context.Context, run *model.Run, cfg *config.Config, list []*Analyzer) (*model.Report, *Labels, error) {
	out := emptyReport()
	results := map[*Analyzer]any{}
	for _, a := range order(list) {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		v, err := a.Run(&Pass{Context: ctx, Analyzer: a, Run: run, Config: cfg, Out: out, results: results})
		var skip *SkipError
		switch {
		case errors.As(err, &skip):
			out.Skipped = append(out.Skipped, model.Skipped{Analyzer: a.Name, Needs: skip.Needs, RecordWith: skip.Record})
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", a.Name, err)
		default:
			results[a] = v
		}
	}
	if n := finite(out); n > 0 {
		v := float64(n)
		out.Checks = append(out.Checks, model.Check{Name: "finite", Value: &v, Limit: new(0.0), Text: "values that are no numbers were left out of the report"})
	}
	return out, labelsOf(run, results), nil
}

// emptyReport has every list, empty, so that JSON shows [] and not null.
func emptyReport() *model.Report {
	return &model.Report{
		Schema: model.Schema, Kind: "run",
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
