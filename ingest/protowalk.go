package ingest

import (
	"encoding/binary"
	"math"
)

// A protoField is one field of a protobuf message, as it stands on the wire.
type protoField struct {
	number int
	value  uint64 // of a number
	bytes  []byte // of text, bytes, a message or packed numbers
	double float64
	float  float32
}

// protoFields calls fn for each field of a message. It reports whether the
// message could be read to its end; groups are not known.
func protoFields(b []byte, fn func(f protoField)) bool {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
			return false
		}
		b = b[n:]
		f := protoField{number: int(tag >> 3)}
		switch tag & 7 {
		case 0:
			if f.value, n = binary.Uvarint(b); n <= 0 {
				return false
			}
		case 1:
			if n = 8; len(b) < n {
				return false
			}
			f.value = binary.LittleEndian.Uint64(b)
			f.double = math.Float64frombits(f.value)
		case 2:
			size, k := binary.Uvarint(b)
			if k <= 0 || size > uint64(len(b)-k) {
				return false
			}
			f.bytes = b[k : k+int(size)]
			n = k + int(size)
		case 5:
			if n = 4; len(b) < n {
				return false
			}
			f.value = uint64(binary.LittleEndian.Uint32(b))
			f.float = math.Float32frombits(uint32(f.value))
		default:
			return false
		}
		b = b[n:]
		fn(f)
	}
	return true
}
