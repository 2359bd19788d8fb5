package model

import (
	"encoding/binary"
	"math"
	"slices"
)

// A packedFloat holds numbers that are few different ones, or have few digits:
// decimals as whole numbers and a divisor, others as the bits of a float64.
type packedFloat struct {
	packed
	per   float64   // one is so many of the whole numbers; 0 where they are bits
	shift uint8     // … that stand so far up
	table []float64 // the values by n, where width is 1
}

func (p *packedFloat) at(r int) float64 {
	if p.table != nil {
		return p.table[p.data[r]]
	}
	return p.value(p.packed.at(r))
}

// into spreads the first len(dst) numbers out.
func (p *packedFloat) into(dst []float64) {
	switch {
	case p.table != nil:
		for i, n := range p.data[:len(dst)] {
			dst[i] = p.table[n]
		}
	case p.width == 2 && p.per != 0:
		base, per, data := p.base, p.per, p.data
		for i := range dst {
			dst[i] = float64(base+int64(binary.LittleEndian.Uint16(data[2*i:]))) / per
		}
	case p.width == 0:
		same := p.at(0)
		for i := range dst {
			dst[i] = same
		}
	case p.width == 1 && p.per != 0:
		base, per := p.base, p.per
		for i, n := range p.data[:len(dst)] {
			dst[i] = float64(base+int64(n)) / per
		}
	case p.width == 4 && p.per != 0:
		base, per, data := p.base, p.per, p.data
		for i := range dst {
			dst[i] = float64(base+int64(binary.LittleEndian.Uint32(data[4*i:]))) / per
		}
	default:
		for i := range dst {
			dst[i] = p.at(i)
		}
	}
}

func (p *packedFloat) value(n int64) float64 {
	if p.per == 0 {
		return math.Float64frombits(uint64(n) << p.shift)
	}
	return float64(n) / p.per
}

// perOne are the divisors that are tried: of bytes printed in MiB or KiB, of Hz
// printed in MHz, and of decimals. A quotient of two whole numbers below 2^53 is
// the float64 next to it, as is what a decimal is read as, so that decimals come
// back to the bit; that each does is looked at all the same.
var perOne = [...]float64{1. / (1 << 20), 1. / (1 << 10), 1e-6, 1, 10, 100, 1e3, 1e4, 1e5, 1e6}

// packFloats returns v packed, nil where that saves nothing. work has room for
// as many numbers; form is what the last call for such values found.
func packFloats(v []float64, work []int64, form *uint8) *packedFloat {
	if len(v) == 0 {
		return nil
	}
	if first := math.Float64bits(v[0]); !slices.ContainsFunc(v, func(x float64) bool { return math.Float64bits(x) != first }) {
		return &packedFloat{packed: *constant(int64(first))}
	}
	if p := decimals(v, work, perOne[*form]); p != nil {
		return p
	}
	for i, per := range perOne {
		if p := decimals(v, work, per); p != nil {
			*form = uint8(i)
			return p
		}
	}
	return upperHalves(v, work)
}

// decimals packs multiples of 1/per.
func decimals(v []float64, work []int64, per float64) *packedFloat {
	work = work[:len(v)]
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for i, x := range v {
		n := int64(math.RoundToEven(x * per))
		if math.Float64bits(float64(n)/per) != math.Float64bits(x) {
			return nil
		}
		work[i] = n
		lo, hi = min(lo, n), max(hi, n)
	}
	if lo <= -1<<53 || hi >= 1<<53 {
		return nil
	}
	return packedFrom(work, lo, hi, packedFloat{per: per})
}

// upperHalves packs numbers of at most 21 binary digits.
func upperHalves(v []float64, work []int64) *packedFloat {
	work = work[:len(v)]
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for i, x := range v {
		b := math.Float64bits(x)
		if b&(1<<32-1) != 0 {
			return nil
		}
		work[i] = int64(b >> 32)
		lo, hi = min(lo, work[i]), max(hi, work[i])
	}
	return packedFrom(work, lo, hi, packedFloat{shift: 32})
}

// packedFrom packs whole numbers between lo and hi, nil where they are too far apart.
func packedFrom(n []int64, lo, hi int64, p packedFloat) *packedFloat {
	p.base, p.unit, p.width = lo, 1, widthOf(uint64(hi-lo))
	switch {
	case lo == hi:
		p.width = 0
	case p.width == 0:
		return nil
	default:
		store(&p.packed, n)
	}
	if p.width == 1 {
		p.table = make([]float64, hi-lo+1)
		for i := range p.table {
			p.table[i] = p.value(lo + int64(i))
		}
	}
	return &p
}
