package model

import "encoding/binary"

// A packed holds whole numbers in as few bytes as their spread needs: row r has
// base + unit × n(r), where n is stored in width bytes, is r itself, or is 0 in
// all rows. Spread, not size, is what most columns of telemetry have little of,
// and a byte of a table costs the time of its first touch as well.
type packed struct {
	base, unit int64
	width      uint8
	sorted     bool // is known to fall nowhere
	data       []byte
	laid       *laidCodes // what there is instead, of a Text column
}

// rising is the width of n(r) = r, byLayout that of codes which layouts give.
const (
	rising   = 8
	byLayout = 3
)

// constant is v in all rows.
func constant(v int64) *packed { return &packed{base: v, unit: 1} }

func (p *packed) at(r int) int64 { return p.base + p.unit*p.n(r) }

// least is a bound of the first n numbers from below.
func (p *packed) least(n int) int64 { return min(p.base, p.at(n-1)) }

func (p *packed) n(r int) int64 {
	switch p.width {
	case 1:
		return int64(p.data[r])
	case 2:
		return int64(binary.LittleEndian.Uint16(p.data[2*r:]))
	case 4:
		return int64(binary.LittleEndian.Uint32(p.data[4*r:]))
	case rising:
		return int64(r)
	}
	return 0
}

// into spreads the first len(dst) numbers out.
func (p *packed) into(dst []int64) {
	base, unit := p.base, p.unit
	switch p.width {
	case 1:
		for i, n := range p.data[:len(dst)] {
			dst[i] = base + unit*int64(n)
		}
	case 2:
		for i := range dst {
			dst[i] = base + unit*int64(binary.LittleEndian.Uint16(p.data[2*i:]))
		}
	case 4:
		for i := range dst {
			dst[i] = base + unit*int64(binary.LittleEndian.Uint32(p.data[4*i:]))
		}
	case rising:
		for i := range dst {
			dst[i] = base + unit*int64(i)
		}
	default:
		for i := range dst {
			dst[i] = base
		}
	}
}

// part spreads the numbers from from on out.
func (p *packed) part(dst []int64, from int) {
	x := packed{base: p.base, unit: p.unit, width: p.width}
	if p.width == rising {
		x.base += p.unit * int64(from)
	} else {
		x.data = p.data[from*int(p.width):]
	}
	x.into(dst)
}

// codesInto is into for the codes of a Text column.
func (p *packed) codesInto(dst []int32) {
	base := int32(p.base)
	switch p.width {
	case byLayout:
		p.laid.into(dst)
	case 1:
		for i, n := range p.data[:len(dst)] {
			dst[i] = base + int32(n)
		}
	case 2:
		for i := range dst {
			dst[i] = base + int32(binary.LittleEndian.Uint16(p.data[2*i:]))
		}
	default:
		for i := range dst {
			dst[i] = int32(p.at(i))
		}
	}
}

// pack returns v packed, nil where that saves nothing.
func pack[T int32 | int64](v []T) *packed {
	if len(v) == 0 {
		return nil
	}
	lo, hi := extent(v)
	if lo == hi {
		return constant(int64(lo))
	}
	if step := v[1] - v[0]; step != 0 && rises(v, step) {
		return &packed{base: int64(v[0]), unit: int64(step), width: rising}
	}
	p := &packed{base: int64(lo), unit: stepOf(v, lo, hi)}
	p.width = widthOf(uint64(int64(hi)-int64(lo)) / uint64(p.unit))
	if p.width == 0 || int(p.width) == binary.Size(lo) {
		return nil
	}
	store(p, v)
	return p
}

// extent returns the least and the largest of v, in four chains of comparisons
// that do not wait for one another.
func extent[T int32 | int64](v []T) (lo, hi T) {
	lo, hi = v[0], v[0]
	lo2, hi2 := lo, hi
	for ; len(v) > 1; v = v[2:] {
		lo, hi = min(lo, v[0]), max(hi, v[0])
		lo2, hi2 = min(lo2, v[1]), max(hi2, v[1])
	}
	if len(v) > 0 {
		lo, hi = min(lo, v[0]), max(hi, v[0])
	}
	return min(lo, lo2), max(hi, hi2)
}

func rises[T int32 | int64](v []T, step T) bool {
	for i := 1; i < len(v); i++ {
		if v[i]-v[i-1] != step {
			return false
		}
	}
	return true
}

// widthOf returns in how many bytes numbers up to most fit, 0 for more than four.
func widthOf(most uint64) uint8 {
	switch {
	case most < 1<<8:
		return 1
	case most < 1<<16:
		return 2
	case most < 1<<32:
		return 4
	}
	return 0
}

// wideUnits are the steps that values too far apart for four bytes may have:
// times in nanoseconds that were printed in whole seconds and parts of them.
var wideUnits = [...]uint64{1e9, 1e6, 1e3}

// stepOf returns what all values are apart by, 1 where that need not be known.
func stepOf[T int32 | int64](v []T, lo, hi T) int64 {
	far := uint64(int64(hi) - int64(lo))
	if far < 1<<32 {
		return 1
	}
	for _, unit := range wideUnits {
		if far/unit < 1<<32 && multiples(v, lo, unit) {
			return int64(unit)
		}
	}
	return 1
}

// multiples reports whether all of v are multiples of unit from lo. Those of one time
// stand together, and are divided once.
func multiples[T int32 | int64](v []T, lo T, unit uint64) bool {
	last := lo
	for _, x := range v {
		if x == last {
			continue
		}
		if last = x; uint64(int64(x)-int64(lo))%unit != 0 {
			return false
		}
	}
	return true
}

// store puts the numbers behind v into p.
func store[T int32 | int64](p *packed, v []T) {
	base, unit, data := p.base, uint64(p.unit), make([]byte, int(p.width)*len(v))
	p.data = data
	switch {
	case p.width == 1 && unit == 1:
		for i, x := range v {
			data[i] = byte(int64(x) - base)
		}
	case p.width == 2 && unit == 1:
		for i, x := range v {
			binary.LittleEndian.PutUint16(data[2*i:], uint16(int64(x)-base))
		}
	case p.width == 4 && unit == 1:
		for i, x := range v {
			binary.LittleEndian.PutUint32(data[4*i:], uint32(int64(x)-base))
		}
	case p.width == 4:
		last, n := v[0], uint32(uint64(int64(v[0])-base)/unit)
		for i, x := range v {
			if x != last {
				last, n = x, uint32(uint64(int64(x)-base)/unit)
			}
			binary.LittleEndian.PutUint32(data[4*i:], n)
		}
	case p.width == 2:
		for i, x := range v {
			binary.LittleEndian.PutUint16(data[2*i:], uint16(uint64(int64(x)-base)/unit))
		}
	default:
		for i, x := range v {
			data[i] = byte(uint64(int64(x)-base) / unit)
		}
	}
}
