package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"tidemark/internal/reporttest"
	"tidemark/model"
)

// profiles are reports of stacks alone: the variants as such, and a difference.
func profiles() map[string]*model.Report {
	m := map[string]*model.Report{}
	for name, r := range reporttest.Variants() {
		p := *r
		p.Kind = "profile"
		m[name] = withCode(p)
	}
	d := withCode(*reporttest.Variants()["profile"])
	for i := range d.Flames {
		d.Flames[i].Nodes = append([]model.FlameNode{}, d.Flames[i].Nodes...)
		for k := range d.Flames[i].Nodes {
			d.Flames[i].Nodes[k].Value2 = new(d.Flames[i].Nodes[k].Value / 2)
		}
	}
	d.CPU.Diff = &model.ProfileDiff{
		Base: model.DiffSide{Name: "base.txt", Samples: 10, Cores: new(1.5)}, New: model.DiffSide{Name: "new.txt", Samples: 20},
		Measure: "share", Misleads: "rate or length is not known for both.",
	}
	for range 50 {
		d.CPU.Diff.Rows = append(d.CPU.Diff.Rows, model.DiffRow{Kind: "function", ID: "f", Label: strings.Repeat("a_long_name", 9), Points: -0.3, BaseCores: new(0.5), Change: new(-0.25)})
	}
	m["difference"] = d
	return m
}

// withCode adds the lists that reports of runs do not show.
func withCode(r model.Report) *model.Report {
	if r.CPU == nil {
		return &r
	}
	c := *r.CPU
	c.All = &model.RoleCPU{Samples: 1000}
	for i := range 25 {
		c.All.Functions = append(c.All.Functions, model.CodeUse{
			Function: strings.Repeat("long_name_", 1+i), File: "torch/nn/" + strings.Repeat("deep/", i) + "module.py", Line: 1700 + i,
			Self: float64(200 - i), Total: float64(500 - i), Mechanism: "python.unresolved_builtin_line",
		})
	}
	r.CPU = &c
	return &r
}

// TestProfileScreen: the terminal report of a profile fits one screen.
func TestProfileScreen(t *testing.T) {
	for name, r := range profiles() {
		text := string(render(t, TextRenderer, r))
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > textLines {
			t.Errorf("%s: %d lines, want at most %d", name, len(lines), textLines)
		}
		for _, l := range lines {
			if width(l) > textColumns {
				t.Errorf("%s: %d columns, want at most %d: %s", name, width(l), textColumns, l)
			}
		}
	}
}

// TestProfileDoubts: that lines of a capture were rejected is said however much
// there is to say of captures.
func TestProfileDoubts(t *testing.T) {
	r := withCode(*reporttest.Variants()["profile"])
	r.Kind = "profile"
	c := *r.CPU
	c.Capture = &model.CaptureInfo{Quality: "poor"}
	for range 20 {
		c.Capture.Limits = append(c.Capture.Limits, strings.Repeat("long ", 20))
	}
	r.CPU = &c
	r.Inputs = []model.Input{{Path: "stacks.txt", Format: "py-spy-raw", Lines: 9, Claimed: 7, Rejected: 2, Rows: 7}}
	if text := string(render(t, TextRenderer, r)); !strings.Contains(text, "! stacks.txt: 2 of 9 lines rejected") {
		t.Errorf("no word of the rejected lines:\n%s", text)
	}
}

// TestFlameSVG: the drawing is XML, its titles hold every frame's share, and
// boxes lie within their parents.
func TestFlameSVG(t *testing.T) {
	for name, r := range profiles() {
		data := render(t, SVG, r)
		d := xml.NewDecoder(bytes.NewReader(data))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		c := chartOf(r)
		if c == nil {
			continue
		}
		if n := bytes.Count(data, []byte("<title>")); n != len(c.boxes) {
			t.Errorf("%s: %d titles for %d boxes", name, n, len(c.boxes))
		}
		for i, b := range c.boxes {
			if b.parent >= i || b.parent < 0 && i > 0 {
				t.Fatalf("%s: box %d has parent %d", name, i, b.parent)
			}
			if p := max(b.parent, 0); b.x < c.boxes[p].x-1e-9 || b.x+b.w > c.boxes[p].x+c.boxes[p].w+1e-6 {
				t.Errorf("%s: box %d (%s) sticks out of its parent", name, i, b.name)
			}
		}
	}
}

var outside = regexp.MustCompile(`(src|href)=|url\(["']?http|@import`)

// TestFlamePage: the page asks nothing of a network, escapes names, and shows
// its tables without a script.
func TestFlamePage(t *testing.T) {
	for name, r := range profiles() {
		var b bytes.Buffer
		if err := FlamePage(&b, r); err != nil {
			t.Fatal(err)
		}
		static, _, _ := strings.Cut(b.String(), "<script>")
		if m := outside.FindString(b.String()); m != "" {
			t.Errorf("%s: %q, want nothing from elsewhere", name, m)
		}
		if r.CPU != nil && r.CPU.All != nil && !strings.Contains(static, "long_name_") {
			t.Errorf("%s: no table of frames before the script", name)
		}
		if strings.Contains(static, "<script") || strings.Count(b.String(), "<script>") != 1 {
			t.Errorf("%s: more than one script", name)
		}
	}
}
