package calibration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"tidemark/infer"
	"tidemark/internal/calibration"
	"tidemark/internal/config"
	"tidemark/internal/queuesim/simrun"
)

// TestCalibration analyses simulated runs whose truth is known. By default it
// is a small part of what `make calibrate` does, with loose bounds; with
// TIDEMARK_CALIBRATE=N it takes N runs from the seed TIDEMARK_SEED on (1) and
// writes docs/calibration.md and its diagram. TIDEMARK_TRUTHS names a file that keeps truths from run to run.
func TestCalibration(t *testing.T) {
	first, n, full := uint64(1), 50, false
	if v := os.Getenv("TIDEMARK_SEED"); v != "" {
		var err error
		if first, err = strconv.ParseUint(v, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if v := os.Getenv("TIDEMARK_CALIBRATE"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
		full = true
	} else if testing.Short() {
		t.Skip("-short: simulates and analyses dozens of runs")
	}
	list := outcomes(t, first, n)
	s := calibration.Score(list)
	t.Logf("%d runs: Brier %.3f, calibration error %.3f, wrong over 0.9: %v, decisive right %v", s.Runs, s.Brier.Value(), s.Error(), s.Confident, s.Decisive)
	if full {
		document(t, list, s)
		return
	}
	if s.Brier.Value() > 0.20 || s.Confident.Share() > 0.05 || s.Decisive.Share() < 0.85 {
		t.Errorf("%d runs: Brier %.3f, want at most 0.20; wrong over 0.9 in %v, want at most 5 %%; decisive right %v, want at least 85 %%", s.Runs, s.Brier.Value(), s.Confident, s.Decisive)
	}
}

// outcomes analyses n runs with the seeds from first on.
func outcomes(t *testing.T, first uint64, n int) []calibration.Outcome {
	truths := known(t)
	list := make([]calibration.Outcome, n)
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				c := simrun.Draw(first + uint64(i))
				r, _, err := infer.Analyze(context.Background(), simrun.Run(c), &config.Config{}, infer.Analyzers)
				if err != nil {
					t.Errorf("seed %d: %v", c.Seed, err)
					continue
				}
				truth, ok := truths[c.Seed]
				if !ok {
					truth = simrun.Find(c)
				}
				list[i] = calibration.Outcome{Case: c, Truth: truth, Report: r}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	keep(t, list)
	return list
}

// known reads the truths that an earlier run has kept.
func known(t *testing.T) map[uint64]simrun.Truth {
	m := map[uint64]simrun.Truth{}
	if b, err := os.ReadFile(os.Getenv("TIDEMARK_TRUTHS")); err == nil {
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func keep(t *testing.T, list []calibration.Outcome) {
	name := os.Getenv("TIDEMARK_TRUTHS")
	if name == "" {
		return
	}
	m := map[uint64]simrun.Truth{}
	for _, o := range list {
		m[o.Case.Seed] = o.Truth
	}
	b, err := json.Marshal(m)
	if err == nil {
		err = os.WriteFile(name, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// document writes docs/calibration.md and its picture.
func document(t *testing.T, list []calibration.Outcome, s *calibration.Summary) {
	var text, picture bytes.Buffer
	d := calibration.Document{Outcomes: list, Diagram: "calibration.svg"}
	if err := d.Write(&text); err != nil {
		t.Fatal(err)
	}
	if err := calibration.Diagram(&picture, s); err != nil {
		t.Fatal(err)
	}
	dir := os.Getenv("TIDEMARK_CALIBRATION_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "docs")
	}
	for name, b := range map[string][]byte{"calibration.md": text.Bytes(), "calibration.svg": picture.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
