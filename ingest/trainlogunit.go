package ingest

import "bytes"

// A logUnit is a unit that may follow a number, and what one of it is in the
// base unit.
type logUnit struct {
	scale float64
	base  string
}

// The base units of the metrics table.
const (
	unitSecond = "s"
	unitByte   = "B"
	unitRatio  = "ratio"
	unitTokens = "tokens/s"
	unitItems  = "items/s"
	unitSteps  = "steps/s"
	unitFlops  = "FLOP/s"
	unitCount  = "items"
	unitPer    = "s/step" // seconds a step, printed without a key; stored as s
)

// logUnits are units by their spelling. KB, MB and GB are powers of 1000 as
// the letters say, KiB and its like of 1024.
var logUnits = map[string]logUnit{
	"ns": {1e-9, unitSecond}, "us": {1e-6, unitSecond}, "µs": {1e-6, unitSecond}, "μs": {1e-6, unitSecond}, "ms": {1e-3, unitSecond},
	"s": {1, unitSecond}, "sec": {1, unitSecond}, "secs": {1, unitSecond}, "seconds": {1, unitSecond}, "second": {1, unitSecond},
	"mins": {60, unitSecond}, "min": {60, unitSecond}, "minutes": {60, unitSecond}, "h": {3600, unitSecond}, "hr": {3600, unitSecond}, "hours": {3600, unitSecond},
	"B": {1, unitByte}, "bytes": {1, unitByte},
	"kB": {1e3, unitByte}, "KB": {1e3, unitByte}, "MB": {1e6, unitByte}, "GB": {1e9, unitByte}, "TB": {1e12, unitByte},
	"KiB": {1 << 10, unitByte}, "MiB": {1 << 20, unitByte}, "GiB": {1 << 30, unitByte}, "TiB": {1 << 40, unitByte},
	"%":     {0.01, unitRatio},
	"tok/s": {1, unitTokens}, "toks/s": {1, unitTokens}, "token/s": {1, unitTokens}, "tokens/s": {1, unitTokens}, "tok/sec": {1, unitTokens},
	"tokens/sec": {1, unitTokens}, "tokens/second": {1, unitTokens}, "tps": {1, unitTokens},
	"tok/s/gpu": {1, unitTokens}, "tok/s/GPU": {1, unitTokens}, "tokens/s/gpu": {1, unitTokens}, "tokens/s/GPU": {1, unitTokens}, "tok/sec/gpu": {1, unitTokens},
	"it/s": {1, unitSteps}, "iter/s": {1, unitSteps}, "iters/s": {1, unitSteps}, "its/s": {1, unitSteps}, "it/sec": {1, unitSteps}, "step/s": {1, unitSteps},
	"steps/s": {1, unitSteps}, "steps/sec": {1, unitSteps}, "batch/s": {1, unitSteps}, "batches/s": {1, unitSteps},
	"s/it": {1, unitPer}, "s/iter": {1, unitPer}, "s/step": {1, unitPer}, "sec/step": {1, unitPer}, "sec/it": {1, unitPer}, "s/batch": {1, unitPer}, "ms/step": {1e-3, unitPer}, "ms/it": {1e-3, unitPer},
	"samples/s": {1, unitItems}, "sample/s": {1, unitItems}, "samples/sec": {1, unitItems}, "items/s": {1, unitItems}, "item/s": {1, unitItems}, "seq/s": {1, unitItems},
	"seqs/s": {1, unitItems}, "sequences/s": {1, unitItems}, "ex/s": {1, unitItems}, "examples/s": {1, unitItems}, "entries/s": {1, unitItems}, "prompts/s": {1, unitItems},
	"TFLOP/s": {1e12, unitFlops}, "TFLOPs": {1e12, unitFlops}, "TFLOPS": {1e12, unitFlops}, "TFLOP/s/GPU": {1e12, unitFlops}, "TFLOP/s/gpu": {1e12, unitFlops}, "TFLOP/s/device": {1e12, unitFlops},
	"reqs": {1, unitCount}, "items": {1, unitCount}, "x": {1, ""}, "W": {1, "W"}, "MHz": {1e6, "Hz"},
}

// rate reports whether a unit says alone what the number before it is.
func (u logUnit) rate() bool {
	return u.base == unitTokens || u.base == unitItems || u.base == unitSteps || u.base == unitPer
}

// large returns what a letter glued to a number multiplies it by.
func largeScale(c byte, bytes bool) float64 {
	step := 1e3
	if bytes {
		step = 1024
	}
	switch c {
	case 'k', 'K':
		return step
	case 'M':
		return step * step
	case 'G':
		return step * step * step
	case 'B':
		return 1e9 // a billion: bytes have their own unit
	case 'T':
		return step * step * step * step
	}
	return 1
}

// unitAt reads the unit that follows a number at j, glued or after one blank,
// into n and returns its end. ok is false where letters follow that are no unit.
func unitAt(b []byte, j int, n *logNumber) (end int, ok bool) {
	word := unitWord(b[j:])
	if len(word) > 0 && word[0] != '/' {
		return gluedUnit(b, j, word, n)
	}
	if j+1 < len(b) && b[j] == ' ' {
		word = unitWord(b[j+1:])
		u, is := logUnits[string(word)]
		end := j + 1 + len(word)
		if is && string(word) != "min" && string(word) != "x" && !keyGoesOn(b[end:]) && (end == len(b) || valueEnd(b[end]) && b[end] != '(' || b[end] == '.') {
			n.scale, n.unit = n.scale*u.scale, u.base
			return end, true
		}
	}
	return j, true
}

// keyGoesOn reports whether what follows a word makes a key of it, as in
// "loss=2.9 items/s=5".
func keyGoesOn(b []byte) bool {
	i := 1
	for i < len(b) && (isLetter(b[i]) || b[i] == '_') {
		i++
	}
	return i > 1 && i < len(b) && b[0] == '/' && (b[i] == '=' || b[i] == ':')
}

func gluedUnit(b []byte, j int, word []byte, n *logNumber) (int, bool) {
	u, is := logUnits[string(word)]
	if !is {
		if bytes.IndexByte([]byte("kKMGTB"), word[0]) < 0 {
			return j, false
		}
		n.large = word[0]
		if len(word) == 1 {
			return largeThenUnit(b, j+1, n)
		}
		if u, is = logUnits[string(word[1:])]; !is {
			return j, false
		}
	}
	n.scale, n.unit = n.scale*u.scale, u.base
	return j + len(word), true
}

// largeThenUnit reads "12.4K tok/s" from after the K.
func largeThenUnit(b []byte, j int, n *logNumber) (int, bool) {
	if j+1 < len(b) && b[j] == ' ' {
		word := unitWord(b[j+1:])
		if u, is := logUnits[string(word)]; is && u.rate() {
			n.scale, n.unit = n.scale*u.scale, u.base
			return j + 1 + len(word), true
		}
	}
	return j, true
}

// unitWord is what b begins with that may be a unit.
func unitWord(b []byte) []byte {
	i := 0
	for i < len(b) && i < 24 && (isLetter(b[i]) || b[i] == '%' || b[i] == '/' || b[i] == 0xc2 || b[i] == 0xce || b[i] == 0xb5 || b[i] == 0xbc) {
		i++
	}
	if i > 0 && b[i-1] == '/' {
		i--
	}
	// 34/micro_step=5: a unit is not followed by what makes it a key
	if slash := bytes.IndexByte(b[:i], '/'); slash >= 0 && i < len(b) && (b[i] == '_' || b[i] == '=' || b[i] == ':') {
		i = slash
	}
	return b[:i]
}
