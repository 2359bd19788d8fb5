package tidemark

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tidemark/compare"
	"tidemark/internal/atomicfile"
	"tidemark/internal/tablefile"
	"tidemark/model"
)

// Compare says what changed from one set of runs to another. The report is
// that of the last new run, with the comparison in it. Where history names a
// metric, base is what came before, and its changes of level come first.
func Compare(base, fresh *Set, opt compare.Options, history string) (*model.Report, error) {
	past, h, err := before(base, fresh, history)
	if err != nil {
		return nil, err
	}
	c, err := compare.Compare(past, fresh.Runs, opt)
	if err != nil {
		return nil, err
	}
	if h != nil {
		c.History = h
		c.Lead = c.Headline + " " + c.Lead
		c.Headline = h.Text
		if n := len(base.Runs) - len(past); n > 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("compared with the %d runs on the present level of this pipeline, of %d", len(past), len(base.Runs)))
		}
	}
	c.Notes = append(c.Notes, fresh.Joined...)
	c.Notes = append(c.Notes, base.Joined...)
	r := latest(fresh)
	r.Kind, r.Comparison = "comparison", c
	r.Verdict.Headline, r.Verdict.Lead = c.Headline, c.Lead
	return r, nil
}

// before are the runs to compare with: all of the base, or of a history those
// of the same pipeline since its last step.
func before(base, fresh *Set, history string) ([]*compare.Run, *model.History, error) {
	if history == "" || len(fresh.Runs) == 0 {
		return base.Runs, nil, nil
	}
	past := compare.Earlier(base.Runs, fresh.Runs)
	h, err := compare.History(past, fresh.Runs, history)
	if err != nil || len(past) == 0 {
		return base.Runs, h, err
	}
	return compare.Since(compare.Like(past, fresh.Runs), h), h, nil
}

// LoadHistory reads earlier runs: what Load reads, or a Parquet table with one
// row a run, as UpdateHistory writes it (compare.Columns).
func LoadHistory(ctx context.Context, path string, cfg *Config) (*Set, error) {
	if !isTable(path) {
		return Load(ctx, []string{path}, nil, cfg)
	}
	runs, _, err := readHistory(path)
	if err != nil {
		return nil, err
	}
	return &Set{Runs: runs, Inputs: []string{path}}, nil
}

func isTable(path string) bool { return strings.EqualFold(filepath.Ext(path), ".parquet") }

// readHistory returns the runs of a table, and the columns that it has.
func readHistory(path string) (runs []*compare.Run, columns map[string]bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	rows, err := tablefile.ReadRows(f)
	if err != nil {
		return nil, nil, &DamagedError{fmt.Errorf("%s: %w", path, err)}
	}
	if runs, err = compare.FromRows(rows); err != nil {
		return nil, nil, &DamagedError{fmt.Errorf("%s: %w", path, err)}
	}
	columns = map[string]bool{}
	for _, row := range rows {
		for name := range row {
			columns[name] = true
		}
	}
	return runs, columns, nil
}

// UpdateHistory adds runs to a Parquet table of runs, which is made where there
// is none; a run of the same name and start is replaced. A table with columns
// that are not compare.Columns is left as it is: they would be lost.
func UpdateHistory(path string, inputs []string, runs []*compare.Run) error {
	if !isTable(path) {
		return fmt.Errorf("%s: want a name that ends in .parquet", path)
	}
	past, columns, err := readHistory(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var cols []tablefile.RowColumn
	for _, c := range compare.Columns() {
		cols = append(cols, tablefile.RowColumn{Name: c.Name, Kind: c.Kind})
		delete(columns, c.Name)
	}
	if more := slices.Sorted(maps.Keys(columns)); len(more) > 0 {
		return fmt.Errorf("%s: column %q would be lost, want a table of our own columns: copy what is needed to another file", path, more[0])
	}
	past = slices.DeleteFunc(past, func(p *compare.Run) bool {
		return slices.ContainsFunc(runs, func(r *compare.Run) bool { return p.Name == r.Name && p.Start == r.Start })
	})
	rows := compare.Rows(append(past, runs...))
	return atomicfile.Write(path, inputs, func(w io.Writer) error { return tablefile.WriteRows(w, cols, rows) })
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
	if n := len(fresh.Runs); n > 1 {
		res.Joined = append(res.Joined, fmt.Sprintf("%d runs, each held against the policy: %s; the report is that of %s", n, names(fresh.Runs), r.Run.Name))
	}
	r.Check, r.Comparison = res, c
	return r, nil
}

// names lists runs, four at most by name.
func names(runs []*compare.Run) string {
	var list []string
	for _, r := range runs {
		list = append(list, r.Name)
	}
	if len(list) > 4 {
		list = append(list[:4:4], fmt.Sprintf("%d more", len(runs)-4))
	}
	return strings.Join(list, ", ")
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
