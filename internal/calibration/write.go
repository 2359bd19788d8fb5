package calibration

import (
	"fmt"
	"io"
	"math"
	"strings"

	"tidemark/model"
)

// A Document is what docs/calibration.md holds.
type Document struct {
	Outcomes []Outcome
	Diagram  string // file name of the picture beside it
}

// Write writes the document as Markdown.
func (d Document) Write(w io.Writer) error {
	s := Score(d.Outcomes)
	b := &strings.Builder{}
	fmt.Fprintf(b, "# Calibration\n\nWritten by `make calibrate`: %d simulated runs ([`internal/queuesim`](../internal/queuesim)), seeds %d to %d (those to 1000 are for tuning), their evidence drawn by seed, "+
		"analysed as if read from files. The truth of each run is simulated again with one side faster (30,000 items, four replicas, common random numbers; "+
		"standard error of an elasticity %.3f at the median, %.3f at the 95th percentile). CI repeats a part of it. Comparisons of runs are calibrated on [a page of their own](calibration-compare.md).\n\n", s.Runs, d.Outcomes[0].Case.Seed, d.Outcomes[len(d.Outcomes)-1].Case.Seed, d.quantile(0.5), d.quantile(0.95))
	d.figures(b, s)
	d.unseen(b, s)
	d.reliability(b, s)
	for _, g := range Groupings {
		d.group(b, g)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// quantile is over the larger standard error of each truth.
func (d Document) quantile(q float64) float64 {
	var v []float64
	for _, o := range d.Outcomes {
		v = append(v, max(o.Truth.SE[0], o.Truth.SE[1]))
	}
	return quantile(v, q)
}

func (d Document) figures(b *strings.Builder, s *Summary) {
	fmt.Fprint(b, "| figure | reached | wanted |\n|---|---|---|\n")
	for _, r := range []struct{ name, got, want string }{
		{"Brier score over target, drafter, both, upstream", number(s.Brier.Value()), "at most 0.10"},
		{"expected calibration error", number(s.Error()), "at most 0.04"},
		{"wrong with a probability over 0.9, of all runs", s.Confident.String(), "at most 1 %"},
		{"decisive runs right", s.Decisive.String(), "at least 95 %"},
		{"the same without `upstream` runs in which nothing shows what the targets do", s.Seen.String(), ""},
		{"clear runs right (elasticities over 0.8 and under 0.2)", s.Clear.String(), "at least 99 %"},
		{"runs of `both` called decisive", s.Hedge.String(), "at most 25 %"},
		{"target said for drafter, or the reverse", s.Swap.String(), "at most 0.5 %"},
		{"upstream called upstream", s.Upstream.String(), ""},
		{"queue class right, over the time that the report is about", s.Class.String(), "at least 98 %"},
		{"queue class right, over the last 70 % of the run", s.Late.String(), ""},
		{"busy share: mean error", number(s.BusyError.Value()), "at most 0.02"},
		{"busy share of the run in its 95 % interval", s.Busy.String(), "92-98 %"},
		{"busy share of a long run in it", s.LongBusy.String(), ""},
		{"capacity in its 95 % interval", s.Capacity.String(), "92-98 %"},
		{"headroom in its 95 % interval", s.Headroom.String(), "92-98 %"},
		{"what-if within 3 points of re-simulation", s.WhatIf.String(), ""},
		{"what-if of batch gates within 6 points", s.Batch.String(), ""},
		{"what-if: mean error", number(s.WhatIfError.Value()), "at most 0.03"},
	} {
		fmt.Fprintf(b, "| %s | %s | %s |\n", r.name, r.got, r.want)
	}
}

// unseen says what the runs cost in which nothing shows what the targets do.
func (d Document) unseen(b *strings.Builder, s *Summary) {
	n := map[string]float64{}
	for _, o := range d.Outcomes {
		if !o.Case.Evidence.SeesTargets() {
			n[o.Truth.Side]++
		}
	}
	t, u := n[model.Target], n[model.Upstream]
	most := Rate{s.Decisive.Of - int(min(t, u)), s.Decisive.Of}
	fmt.Fprintf(b, "\nIn %.0f runs the targets limit, or prompts do (%.0f), and nothing shows what the targets do: to the queue and all behind it, both are items that come late. "+
		"The best that can be said of them is how often each is so, which costs %.3f of the Brier score; and of the decisive runs %s could be right at most.\n", t+u, u, 2*t*u/max(t+u, 1)/float64(s.Runs), most)
}

func number(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.3f", v)
}

func (d Document) reliability(b *strings.Builder, s *Summary) {
	fmt.Fprintf(b, "\n## Reliability\n\n![reliability diagram](%s)\n\nRuns by the probability of the side that is most probable, and how often that side is the truth.\n\n| said | came true | runs |\n|---|---|---|\n", d.Diagram)
	for _, bin := range s.Bins {
		if bin.Said.N > 0 {
			fmt.Fprintf(b, "| %.2f | %.2f | %d |\n", bin.Said.Value(), bin.Right.Share(), bin.Said.N)
		}
	}
}

func (d Document) group(b *strings.Builder, g Grouping) {
	fmt.Fprintf(b, "\n## By %s\n\n| %s | runs | Brier | calibration error | decisive right | `both` called decisive | wrong over 0.9 | busy error | busy held | capacity held | headroom held | what-if within 3 (6) |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n", g.Name, g.Name)
	for _, x := range g.By(d.Outcomes) {
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", strings.TrimSpace(x.Key), x.Runs, number(x.Brier.Value()), number(x.Error()),
			x.Decisive, x.Hedge, x.Confident, number(x.BusyError.Value()), x.Busy, x.Capacity, x.Headroom, both(x.WhatIf, x.Batch))
	}
}

func both(a, b Rate) Rate { return Rate{a.Yes + b.Yes, a.Of + b.Of} }
