package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/internal/reporttest"
	"tidemark/model"
)

// compared is a report of a check with a comparison, with n of everything and
// text that no format may trip over.
func compared(n int) *model.Report {
	r := reporttest.Story()
	const hostile = "a|b <script>`x`</script> \x00\x1b[31m ]]> \"q\" ::error::%0A\nline two"
	iv := &model.Interval{Lo: -0.1, Mid: -0.05, Hi: -0.01}
	c := &model.Comparison{
		Headline: "Throughput fell: " + hostile, Lead: hostile, Method: hostile, Noise: model.Noise{Between: 0.02, From: hostile},
		Base: []model.ComparedRun{{Name: hostile}}, New: []model.ComparedRun{{Name: "new"}},
		Waterfall: &model.Waterfall{Unit: "items/s", Base: 4, New: 3.8, Total: *iv, Cause: "target_service", Text: hostile},
	}
	k := &model.CheckResult{Status: model.Fail, Headline: "FAIL: " + hostile, Policy: "p.yaml", Source: "rules:\n```\n", Joined: []string{hostile}}
	for i := range n {
		name := fmt.Sprintf("%s %d", hostile, i)
		c.Metrics = append(c.Metrics, model.MetricChange{ID: "throughput", Label: name, Unit: "tok/s", Kind: "relative", Base: iv, New: iv, Change: iv, Q: new(0.01), Changed: true})
		c.Stacks = append(c.Stacks, model.StackChange{Role: "target", ID: name, Base: iv, New: iv, Change: iv, Changed: true})
		c.Waterfall.Parts = append(c.Waterfall.Parts, model.Part{ID: "target_service", Label: name, Ln: *iv})
		c.Notes = append(c.Notes, name)
		status := []string{model.Fail, model.Inconclusive, model.Pass}[i%3]
		o := model.RuleOutcome{Rule: "throughput.change", Name: name, Status: status, Text: hostile}
		if status == model.Inconclusive {
			o.Cause = "missing"
		}
		k.Rules = append(k.Rules, o)
	}
	r.Comparison, r.Check = c, k
	return r
}

// TestComparedForms: every form carries a check with a comparison, few or very many.
func TestComparedForms(t *testing.T) {
	for _, n := range []int{0, 1, 9, 3000} {
		r := compared(n)
		for _, form := range Renderers {
			if n > 9 && form == PDF {
				continue // hundreds of pages
			}
			if b := render(t, form, r); len(b) == 0 {
				t.Errorf("%s: nothing was written", form.Name)
			}
		}
		if b := render(t, Markdown, r); len(b) > 100<<10 || bytes.Contains(b, []byte("<script>")) {
			t.Errorf("summary of %d rules: %d bytes, or a script in it", n, len(b))
		}
		if b := render(t, HTML, r); bytes.Contains(b, []byte("<script>")) {
			t.Error("a script in the page")
		}
	}
}

// TestAnnotations: at most eight, errors first, one line each, a place only
// for files of the repository.
func TestAnnotations(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"train/pipeline.py", "train/metrics.py"} {
		os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777)
		os.WriteFile(filepath.Join(root, name), nil, 0o666)
	}
	for _, n := range []int{0, 3, 3000} {
		var b bytes.Buffer
		if err := Annotations(&b, compared(n), root); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) > 8 {
			t.Errorf("%d rules: %d annotations", n, len(lines))
		}
		for _, l := range lines {
			if l == "" && n == 0 {
				continue
			}
			if !strings.HasPrefix(l, "::error ") && !strings.HasPrefix(l, "::warning ") && !strings.HasPrefix(l, "::notice ") {
				t.Errorf("not a command: %q", l)
			}
			if strings.Contains(l, "file=") && !strings.Contains(l, "file=train/") {
				t.Errorf("a file outside of the repository: %q", l)
			}
		}
	}
	for file, want := range map[string]string{"train/pipeline.py": "train/pipeline.py", filepath.Join(root, "train/metrics.py"): "train/metrics.py", "../x.py": "", "/etc/passwd": "", "train": "", "torch/nn.py": ""} {
		if got := repositoryFile(root, file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// TestOutputs: no value breaks out of its line.
func TestOutputs(t *testing.T) {
	for _, l := range strings.Split(strings.TrimSuffix(Outputs(compared(3)), "\n"), "\n") {
		if name, _, ok := strings.Cut(l, "="); !ok || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
			t.Errorf("%q", l)
		}
	}
}

// TestJUnit holds the document against what junit-10.xsd and the schema of
// Ant's reports want: elements in their order, attributes that must be there.
func TestJUnit(t *testing.T) {
	b := render(t, JUnit, compared(9))
	var doc struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []struct {
			Attrs    []xml.Attr `xml:",any,attr"`
			Children []struct {
				XMLName xml.Name
				Attrs   []xml.Attr `xml:",any,attr"`
				Inner   []struct {
					XMLName xml.Name
					Attrs   []xml.Attr `xml:",any,attr"`
				} `xml:",any"`
			} `xml:",any"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b, &doc); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	suite := doc.Suites[0]
	names := func(list []xml.Attr) string {
		var s []string
		for _, a := range list {
			s = append(s, a.Name.Local)
		}
		return strings.Join(s, " ")
	}
	if got := names(suite.Attrs); got != "id package name tests failures errors skipped time timestamp hostname" {
		t.Errorf("attributes %s", got)
	}
	order, counts := "", map[string]int{}
	for _, c := range suite.Children {
		if !strings.HasSuffix(order, c.XMLName.Local+" ") {
			order += c.XMLName.Local + " "
		}
		if c.XMLName.Local == "testcase" && names(c.Attrs) != "name classname time" {
			t.Errorf("case with %s", names(c.Attrs))
		}
		for _, in := range c.Inner {
			counts[in.XMLName.Local]++
			if in.XMLName.Local == "failure" && names(in.Attrs) != "message type" {
				t.Errorf("failure with %s", names(in.Attrs))
			}
		}
	}
	if order != "properties testcase system-out system-err " || counts["failure"] != 3 || counts["skipped"] != 3 {
		t.Errorf("order %s, %v", order, counts)
	}
}

// TestSARIF: every result names a rule of the driver, a place in a file and a
// line from 1; nothing that is not valid UTF-8 or JSON comes out.
func TestSARIF(t *testing.T) {
	var log sarifLog
	if err := json.Unmarshal(render(t, SARIF, compared(9)), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) == 0 || len(run.Results) > maxResults || log.Version != "2.1.0" {
		t.Fatalf("%d results, version %s", len(run.Results), log.Version)
	}
	for _, x := range run.Results {
		p := x.Locations[0].Physical
		if run.Tool.Driver.Rules[x.RuleIndex].ID != x.RuleID || p.Artifact.URI == "" || p.Region.Line < 1 || x.Message.Text == "" {
			t.Errorf("%+v", x)
		}
	}
	if n := run.Invocations[0].Notes; len(n) != 7 || n[0].Level != "error" {
		t.Errorf("notifications %+v, want the headline and six rules", n)
	}
}
