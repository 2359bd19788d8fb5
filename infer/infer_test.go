package infer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"tidemark/infer"
	"tidemark/ingest"
	"tidemark/internal/config"
	"tidemark/internal/txtartest"
	"tidemark/model"
)

// A section is the part of a report that the cases of one folder under
// testdata show. The folder has its name.
type section struct {
	analyzers []*infer.Analyzer
	probe     *infer.Analyzer // whose result is shown instead of a part of the report
	show      func(*model.Run, *model.Report, any) any
}

// TestAnalyzers reads the small run directory in every archive under testdata
// and compares the part of the report that its folder is named after.
func TestAnalyzers(t *testing.T) {
	txtartest.Run(t, "testdata/*/*.txtar", func(t *testing.T, in []txtar.File) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(t.Name(), "TestAnalyzers/"), "/")
		s, ok := sections[name]
		if !ok {
			t.Fatalf("testdata/%s: no section of that name in infer_test.go", name)
		}
		return s.run(t, in)
	})
}

func (s section) run(t *testing.T, in []txtar.File) string {
	dir := t.TempDir()
	cfg := &config.Config{}
	for _, f := range in {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		if f.Name == "tidemark.yaml" {
			var err error
			if cfg, err = config.Parse(f.Name, bytes.NewReader(f.Data)); err != nil {
				t.Fatal(err)
			}
		}
	}
	run, err := ingest.Read(context.Background(), []string{dir}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ingest.Align(run, cfg)
	return s.analyze(t, run, cfg)
}

func (s section) analyze(t *testing.T, run *model.Run, cfg *config.Config) string {
	var result any
	list := s.analyzers
	if s.probe != nil {
		list = append([]*infer.Analyzer{}, list...)
		list = append(list, &infer.Analyzer{Name: "probe", Requires: []*infer.Analyzer{s.probe}, Run: func(p *infer.Pass) (any, error) {
			result, _ = infer.Result[any](p, s.probe)
			return nil, nil
		}})
	}
	r, _, err := infer.Analyze(context.Background(), run, cfg, list)
	if err != nil {
		t.Fatal(err)
	}
	checkReport(t, r)
	if s.probe != nil && result == nil {
		return text(t, r.Skipped)
	}
	return text(t, s.show(run, r, result))
}

// checkReport checks what holds of every report.
func checkReport(t *testing.T, r *model.Report) {
	t.Helper()
	for _, f := range r.Findings {
		if f.ID == "" || f.Claim == "" || len(f.Evidence) == 0 {
			t.Errorf("finding %+v: want an id, a claim and evidence", f)
		}
		for _, e := range f.Evidence {
			if len(e.At) == 0 {
				t.Errorf("finding %s: evidence %q without a place", f.ID, e.What)
			}
		}
	}
	for _, f := range r.Flames {
		if len(f.Nodes) > 400 {
			t.Errorf("flame %s: %d nodes, want at most 400", f.Name, len(f.Nodes))
		}
		checkFlame(t, f)
	}
}

// checkFlame checks that no node holds less than its children together.
func checkFlame(t *testing.T, f model.Flame) {
	t.Helper()
	below := make([]float64, len(f.Nodes))
	for i, n := range f.Nodes {
		if i == 0 {
			continue
		}
		if n.Parent < 0 || n.Parent >= len(f.Nodes) || n.Parent == i {
			t.Fatalf("flame %s: node %d has parent %d", f.Name, i, n.Parent)
		}
		below[n.Parent] += n.Value
	}
	for i, n := range f.Nodes {
		if below[i] > n.Value*(1+1e-9)+1e-6 {
			t.Errorf("flame %s: node %d (%s) holds %g, its children %g", f.Name, i, n.Name, n.Value, below[i])
		}
	}
}

// text is indented JSON with numbers to four decimals, which is what can be
// checked by hand.
func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(rounded(tree)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func rounded(v any) any {
	switch v := v.(type) {
	case float64:
		return math.Round(v*1e4) / 1e4
	case []any:
		for i := range v {
			v[i] = rounded(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = rounded(v[k])
		}
	}
	return v
}
