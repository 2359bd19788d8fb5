package plots

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/reporttest"
	"tidemark/model"
)

var update = flag.Bool("update", false, "write the golden figures")

func svg(t *testing.T, r *model.Report, p *Plot) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSVG(&b, r, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func all() []*Plot { return slices.Concat(Plots, Compared) }

// TestGolden compares each figure of the story with its SVG; look at a changed
// one before it is kept. The timeline of the story is large: its first half minute
// is drawn instead.
func TestGolden(t *testing.T) {
	for _, p := range all() {
		t.Run(p.Name, func(t *testing.T) {
			r := reporttest.Story()
			switch {
			case p == Timeline:
				r = beginning(r, 120)
			case p == Difference:
				r = reporttest.Variants()["two"]
			case slices.Contains(Compared, p):
				r = reporttest.Variants()["compared"]
			}
			got, file := svg(t, r, p), filepath.Join("testdata", p.Name+".svg")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))); d != "" {
				t.Errorf("%s (-want +got)\n%.2000s", file, d)
			}
		})
	}
}

// beginning cuts a report's series to its first seconds.
func beginning(r *model.Report, seconds float64) *model.Report {
	r.Run.DurationS = seconds
	for i := range r.Series {
		s := &r.Series[i]
		n := 0
		for n < len(s.T) && s.T[n] < seconds {
			n++
		}
		s.T, s.Lo, s.Hi = s.T[:n], s.Lo[:n], s.Hi[:n]
	}
	return r
}

// TestTakeOver: the other side takes over where its room ends, as the badge
// says, not at the gain of the largest step; beyond the axis that is said too.
func TestTakeOver(t *testing.T) {
	r := reporttest.Variants()["full"]
	for i := range r.WhatIf {
		r.WhatIf[i].Coupled, r.WhatIf[i].Range = true, "coupled: both sides need the same GPU"
	}
	r.WhatIf = append(r.WhatIf, model.WhatIf{Change: "drafters 50 % faster", Kind: "speed", NextLimit: model.Target, Coupled: true, Gain: &model.Interval{Lo: -.3, Mid: .35, Hi: .5}})
	b := svg(t, r, WhatIf)
	for _, want := range []string{"targets take over at +89 % (80–95)", "+35 % (−30 to +50)", ">Hollow: coupled: both sides need the same GPU.<"} {
		if n := bytes.Count(b, []byte(want)); n != 1 {
			t.Errorf("%q stands %d times, want once", want, n)
		}
	}
}

func TestJudged(t *testing.T) {
	for _, c := range []struct {
		s    model.Steady
		want string
	}{
		{model.Steady{Found: true, FromS: 5, ToS: 90}, "the steady state"},
		{model.Steady{FromS: 0, ToS: 99.5}, "the whole run"},
		{model.Steady{FromS: 18, ToS: 52}, "0:18 – 0:52"},
		{model.Steady{}, "the whole run"},
	} {
		if got := Judged(&model.Report{Steady: c.s, Run: model.RunInfo{DurationS: 100}}); got != c.want {
			t.Errorf("%+v: %q, want %q", c.s, got, c.want)
		}
	}
}

// TestNothing: every figure of an empty report says what is missing.
func TestNothing(t *testing.T) {
	for _, p := range all() {
		if b := svg(t, &model.Report{}, p); p != Verdict && !bytes.Contains(b, []byte("not recorded")) && !bytes.Contains(b, []byte("no ")) {
			t.Errorf("%s: says nothing of what is missing", p.Name)
		}
	}
}

func TestPNG(t *testing.T) {
	var b bytes.Buffer
	if err := WritePNG(&b, reporttest.Story(), Probability); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(b.Bytes(), []byte("\x89PNG")) {
		t.Errorf("no PNG: % x", b.Bytes()[:8])
	}
}

func TestStep125(t *testing.T) {
	for _, c := range []struct {
		span float64
		n    int
		want float64
	}{{60, 4, 20}, {1, 5, 0.2}, {7, 4, 2}, {0.42, 5, 0.1}, {4600, 5, 1000}, {0, 4, 1}, {math.Inf(1), 4, 1}, {math.NaN(), 4, 1}} {
		if got := step125(c.span, c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("step125(%v, %d) = %v, want %v", c.span, c.n, got, c.want)
		}
	}
}

func TestTimeTicks(t *testing.T) {
	for _, c := range []struct {
		name, start string
		seconds     float64
		first, last string
		n           int
	}{
		{"quarter-hour", "2026-05-07T21:27:51Z", 900, "21:28", "21:42", 8},
		{"half-minute", "2026-05-07T21:27:51Z", 30, "21:27:55", "21:28:20", 6},
		{"ten-hours", "2026-05-07T21:27:51Z", 36000, "22:00", "06:00", 5},
		{"three-days", "2026-05-07T21:27:51Z", 3 * 86400, "05-08", "12:00", 6},
		{"no-start", "", 900, "0:00", "14:00", 8},
	} {
		r := &model.Report{Run: model.RunInfo{Start: c.start, DurationS: c.seconds}}
		ticks := axisOf(r, 0, 100).Ticks(0, c.seconds)
		if len(ticks) != c.n || ticks[0].Label != c.first || ticks[len(ticks)-1].Label != c.last {
			t.Errorf("%s: %v, want %d from %s to %s", c.name, ticks, c.n, c.first, c.last)
		}
	}
}

func TestGapsStayGaps(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	s := &model.Series{T: []float64{0, 1, 2, 3, 10, 11}, Lo: []*float64{v(1), v(1), nil, v(2), v(3), v(3)}, Hi: []*float64{v(1), v(1), nil, v(2), v(3), v(3)}}
	want := []cell{{0, 1, 1, 1}, {1, 2, 1, 1}, {3, 4, 2, 2}, {10, 11, 3, 3}, {11, 12, 3, 3}}
	if d := cmp.Diff(want, cells(s), cmp.AllowUnexported(cell{})); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestZones(t *testing.T) {
	q := model.QueueInfo{Capacity: new(60.0), MinReady: new(10.0)}
	var got [][2]float64
	for _, z := range zonesOf(q) {
		got = append(got, [2]float64{z.lo, z.hi})
	}
	if d := cmp.Diff([][2]float64{{55, 60}, {15, 55}, {5, 15}, {0, 5}}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestWrapAndFit(t *testing.T) {
	f := newFonts()
	for _, w := range []float64{3, 12, 40} {
		for _, s := range []string{"", "a", "one two three four five six", "averyveryverylongwordwithoutanyspace and more", "Wörter und Zahlen – 18.7 %"} {
			if got := f.fit(type8, s, w); f.width(type8, got) > w {
				t.Errorf("fit(%q, %v) = %q is wider", s, w, got)
			}
			lines := f.wrap(type8, s, w, 3)
			if len(lines) > 3 {
				t.Errorf("wrap(%q, %v): %d lines", s, w, len(lines))
			}
			for _, l := range lines {
				if f.width(type8, l) > w {
					t.Errorf("wrap(%q, %v): %q is wider", s, w, l)
				}
			}
		}
	}
}

// TestHeatOrder: more activity is never paler.
func TestHeatOrder(t *testing.T) {
	last := math.Inf(1)
	for i := range heatLevels + 1 {
		c := heat(i)
		l := 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
		if l > last {
			t.Errorf("level %d is paler than the one below", i)
		}
		last = l
	}
}

// TestManyPoints: a series as long as the contract allows draws fast.
func TestManyPoints(t *testing.T) {
	r := &model.Report{Run: model.RunInfo{DurationS: 36000}}
	for k := range 40 {
		s := model.Series{Name: "gpu." + string(rune('a'+k)), Side: model.Target, Unit: "ratio"}
		for i := range 2000 {
			v := math.Mod(float64(i*i%97)/97, 1)
			s.T, s.Lo, s.Hi = append(s.T, 18*float64(i)), append(s.Lo, &v), append(s.Hi, &v)
		}
		r.Series = append(r.Series, s)
	}
	start := time.Now()
	svg(t, r, Timeline)
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("40 series of 2,000 points took %v", d)
	}
}

func TestNamespaces(t *testing.T) {
	for name, want := range map[string]string{
		"c10::cuda::Allocator::malloc":              "malloc",
		"torch::utils::(anonymous namespace)::make": "make",
		"at::native::add<at::Tensor>(at::Tensor)":   "add<at::Tensor>(at::Tensor)",
		"forward": "forward",
	} {
		got := name
		for rest, ok := withoutNamespace(got); ok; rest, ok = withoutNamespace(got) {
			got = rest
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
