package calibration

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	return v[int(q*float64(len(v)-1)+0.5)]
}

// Size of the diagram: a square of side plot, and its margins.
const (
	plot   = 320.0
	left   = 56.0
	top    = 20.0
	bottom = 48.0
)

// Diagram draws said probability against share come true as SVG; the area of a
// dot is its share of the runs, the whisker its 95 % interval (Wilson).
func Diagram(w io.Writer, s *Summary) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="sans-serif" font-size="12">`+"\n", left+plot+20, top+plot+bottom)
	fmt.Fprintln(b, `<rect width="100%" height="100%" fill="#fff"/>`)
	for i := range 6 {
		v := float64(i) / 5
		fmt.Fprintf(b, `<path d="M%.1f %.1fH%.1fM%.1f %.1fV%.1f" stroke="#ddd"/>`+"\n", x(0), y(v), x(1), x(v), y(0), y(1))
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">%.1f</text><text x="%.1f" y="%.1f" text-anchor="middle">%.1f</text>`+"\n", x(0)-6, y(v)+4, v, x(v), y(0)+16, v)
	}
	fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f" stroke="#888" stroke-dasharray="4 3"/>`+"\n", x(0), y(0), x(1), y(1))
	for _, bin := range s.Bins {
		if bin.Said.N > 0 {
			dot(b, bin, s.Runs)
		}
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">probability said</text>`+"\n", x(0.5), y(0)+36)
	fmt.Fprintf(b, `<text transform="translate(14 %.1f) rotate(-90)" text-anchor="middle">share that came true</text>`+"\n</svg>\n", y(0.5))
	_, err := io.WriteString(w, b.String())
	return err
}

func x(v float64) float64 { return left + v*plot }
func y(v float64) float64 { return top + (1-v)*plot }

func dot(b *strings.Builder, bin Bin, runs int) {
	lo, hi := wilson(bin.Right)
	r := max(3, 24*math.Sqrt(float64(bin.Said.N)/float64(runs)))
	p := bin.Said.Value()
	fmt.Fprintf(b, `<path d="M%.1f %.1fV%.1f" stroke="#1f5fa8"/><circle cx="%.1f" cy="%.1f" r="%.1f" fill="#1f5fa8" fill-opacity="0.45" stroke="#1f5fa8"/>`+"\n",
		x(p), y(lo), y(hi), x(p), y(bin.Right.Share()), r)
}

// wilson is the 95 % interval of a share (Wilson 1927): the runs are independent.
func wilson(r Rate) (lo, hi float64) {
	const z = 1.96
	n, p := float64(r.Of), r.Share()
	mid := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return mid - half, mid + half
}
