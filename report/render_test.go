package report

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/reporttest"
	"tidemark/model"
)

func render(t *testing.T, r *Renderer, rep *model.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.Render(&b, rep); err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	return b.Bytes()
}

// TestRenderers: every renderer carries every variant, gives the same bytes
// twice, and the same bytes again from the report's own JSON.
func TestRenderers(t *testing.T) {
	for name, rep := range reporttest.Variants() {
		t.Run(name, func(t *testing.T) {
			again, err := Decode(bytes.NewReader(render(t, JSON, rep)))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range Renderers {
				first := render(t, r, rep)
				if len(first) == 0 {
					t.Errorf("%s: nothing was written", r.Name)
				}
				if !bytes.Equal(first, render(t, r, rep)) {
					t.Errorf("%s: other bytes the second time", r.Name)
				}
				if name != "hostile" && !bytes.Equal(first, render(t, r, again)) { // invalid UTF-8 does not survive JSON
					t.Errorf("%s: render(decode(encode(report))) differs from render(report)", r.Name)
				}
			}
		})
	}
}

// TestLinks: the page links only to what stands in it.
func TestLinks(t *testing.T) {
	all := reporttest.Variants()
	all["check"] = compared(3)
	for name, rep := range all {
		b := render(t, HTML, rep)
		for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllSubmatch(b, -1) {
			if !bytes.Contains(b, []byte(`id="`+string(m[1])+`"`)) {
				t.Errorf("%s: a link to #%s, which is not there", name, m[1])
			}
		}
		if rep.Kind != "profile" && !bytes.Contains(b, []byte(`href="#inputs"`)) {
			t.Errorf("%s: no link to the inputs", name)
		}
	}
}

// TestReportUnchanged: drawing does not write into the report.
func TestReportUnchanged(t *testing.T) {
	r := reporttest.Story()
	for _, x := range Renderers {
		render(t, x, r)
	}
	if d := cmp.Diff(reporttest.Story(), r); d != "" {
		t.Errorf("(-before +after)\n%s", d)
	}
}

func TestRoundTrip(t *testing.T) {
	want := reporttest.Story()
	got, err := Decode(bytes.NewReader(render(t, JSON, want)))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestJSONRefusesNaN(t *testing.T) {
	r := reporttest.Story()
	r.Series[0].Lo[3] = new(math.NaN())
	err := JSON.Render(&bytes.Buffer{}, r)
	if err == nil || !strings.Contains(err.Error(), "report.series[0].lo[3]") {
		t.Errorf("got %v, want an error that names report.series[0].lo[3]", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, in := range map[string]string{"not-json": "x", "other-schema": `{"schema":"y"}`, "empty": ""} {
		if _, err := Decode(strings.NewReader(in)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestIndent(t *testing.T) {
	in := `{"a":[1,2,{"b":"x,{\"y"}],"c":{},"d":[],"e":[[1,2],[3]],"f":{"lo":1,"hi":2}}`
	want := "{\n \"a\": [\n  1,\n  2,\n  {\"b\":\"x,{\\\"y\"}\n ],\n \"c\": {},\n \"d\": [],\n \"e\": [\n  [1,2],\n  [3]\n ],\n \"f\": {\"lo\":1,\"hi\":2}\n}"
	var got indented
	if _, err := got.Write([]byte(in)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(bytes.Join(got.blocks, nil))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// TestJSONIsThatOfTheEncoder: fields that are encoded apart make the document that
// they make together.
func TestJSONIsThatOfTheEncoder(t *testing.T) {
	for name, r := range reporttest.Variants() {
		var want, got bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&got, render(t, JSON, r)); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(strings.TrimSuffix(want.String(), "\n"), got.String()); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}

// TestPages: the number of pages, and the outline.
func TestPages(t *testing.T) {
	for name, want := range map[string]int{"story": 5, "empty": 5, "profile": 2, "gpu40": 5, "compared": 2, "two": 2} {
		pdf := render(t, PDF, reporttest.Variants()[name])
		if got := bytes.Count(pdf, []byte("/Type /Page\n")); got != want {
			t.Errorf("%s: %d pages, want %d", name, got, want)
		}
	}
}

func BenchmarkPDF(b *testing.B) {
	r := reporttest.Story()
	b.ReportAllocs()
	for b.Loop() {
		var w bytes.Buffer
		if err := PDF.Render(&w, r); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(w.Len()))
	}
}

// TestMarkdownRun: a run's summary has its probabilities, both sides, and each
// step with its number, place and gain.
func TestMarkdownRun(t *testing.T) {
	b := string(render(t, Markdown, reporttest.Story()))
	for _, w := range []string{"P: target 0.99, unknown 0.01;", "| busy | 100 % | 81.3 % |", "| room | none | +23 % (22–24) |", "(train/metrics.py:41 syncs the stream · 11.5 %): **up to +13 %**", "- still open: ", "`py-spy record --gil --rate 20 -d 60 -f raw -o gil.txt -p PID`"} {
		if !strings.Contains(b, w) {
			t.Errorf("no %q in\n%s", w, b)
		}
	}
	two := string(render(t, Markdown, reporttest.Variants()["two"]))
	if w := `| Kernel launch | 35 % | 33 % | \~−2.0 |  | 2.84 | 2.60 | −8.0 % |`; !strings.Contains(two, w) {
		t.Errorf("no %q in\n%s", w, two)
	}
}
