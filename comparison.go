package tidemark

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tidemark/compare"
	"tidemark/internal/tablefile"
	"tidemark/model"
)

// Compare says what changed from one set of runs to another. The report is
// that of the last new run, with the comparison in it. Where history names a
// metric, base is what came before, and its changes of level come first.
func Compare(base, fresh *Set, opt compare.Options, history string) (*model.Report, error) {
	past := base.Runs
	if history != "" && len(fresh.Runs) > 0 {
		past = compare.Like(past, fresh.Runs)
	}
	c, err := compare.Compare(past, fresh.Runs, opt)
	if err != nil {
		return nil, err
	}
	if history != "" {
		if c.History, err = compare.History(base.Runs, fresh.Runs, history); err != nil {
			return nil, err
		}
		c.Lead = c.Headline + " " + c.Lead
		c.Headline = c.History.Text
	}
	c.Notes = append(c.Notes, fresh.Joined...)
	c.Notes = append(c.Notes, base.Joined...)
	r := latest(fresh)
	r.Kind, r.Comparison = "comparison", c
	r.Verdict.Headline, r.Verdict.Lead = c.Headline, c.Lead
	return r, nil
}

// LoadHistory reads earlier runs: what Load reads, or a Parquet table with one
// row a run, as analyze fleet writes it.
func LoadHistory(ctx context.Context, path string, cfg *Config) (*Set, error) {
	if !strings.EqualFold(filepath.Ext(path), ".parquet") {
		return Load(ctx, []string{path}, nil, cfg)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := tablefile.ReadRows(f)
	if err != nil {
		return nil, &DamagedError{fmt.Errorf("%s: %w", path, err)}
	}
	runs, err := compare.FromRows(rows)
	if err != nil {
		return nil, &DamagedError{fmt.Errorf("%s: %w", path, err)}
	}
	return &Set{Runs: runs, Inputs: []string{path}}, nil
}

// Check applies a policy. The report is that of the last new run, with the
// outcome and, where there is a base, the comparison in it.
func Check(p *compare.Policy, base, fresh *Set) (*model.Report, error) {
	res, c, err := compare.Check(p, base.Runs, fresh.Runs)
	if err != nil {
		return nil, err
	}
	res.Joined = append(append(res.Joined, fresh.Joined...), base.Joined...)
	r := latest(fresh)
	r.Check, r.Comparison = res, c
	return r, nil
}

// latest is a copy of the report of the run that began last.
func latest(s *Set) *model.Report {
	var last *model.Report
	for _, r := range s.Reports {
		if last == nil || r.Run.Start >= last.Run.Start {
			last = r
		}
	}
	if last == nil { // a baseline file holds no reports
		return emptyReport(s.Runs[len(s.Runs)-1])
	}
	out := *last
	return &out
}

func emptyReport(run *compare.Run) *model.Report {
	r := &model.Report{
		Schema: model.Schema, Kind: "comparison", Version: Version,
		Phases: []model.Phase{}, WhatIf: []model.WhatIf{}, Losses: []model.Loss{}, Workers: []model.Worker{}, Findings: []model.Finding{},
		Next: []model.Step{}, Checks: []model.Check{}, Skipped: []model.Skipped{}, Inputs: []model.Input{},
		Series: []model.Series{}, Blocks: []model.Block{}, Flames: []model.Flame{},
	}
	r.Run.Name, r.Run.Start, r.Run.Topology.From = run.Name, run.Start, map[string]string{}
	r.Verdict.Because, r.Verdict.Strength, r.Limiter.Ledger = []model.Reason{}, "cannot tell", []model.Entry{}
	r.Limiter.Side, r.Limiter.Strength, r.Limiter.Probabilities.Unknown = model.Unknown, "cannot tell", 1
	r.Limiter.Shared.Resource, r.Queue.GateKind, r.Queue.Class = "none", "unknown", model.Unsettled
	return r
}
