package bench

import (
	"fmt"
	"io"
	"strings"
	"time"

	"tidemark/internal/stats"
	"tidemark/model"
)

// A Document is what docs/benchmarks.md holds.
type Document struct {
	Machine string
	Config  Config
	Results []Result
}

// Write writes the document as Markdown.
func (d Document) Write(w io.Writer) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "# Benchmarks\n\nWritten by `make bench SIZE=%d` on %s. The machine may have had other work: ratios are formed between processes of one round and say more than times do.\n\n", d.Config.Size/1e6, d.Machine)
	d.throughput(b)
	d.scaling(b)
	d.memory(b)
	fmt.Fprintf(b, `
## How it is measured

The input is the directory of one run that [`+"`internal/benchdata`"+`](../internal/benchdata) writes, the same bytes every time; a report that does not cover all of them, rejects a line, or does not say that the targets limit, ends the
measurement. Whole processes are timed, start included, with files in the page cache and output to files. Each of %d rounds runs every command of an input once, every second round in the opposite order; figures are medians over rounds.
One core: the process may run on one processor only. CPU: user and system time of all threads. Peak: the largest resident set (`+"`wait4`"+`); both of the runs on all cores.
The peers are simple programs on Go's standard library ([`+"`internal/bench/peers`"+`](../internal/bench/peers)): they give sums; `+"`analyze`"+` gives a report, and the SHA-256 of every input. `+"`go test`"+` repeats this with a few MB, for what the commands say and not for their times.
`, d.Config.Rounds)
	_, err := io.WriteString(w, b.String())
	return err
}

func (d Document) throughput(b *strings.Builder) {
	fmt.Fprint(b, "## Throughput\n\nFaster: time of the peer / time of `analyze`. CPU ×: the same of CPU time, which other work on the machine disturbs least.\n\n| input | MB | program | one core, MB/s | all cores, MB/s | CPU, s | peak, MB | faster, one core | faster, all cores | CPU × |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range d.Results {
		fmt.Fprintf(b, "| %s | %.1f | **`analyze %s`** | %s | | | |\n", r.name(), mb(r.Ours.Bytes), r.Command, speeds(r.Ours))
		for i, p := range r.Peers {
			fmt.Fprintf(b, "| | | %s | %s | %.1f | %.1f | %.1f |\n", r.Case.Peers[i].Doc, speeds(p), ratio(p.One, r.Ours.One, wall), ratio(p.All, r.Ours.All, wall), ratio(p.All, r.Ours.All, cpu))
		}
	}
}

func (d Document) scaling(b *strings.Builder) {
	fmt.Fprintf(b, "\n## Scaling\n\n`analyze` with %d times the bytes, all cores. Wanted: at most %d times the time.\n\n| input | MB | bytes × | time × | CPU × | peak, MB |\n|---|---|---|---|---|---|\n", Steps, Steps+1)
	for _, r := range d.Results {
		fmt.Fprintf(b, "| %s | %.1f → %.1f | %.1f | %.1f | %.1f | %.0f → %.0f |\n", r.name(), mb(r.Small.Bytes), mb(r.Ours.Bytes), float64(r.Ours.Bytes)/float64(r.Small.Bytes),
			ratio(r.Ours.All, r.Small.All, wall), ratio(r.Ours.All, r.Small.All, cpu), median(r.Small.All, peaks), median(r.Ours.All, peaks))
	}
}

func (d Document) memory(b *strings.Builder) {
	fmt.Fprintf(b, "\n## Memory\n\nOne file alone and one of %d times its size. Wanted: no more memory. A number in a log is a row of the table `metrics`: %.0f million of one log are held at most, those of its parts in work beside them. Of a large trace some %.0f million events are, 24 bytes each, and what waits for those to come.\n\n| input | MB | MB/s | peak, MB | time × |\n|---|---|---|---|---|\n", Tripling, float64(model.MaxLogRows)/1e6, float64(model.MaxTraceSpans)/1e6)
	for _, r := range d.Results {
		if r.Tripled {
			x, y := r.Memory[0], r.Memory[1]
			fmt.Fprintf(b, "| %s | %.0f → %.0f | %.0f → %.0f | %.0f → %.0f | %.1f |\n", r.name(), mb(x.Bytes), mb(y.Bytes), mb(x.Bytes)/median(x.All, wall), mb(y.Bytes)/median(y.All, wall),
				median(x.All, peaks), median(y.All, peaks), ratio(y.All, x.All, wall))
		}
	}
}

func speeds(f Figure) string {
	return fmt.Sprintf("%.0f | %.0f | %.2f | %.0f", mb(f.Bytes)/median(f.One, wall), mb(f.Bytes)/median(f.All, wall), median(f.All, cpu), median(f.All, peaks))
}

func mb(n int64) float64 { return float64(n) / 1e6 }

func wall(u Usage) float64  { return float64(u.Wall) / float64(time.Second) }
func cpu(u Usage) float64   { return float64(u.CPU) / float64(time.Second) }
func peaks(u Usage) float64 { return mb(u.Peak) }

func median(p *Process, of func(Usage) float64) float64 {
	v := make([]float64, len(p.Used))
	for i, u := range p.Used {
		v[i] = of(u)
	}
	return stats.Median(v)
}

// ratio is the median over rounds of p's figure to q's.
func ratio(p, q *Process, of func(Usage) float64) float64 {
	v := make([]float64, len(p.Used))
	for i, u := range p.Used {
		v[i] = of(u) / of(q.Used[i])
	}
	return stats.Median(v)
}
