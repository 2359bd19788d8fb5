package ingest

import (
	"encoding/binary"
	"math"
)

// value reads a Summary.Value: a plain number, or a tensor without dimensions.
func (p *tfReader) value(b []byte) {
	var tag string
	var tensor []byte
	v, plain := 0.0, false
	protoFields(b, func(f protoField) {
		switch f.number {
		case 1:
			tag = string(valid(f.bytes))
		case 2:
			v, plain = float64(f.float), true
		case 8:
			tensor = f.bytes
		case 9:
			if len(p.kinds) < maxSheetNames {
				p.kinds[tag] = tfPlugin(f.bytes)
			}
		}
	})
	if tensor != nil && !plain {
		if kind, known := p.kinds[tag]; known && kind != "scalars" {
			return
		}
		v, plain = tfScalar(tensor)
	}
	if plain && tag != "" {
		p.sheet.number([]byte(tag), v)
	}
}

// tfPlugin returns the name in SummaryMetadata.plugin_data.
func tfPlugin(b []byte) (name string) {
	protoFields(b, func(f protoField) {
		if f.number == 1 {
			protoFields(f.bytes, func(f protoField) {
				if f.number == 1 {
					name = string(f.bytes)
				}
			})
		}
	})
	return name
}

// tfScalar reads a TensorProto of rank 0 that holds one number.
func tfScalar(b []byte) (v float64, ok bool) {
	kind, rank := uint64(0), 0
	var content []byte
	found := 0
	protoFields(b, func(f protoField) {
		switch f.number {
		case 1:
			kind = f.value
		case 2:
			protoFields(f.bytes, func(f protoField) {
				if f.number == 2 {
					rank++
				}
			})
		case 4:
			content = f.bytes
		case 5: // float_val, packed or not
			if v = float64(f.float); len(f.bytes) >= 4 {
				v = float64(math.Float32frombits(binary.LittleEndian.Uint32(f.bytes)))
			}
			found++
		case 6:
			if v = f.double; len(f.bytes) >= 8 {
				v = math.Float64frombits(binary.LittleEndian.Uint64(f.bytes))
			}
			found++
		case 7, 10:
			n := f.value
			if len(f.bytes) > 0 {
				n, _ = binary.Uvarint(f.bytes)
			}
			v = float64(int64(n))
			found++
		}
	})
	if found == 0 {
		v, ok = tfContent(kind, content)
		return v, ok && rank == 0
	}
	return v, found == 1 && rank == 0
}

// tfContent reads tensor_content by its DataType: float, double, int32, int64.
func tfContent(kind uint64, b []byte) (float64, bool) {
	switch {
	case kind == 1 && len(b) == 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
	case kind == 2 && len(b) == 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
	case kind == 3 && len(b) == 4:
		return float64(int32(binary.LittleEndian.Uint32(b))), true
	case kind == 9 && len(b) == 8:
		return float64(int64(binary.LittleEndian.Uint64(b))), true
	}
	return 0, false
}
