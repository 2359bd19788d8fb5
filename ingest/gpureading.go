package ingest

import (
	"bytes"
	"fmt"
	"slices"

	"tidemark/internal/scan"
	"tidemark/model"
)

// gpuCells is one more than the last column of model.GPU that a reading sets.
const gpuCells = model.GPUPart + 1

// A gpuReading collects what is said of one device before its row is written:
// for formats that spread a device over lines or keys.
type gpuReading struct {
	src   *Source
	out   *model.RunBuilder
	line  int
	off   int64
	cells [gpuCells]gpuCell
}

type gpuCell struct {
	ok   bool
	rank int // of the name that gave the value
	v    float64
	i    int64 // an index, or the code of a text
}

// begin forgets what was read, and says where the next device begins.
func (g *gpuReading) begin(line int, off int64) {
	g.line, g.off, g.cells = line, off, [gpuCells]gpuCell{}
}

// read takes a cell that stands under a name, in the unit that the name says
// where the cell has none. A cell without a value is noted, one that cannot be
// is a warning; it reports whether a value was taken.
func (g *gpuReading) read(name string, f smiField, unit string, cell []byte) bool {
	c := &g.cells[max(f.col, 0)]
	cell = bytes.Trim(scan.Trim(cell), `"()`)
	switch {
	case f.col < 0 || c.ok && c.rank < f.rank:
		return false
	case smiMissing(cell), isLetter(cell[0]) && f.class >= smiShare && f.class != smiMask:
		g.absent(name, f, cell)
		return false
	case f.class == smiUUID || f.class == smiBus:
		*c = gpuCell{ok: true, rank: f.rank, i: int64(g.out.Strings.CodeBytes(cell))}
		return true
	}
	v, ok := gpuNumber(f.class, unit, cell)
	lo, hi := smiRange(f.class)
	if !ok || v < lo || v > hi {
		g.warn(name, f, cell)
		return false
	}
	*c = gpuCell{ok: true, rank: f.rank, v: v, i: int64(v)}
	return true
}

// warn says that a cell cannot be: at its line, or in a document at the device's.
func (g *gpuReading) warn(name string, f smiField, cell []byte) {
	at := model.Pos{File: g.out.File.Path, Line: g.line, Byte: g.off}
	if g.src.Line() > 0 {
		at = g.src.Pos()
	}
	g.out.Warn(&model.SyntaxError{Pos: at, Msg: fmt.Sprintf("%s %q, want %s", name, clip(cell), f.class.wish())})
}

// gpuNumber reads a number and the unit behind it, into base units.
func gpuNumber(class smiClass, unit string, cell []byte) (float64, bool) {
	end := 0
	for end < len(cell) && (cell[end]-'0' < 10 || cell[end] == '.' || cell[end] == '-' || cell[end] == '+') {
		end++
	}
	if e := cell[end:]; len(e) > 1 && (e[0] == 'e' || e[0] == 'E') && (e[1]-'0' < 10 || len(e) > 2 && e[2]-'0' < 10) {
		end = len(cell) // an exponent has no unit behind it
	}
	v, ok := scan.Float(cell[:end])
	if printed := string(scan.Trim(cell[end:])); printed != "" {
		unit = printed
	}
	if other, ok := gpuUnits[unit]; ok {
		unit = other
	}
	f, known := smiUnits[class][unit]
	return v * f.mul / f.div, ok && known
}

// gpuUnits are other spellings of the units in smiUnits.
var gpuUnits = map[string]string{"Mhz": "MHz", "mhz": "MHz", "°C": "C", "c": "C", "Watts": "W", "watts": "W", "w": "W", "KB": "KiB", "bytes": "B", "Bytes": "B", "bytes/s": "B/s", "percent": "%"}

// absent notes why a reading is missing.
func (g *gpuReading) absent(name string, f smiField, cell []byte) {
	if f.class < smiShare || len(g.out.File.Notes) >= model.MaxWarnings {
		return
	}
	reason := "empty"
	if len(cell) > 0 {
		reason = clip(cell)
	}
	g.out.File.Note(name + ": " + reason + ", taken as missing")
}

// gpuModel keeps the name of a device's model as a fact, each name once.
func gpuModel(out *model.RunBuilder, line int, off int64, name []byte) {
	if name = bytes.Trim(scan.Trim(name), `"`); len(name) == 0 || len(name) > 100 || smiMissing(name) || len(out.Facts) > 4096 {
		return
	}
	for _, f := range out.Facts {
		if f.Key == "gpu_name" && f.Value == string(name) {
			return
		}
	}
	out.Facts = append(out.Facts, model.Fact{Key: "gpu_name", Value: string(name), Line: int32(line), Byte: off})
}

// oneModelEach keeps the first of equal facts on models: each part of a large
// file has its own.
func oneModelEach(out *model.RunBuilder) {
	seen := map[string]bool{}
	out.Facts = slices.DeleteFunc(out.Facts, func(f model.Fact) bool {
		if f.Key != "gpu_name" && f.Key != model.FactMIG {
			return false
		}
		again := seen[f.Key+f.Value]
		seen[f.Key+f.Value] = true
		return again
	})
}

// setText takes a name or an id.
func (g *gpuReading) setText(col int, text string) {
	g.cells[col] = gpuCell{ok: true, i: int64(g.out.Strings.Code(text))}
}

// readings reports whether there is any reading beside the device's names.
func (g *gpuReading) readings() bool {
	for col := range g.cells {
		if g.cells[col].ok && model.GPU.Columns[col].Kind == model.Float {
			return true
		}
	}
	return false
}

// write adds the row. It has the time w, none where that is zero.
func (g *gpuReading) write(w smiWhen) {
	b := g.out.GPU.Add(g.line, g.off)
	if w.kind != model.ClockNone {
		b.SetInt(model.GPUT, w.t)
		g.out.File.Clock.Kind = max(g.out.File.Clock.Kind, w.kind)
	}
	for col := range g.cells {
		c := &g.cells[col]
		if !c.ok {
			continue
		}
		switch model.GPU.Columns[col].Kind {
		case model.Float:
			b.SetFloat(col, c.v)
		case model.Int:
			b.SetInt(col, c.i)
		default:
			b.SetText(col, int32(c.i))
		}
	}
}
