package tidemark

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tidemark/compare"
	"tidemark/model"
	"tidemark/report"
)

// A Set is one side of a comparison.
type Set struct {
	Runs    []*compare.Run
	Reports []*model.Report // of the runs that were analysed or read as reports
	Joined  []string        // what was put together, and what was left out
	Inputs  []string        // files that must not be written over
	Damaged []string        // pieces that cannot be read; each run lists them as unread
}

// A DamagedError is a report or baseline file that cannot be relied on.
type DamagedError struct{ Err error }

func (e *DamagedError) Error() string { return e.Err.Error() }

func (e *DamagedError) Unwrap() error { return e.Err }

// Load reads the runs behind paths: run directories, archives, reports and
// baseline files. A directory that holds only directories, archives and
// reports is several runs, except that pieces of one run are joined.
func Load(ctx context.Context, paths []string, stdin io.Reader, cfg *Config) (*Set, error) {
	s := &Set{}
	for _, p := range paths {
		if err := s.load(ctx, p, stdin, cfg); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Set) load(ctx context.Context, path string, stdin io.Reader, cfg *Config) error {
	if isDocument(path) {
		return s.document(path)
	}
	pieces := piecesOf(path)
	if len(pieces) < 2 {
		a, err := Run(ctx, []string{path}, stdin, cfg)
		if err != nil {
			return err
		}
		if parts := partsOf(a.Report); len(parts) > 1 {
			s.Joined = append(s.Joined, a.Report.Run.Name+" is one run in "+strings.Join(parts, ", "))
		}
		s.add(a)
		return nil
	}
	return s.pieces(ctx, []string{path}, pieces, cfg)
}

func (s *Set) add(a *Analysis) {
	s.Runs, s.Reports, s.Inputs = append(s.Runs, compare.From(a.Report)), append(s.Reports, a.Report), append(s.Inputs, a.Inputs...)
}

// partsOf lists the archives and folders within a path that the run's files lie in.
func partsOf(r *model.Report) []string {
	var parts []string
	for _, in := range r.Inputs {
		first, _, ok := strings.Cut(in.Path, "/")
		if ok && in.Format != "" && !slices.Contains(parts, first) {
			parts = append(parts, first)
		}
	}
	if len(parts) > 12 {
		parts = append(parts[:12:12], fmt.Sprintf("%d more", len(parts)-12))
	}
	return parts
}

// isDocument reports whether a file is a report or a baseline: JSON with one
// of our schemas, or what claims to be one by its first bytes.
func isDocument(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && strings.EqualFold(filepath.Ext(path), ".json")
}

// document reads a report or a baseline file.
func (s *Set) document(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			err = errors.New(kind.Value)
		}
		return &DamagedError{fmt.Errorf("%s: not whole JSON (%w): want a report or a baseline file", path, err)}
	}
	s.Inputs = append(s.Inputs, path)
	switch head.Schema {
	case model.Schema:
		r, err := report.Decode(strings.NewReader(string(b)))
		if err != nil {
			return &DamagedError{fmt.Errorf("%s: %w", path, err)}
		}
		s.Runs, s.Reports = append(s.Runs, compare.From(r)), append(s.Reports, r)
		return nil
	case compare.BaselineSchema:
		runs, err := compare.ReadBaseline(b)
		if err != nil {
			return &DamagedError{fmt.Errorf("%s: %w", path, err)}
		}
		s.Runs = append(s.Runs, runs...)
		return nil
	}
	return &DamagedError{fmt.Errorf("%s: schema %q, want %q or %q", path, head.Schema, model.Schema, compare.BaselineSchema)}
}

// LoadTogether reads several paths as what one job left: files and folders of
// one run are joined, as within a directory.
func LoadTogether(ctx context.Context, paths []string, stdin io.Reader, cfg *Config) (*Set, error) {
	if len(paths) == 1 || slices.Contains(paths, "-") {
		return Load(ctx, paths, stdin, cfg)
	}
	for _, p := range paths {
		if _, err := os.Stat(p); err != nil {
			return nil, err
		}
	}
	s := &Set{}
	return s, s.pieces(ctx, paths, paths, cfg)
}
