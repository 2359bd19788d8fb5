package infer

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"tidemark/internal/queuesim/simrun"
	"tidemark/internal/stats"
)

// TestThresholdsOnDrawnPipelines holds what thresholds.go says was measured on
// drawn pipelines against them.
func TestThresholdsOnDrawnPipelines(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: simulates 400 pipelines")
	}
	var off, sampling, places, locks []float64
	for seed := uint64(1); seed <= 400; seed++ {
		drawn := simrun.Draw(seed).Pipe
		p, kind := drawnPipe(seed)
		s, _, rate := simulatedState(p)
		noise := p.Target.CV*p.Target.CV + p.Drafter.CV*p.Drafter.CV*float64(max(p.Pop, 1))
		places = append(places, math.Log(serviceNoise/noise))
		locks = append(locks, s.lock)
		sampling = append(sampling, math.Sqrt(noise/(rate*drawn.Horizon)))
		if kind == "plain" || kind == "batches" {
			a, b := p.Capacities()
			off = append(off, math.Abs(s.r-math.Log(a/b)))
		}
	}
	for _, v := range [][]float64{off, sampling, places, locks} {
		slices.Sort(v)
	}
	for _, c := range []struct {
		what        string
		got, lo, hi float64
		taken       float64
	}{
		{"error of the ratio, nine of ten under", stats.Quantile(off, 0.9), 0.009, ratioError, ratioError},
		{"sampling error of the ratio in a run, median", stats.Quantile(sampling, 0.5), 0.010, 0.020, unseenNoise},
		{"spread of ln K", stat.StdDev(places, nil), 0.8, 1.0, placesSpread},
		{"runs that wait under 0.04 for a lock", below(locks, 0.04), 0.92, 0.98, lockWaits[0].p},
		{"runs that wait from 0.04 to 0.14", below(locks, 0.14) - below(locks, 0.04), 0.02, 0.05, lockWaits[1].p},
		{"runs that wait from 0.14 to 0.28", below(locks, 0.28) - below(locks, 0.14), 0, 0.02, lockWaits[2].p},
		{"runs that wait longer", 1 - below(locks, 0.28), 0, 0.01, lockWaits[3].p + lockWaits[4].p},
	} {
		t.Logf("%s: %.4f, taken as %.4f", c.what, c.got, c.taken)
		if c.got < c.lo || c.got > c.hi {
			t.Errorf("%s: %.4f, want %.3f to %.3f", c.what, c.got, c.lo, c.hi)
		}
	}
}

// below is the share of sorted values under a limit.
func below(v []float64, limit float64) float64 {
	n, _ := slices.BinarySearch(v, limit)
	return float64(n) / float64(len(v))
}
