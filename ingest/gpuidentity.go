package ingest

import (
	"fmt"
	"strings"

	"tidemark/model"
)

// A gpuName is what is known of the index of a uuid or of a place on the bus.
type gpuName struct {
	index int64
	file  int32 // where both stand in one row
	clash bool  // another row says otherwise
}

// gpuIndices are the indices of all names.
type gpuIndices map[string]gpuName

func (g gpuIndices) add(name string, index int64, file int32) {
	n, seen := g[name]
	switch {
	case name == "":
	case !seen:
		g[name] = gpuName{index: index, file: file}
	case n.index != index:
		n.clash = true
		g[name] = n
	}
}

// identify gives NVML's index to rows that name their device by its uuid or its
// place on the PCI bus alone, where rows or the list of another file have both. An index
// that was only inferred gives way. What was done stands in the file's notes.
func identify(run *model.Run) {
	if !wantIndex(run) {
		return
	}
	known := gpuNames(run)
	if len(known) == 0 {
		return
	}
	given := map[[2]int64]bool{} // file and index
	for _, b := range run.GPU.Batches {
		f := run.Files[b.File]
		inferred := inferredIndex(f)
		for r := range b.Rows() {
			if b.OK(model.GPUIndex, r) && !inferred || b.OK(model.GPUPart, r) {
				continue
			}
			n, by, ok := lookUp(run, known, b, r)
			if !ok || n.file == b.File {
				continue
			}
			b.PutInt(model.GPUIndex, r, n.index)
			given[[2]int64{int64(b.File), n.index}] = true
			f.Note(fmt.Sprintf("GPU index by its %s, as in %s", by, run.Files[n.file].Path))
		}
	}
	dropGuesses(run, known, given)
}

// dropGuesses takes an inferred index from the rows of devices that no other
// file names, where it is that of a device that one does name.
func dropGuesses(run *model.Run, known gpuIndices, given map[[2]int64]bool) {
	for _, b := range run.GPU.Batches {
		f := run.Files[b.File]
		if len(given) == 0 || !inferredIndex(f) {
			continue
		}
		for r := range b.Rows() {
			index, ok := b.Int(model.GPUIndex, r)
			if _, _, named := lookUp(run, known, b, r); ok && !named && given[[2]int64{int64(b.File), index}] {
				b.Clear(model.GPUIndex, r)
				f.Note(fmt.Sprintf("GPU unknown in rows of a device that no other file names: the index %d that it would have by its order is another's", index))
			}
		}
	}
}

// wantIndex reports whether any row with a name lacks an index, or has one that
// was inferred.
func wantIndex(run *model.Run) bool {
	for _, b := range run.GPU.Batches {
		if !b.Has(model.GPUUUID) && !b.Has(model.GPUBus) {
			continue
		}
		if inferredIndex(run.Files[b.File]) {
			return true
		}
		for r := range b.Rows() {
			if !b.OK(model.GPUIndex, r) && !b.OK(model.GPUPart, r) {
				return true
			}
		}
	}
	return false
}

// inferredIndex reports whether the indices in a file are a guess.
func inferredIndex(f *model.File) bool {
	for _, n := range f.Notes {
		if strings.HasSuffix(n, "(inferred)") {
			return true
		}
	}
	return false
}

// gpuNames collects the indices of all names. A name with two is of no use:
// places on the bus are the same on many hosts.
func gpuNames(run *model.Run) gpuIndices {
	known := gpuIndices{}
	for _, f := range run.Facts {
		index, name := listedName(f)
		known.add(name, index, f.File)
	}
	for _, b := range run.GPU.Batches {
		if inferredIndex(run.Files[b.File]) {
			continue
		}
		seen := map[[2]int32]int64{{}: -1} // most rows say what others have said
		for r := range b.Rows() {
			index, ok := b.Int(model.GPUIndex, r)
			uuid, _ := b.Text(model.GPUUUID, r)
			bus, _ := b.Text(model.GPUBus, r)
			pair := [2]int32{uuid, bus}
			if old, again := seen[pair]; !ok || again && (old == index || pair == [2]int32{}) {
				continue
			}
			seen[pair] = index
			for _, name := range []string{run.Text(uuid), busName(run.Text(bus))} {
				known.add(name, index, b.File)
			}
		}
	}
	return known
}

// lookUp finds the index of a row's device, by its uuid or else by its place.
func lookUp(run *model.Run, known gpuIndices, b *model.Batch, r int) (n gpuName, by string, ok bool) {
	uuid, _ := b.Text(model.GPUUUID, r)
	bus, _ := b.Text(model.GPUBus, r)
	if n, ok = known[run.Text(uuid)]; ok && uuid != 0 && !n.clash {
		return n, "uuid", true
	}
	n, ok = known[busName(run.Text(bus))]
	return n, "place on the PCI bus", ok && bus != 0 && !n.clash
}

// busName is a place on the bus without the length of its domain: nvidia-smi
// prints 00000000:18:00.0, the kernel 0000:18:00.0.
func busName(bus string) string {
	domain, rest, ok := strings.Cut(strings.ToLower(bus), ":")
	if !ok {
		return ""
	}
	return strings.TrimLeft(domain, "0") + ":" + rest
}
