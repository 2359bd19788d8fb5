package report

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"tidemark/internal/reporttest"
	"tidemark/model"
)

// shows matches a string that a page shows, in UTF-16 with PDF's escapes.
var shows = regexp.MustCompile(`(?s)\(((?:[^()\\]|\\.)*)\) ?Tj`)

// pageTexts returns the strings of each page, in the order they were written.
func pageTexts(t *testing.T, pdf []byte) []string {
	t.Helper()
	var pages []string
	for rest := pdf; ; {
		_, after, ok := bytes.Cut(rest, []byte("stream\n"))
		if !ok {
			return pages
		}
		z, err := zlib.NewReader(bytes.NewReader(after))
		if err == nil {
			body, _ := io.ReadAll(z)
			if m := shows.FindAllSubmatch(body, -1); m != nil {
				pages = append(pages, join(m))
			}
		}
		_, rest, _ = bytes.Cut(after, []byte("endstream"))
	}
}

func join(matches [][][]byte) string {
	var b strings.Builder
	for _, m := range matches {
		raw := unescape(m[1])
		var u []uint16
		for i := 0; i+1 < len(raw); i += 2 {
			u = append(u, uint16(raw[i])<<8|uint16(raw[i+1]))
		}
		b.WriteString(string(utf16.Decode(u)) + "\n")
	}
	return b.String()
}

func unescape(s []byte) []byte {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == 'r' {
				out = append(out, '\r')
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

// TestPageWords: what each page must say of the story, number by number.
func TestPageWords(t *testing.T) {
	pages := pageTexts(t, render(t, PDF, reporttest.Story()))
	if len(pages) != 5 {
		t.Fatalf("%d pages with text, want 5", len(pages))
	}
	for i, words := range [][]string{
		{"Targets limit throughput.", "target  0.99", "busy 81 %", "gate wait 18.7 % (17.7–19.6) of drafter time", "high-water 14.5K", "drafters take over at +23 %", "py-spy record --gil --rate 20 -d 60 -f raw -o gil.txt -p PID", "1 / 5"},
		{"Steady from 0:10 to the end: the targets set the pace.", "21:28", "GPU 7", "tid 4252", "at watermark", "60 s mean", "45 s wide, somewhere in here: start not stamped"},
		{"(balanced).", "min_ready 10", "95 % of the time there or one below", "gate"},
		{"Target threads spend 41 % (40–42) of their time launching kernels.", "cuLaunchKernelEx  (libcuda.so.1)", "Capture quality: fair"},
		{"7 inputs read; 1 of 4 checks failed.", "queue.csv", "drift +3.6 % (0.2–7.1) over the run", "5 / 5"},
	} {
		for _, w := range words {
			if !strings.Contains(pages[i], w) {
				t.Errorf("page %d does not say %q:\n%s", i+1, w, pages[i])
			}
		}
	}
}

// TestCertainty: no page says a verdict more surely than the headline.
func TestCertainty(t *testing.T) {
	r := reporttest.Story()
	r.Limiter.Strength, r.Steady.Found = "leans", false
	pages := pageTexts(t, render(t, PDF, r))
	for i, w := range []string{"leans", "the verdict rests on 0:10 – 15:00.", "it leans to the targets limiting throughput."} {
		if !strings.Contains(strings.ReplaceAll(pages[i], "\n", " "), w) {
			t.Errorf("page %d does not say %q:\n%s", i+1, w, pages[i])
		}
	}
	for i, p := range pages {
		for _, w := range []string{"the targets set the pace", "It is the targets", "the steady state’s time"} {
			if strings.Contains(p, w) {
				t.Errorf("page %d says %q", i+1, w)
			}
		}
	}
}

// TestMissingIsSaid: a side without any source keeps its place and its words.
func TestMissingIsSaid(t *testing.T) {
	pages := pageTexts(t, render(t, PDF, reporttest.Variants()["unknown"]))
	for i, w := range []string{"busy share not recorded", "not recorded", "The depth of the queue was not recorded."} {
		if !strings.Contains(pages[i], w) {
			t.Errorf("page %d does not say %q", i+1, w)
		}
	}
}

// TestComparisonPage: changes, parts, stacks and history stand in the PDF and
// the picture, and the new run's verdict does not.
func TestComparisonPage(t *testing.T) {
	r := reporttest.Variants()["compared"]
	page, picture := pageTexts(t, render(t, PDF, r))[0], string(render(t, SVG, r))
	for _, w := range []string{"Throughput fell: −5.8 % (−7.2 to −4.4), for an item costs the targets more.", "change, 95 %", "step −5.8 % at nightly-9", "gpu.sync_scalar_read", "drafters wait at the gate", "+9.0 (+7.0 to +11.0)", "0.13 → 0.26"} {
		if !strings.Contains(page, w) {
			t.Errorf("the page does not say %q:\n%s", w, page)
		}
		if !strings.Contains(picture, w) {
			t.Errorf("the picture does not say %q", w)
		}
	}
	if strings.Contains(picture, "Limiter") {
		t.Error("the picture shows the new run's verdict")
	}
}

// TestDifferencePage: two captures have their difference on the first page.
func TestDifferencePage(t *testing.T) {
	pages := pageTexts(t, render(t, PDF, reporttest.Variants()["two"]))
	for _, w := range []string{"Synchronise grew from 11 % to 20 % of active samples.", "Read the column share:", "+9.0", "+76 %"} {
		if !strings.Contains(pages[0], w) {
			t.Errorf("no %q on the first page:\n%s", w, pages[0])
		}
	}
}

// TestBestStep: the step with the largest gain stands on the first page,
// whatever is before it, and what has no room there on the last.
func TestBestStep(t *testing.T) {
	r := reporttest.Story()
	r.Next = nil
	for i := range 9 {
		r.Next = append(r.Next, model.Step{Kind: "experiment", Text: fmt.Sprintf("Try %d.", i+1), Gain: &model.Interval{Hi: 0.01 * float64(i+1)}})
	}
	pages := pageTexts(t, render(t, PDF, r))
	if last := pages[len(pages)-1]; !strings.Contains(pages[0], "Try 9.") || strings.Contains(pages[0], "Try 8.") || !strings.Contains(last, "8  experiment") {
		t.Errorf("first page:\n%s\nlast page:\n%s", pages[0], last)
	}
}
