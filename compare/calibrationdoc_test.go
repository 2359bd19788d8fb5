package compare_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

const introduction = `# Calibration of comparisons

Written by ` + "`make calibrate`" + `: %d simulated pairs a row, from seed %d on, on which nothing was tuned. ` + "`go test`" + ` repeats a part of it.

A pair fails where the default policy's upper bound of the throughput change lies under -0.5 %%, passes where a drop of 8 %% is excluded, and is inconclusive otherwise: smaller drops are below what this data can show.
Changed is a pair in which any metric, or any mechanism's share of the stacks, is called so.

Promised: at speed 1.00 at most 2 %% fail and 5 %% are called changed; 0.92 is called in 90 %% and 0.95 in 60 %% with 5 against 3 runs, 0.90 in 75 %% with 1 against 1. In brackets, what the share of failures may be at most, at 95 %%.
`

const ofRuns = `
## Whole runs

Both sides are runs of ten minutes of the queue simulator (` + "`internal/queuesim`" + `), with the recordings of a drawn subset of sources, analysed as if read from files. A pair has one pipeline: who limits, rates, scatter of services (0.1 to 0.6 of the mean) and of lengths (up to 0.3), size of the queue.
Each side's speed wanders by up to 4 % with a correlation of 5 to 60 s; runs differ by up to 2 % (standard deviation) and each drifts by up to 3 %; half of the pipelines pause for 8 to 25 s every 120 to 300 s. Without a change any side may limit; where the targets are slower, they do.
`

const ofBlocks = `
## Blocks

Runs drawn as 30 blocks of 20 s: lag-1 correlation 0 to 0.8, noise of a block 1 to 5 %, drift up to 3 %, scatter between runs 0 to 2 %, up to four pauses.
`

const ofCauses = `
## Causes

Three such runs against three, with queue counters, log and GPU readings. Named is the part of the waterfall that is called the cause. Its parts add up to the change of items/s within its interval in %d of %d.

| change | named right | said otherwise |
|---|---|---|
`

func document(t *testing.T, s study, blocks, runs table, named []namedCause) {
	var b strings.Builder
	fmt.Fprintf(&b, introduction, s.runs, s.first)
	b.WriteString(ofRuns)
	rows(&b, runs)
	b.WriteString(ofBlocks)
	rows(&b, blocks)
	adds, all := 0, 0
	for _, c := range named {
		adds, all = adds+c.adds, all+c.n
	}
	fmt.Fprintf(&b, ofCauses, adds, all)
	for _, c := range named {
		var others []string
		for _, said := range slices.Sorted(maps.Keys(c.said)) {
			if said != c.want {
				others = append(others, fmt.Sprintf("%s %d", said, c.said[said]))
			}
		}
		fmt.Fprintf(&b, "| %s | %d of %d | %s |\n", c.name, c.right, c.n, strings.Join(others, ", "))
	}
	if err := os.WriteFile("../docs/calibration-compare.md", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

func rows(b *strings.Builder, list table) {
	fmt.Fprint(b, "\n| base, new runs | true speed | fail | inconclusive | pass | changed |\n|---|---|---|---|---|---|\n")
	for _, size := range sizes {
		for _, speed := range speeds {
			c, ok := list[size][speed]
			if !ok {
				continue
			}
			most := ""
			if speed == 1 {
				most = fmt.Sprintf(" (%.1f)", 100*adverse(c.fail, c.n))
			}
			fmt.Fprintf(b, "| %d, %d | %.2f | %.1f %%%s | %.1f %% | %.1f %% | %.1f %% |\n", size[0], size[1], speed, 100*c.share(c.fail), most, 100*c.share(c.open), 100*c.share(c.pass), 100*c.share(c.changed))
		}
	}
}
