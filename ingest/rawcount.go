package ingest

import (
	"bytes"
	"math/bits"

	"github.com/zeebo/xxh3"

	"tidemark/internal/scan"
)

// stackSum is a stack's identity. An address at the leaf does not count: there
// would be as many stacks as addresses.
func stackSum(stack []byte) xxh3.Uint128 {
	i := bytes.LastIndexByte(stack, ';') + 1
	n := addressLen(stack[i:])
	if n == 0 {
		return xxh3.Hash128(stack)
	}
	a, b := xxh3.Hash128(stack[:i]), xxh3.Hash128(stack[i+n:])
	a.Lo ^= bits.RotateLeft64(b.Lo, 31) + 1
	a.Hi ^= bits.RotateLeft64(b.Hi, 31)
	return a
}

// splitCount takes the count off the end of a line; wrong says what else was
// found there. Fractions are kept.
func splitCount(line []byte) (stack []byte, n float64, wrong string) {
	i := len(line)
	for i > 0 && line[i-1]-'0' < 10 {
		i--
	}
	if digits := line[i:]; i > 0 && len(digits) > 0 && len(digits) < 16 && (line[i-1] == ' ' || line[i-1] == '\t') {
		v := 0
		for _, c := range digits {
			v = 10*v + int(c-'0')
		}
		return trimRight(line[:i-1]), float64(v), ""
	}
	i = bytes.LastIndexAny(line, " \t")
	n, ok := scan.Float(line[i+1:])
	switch {
	case i < 0 || !ok:
		return nil, 0, "no count at the end, want frames joined by ; and a count"
	case n < 0:
		return nil, 0, "a count under 0, want 0 or more"
	case n > 1<<63:
		return nil, 0, "a count over 2^63"
	}
	return trimRight(line[:i]), n, ""
}

func trimRight(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t' || b[len(b)-1] == '\r') {
		b = b[:len(b)-1]
	}
	return b
}
