package ingest

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// binarySamples are files of formats that no archive of text can hold.
func binarySamples() map[*Format][]byte {
	return map[*Format][]byte{AustinMOJO: stream(4), TFEvents: tfStream(), WandB: wandbStream()}
}

// TestBinaryDetection holds each of them against all formats.
func TestBinaryDetection(t *testing.T) {
	for want, data := range binarySamples() {
		var got []string
		for _, f := range Formats {
			if f.Detect("x", data[:min(len(data), 64<<10)]) {
				got = append(got, f.Name)
			}
		}
		if len(got) != 1 || got[0] != want.Name {
			t.Errorf("%s is claimed by %v", want.Name, got)
		}
	}
}

// TestBinaryMutants changes bytes, cuts and doubles pieces: no panic, and no
// more rows than bytes could hold.
func TestBinaryMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for f, data := range binarySamples() {
		for range 1000 {
			b := append([]byte(nil), data...)
			for range 1 + rng.IntN(4) {
				i, j := rng.IntN(len(b)), rng.IntN(len(b))
				switch rng.IntN(4) {
				case 0:
					b[i] ^= byte(1 << rng.IntN(8))
				case 1:
					b = b[:i+1]
				case 2:
					b = append(b[:min(i, j)], b[max(i, j):]...)
				default:
					b = append(b, b[min(i, j):max(i, j)]...)
				}
				if len(b) == 0 {
					b = []byte{0}
				}
			}
			out := parseWhole(f, b)
			if strings.Contains(out.File.Reason, "internal error") || out.Rows() > len(b) {
				t.Fatalf("%s: %d rows of %d bytes, %s", f.Name, out.Rows(), len(b), out.File.Reason)
			}
		}
	}
}
