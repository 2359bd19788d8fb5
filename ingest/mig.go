package ingest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"tidemark/internal/scan"
	"tidemark/model"
)

// migNote says why a GPU that is split has no utilisation of its own.
// nvidia-smi --help-query-gpu: "On MIG-enabled GPUs, querying the utilization
// of encoder, decoder, jpeg, ofa, gpu, and memory is not currently supported."
const migNote = "MIG is enabled: NVML gives no utilisation of a GPU that is split, so it is missing here, which is not 0; record DCGM's profiling fields beside it: dcgmi dmon -e 1001,1002,1004,1005,155,252 -d 1000"

// migPartsNote is said of a file with rows of parts of GPUs.
const migPartsNote = "parts of GPUs (MIG) have rows of their own, named in the column part and without an index: nothing adds them to the whole GPU"

// migEnabled keeps that a device is split, once a file.
func migEnabled(out *model.RunBuilder, line int, off int64) {
	for _, f := range out.Facts {
		if f.Key == model.FactMIG {
			return
		}
	}
	out.Facts = append(out.Facts, model.Fact{Key: model.FactMIG, Value: "Enabled", Line: int32(line), Byte: off})
	out.File.Note(migNote)
}

// partOf makes a reading that of a part of a device: by the device's names,
// without its index.
func (g *gpuReading) partOf(device *gpuReading, part string) {
	for _, col := range []int{model.GPUUUID, model.GPUBus} {
		g.cells[col] = device.cells[col]
	}
	g.cells[model.GPUIndex] = gpuCell{}
	g.setText(model.GPUPart, part)
	g.out.File.Note(migPartsNote)
}

// An smiPart is one MIG device of a document's GPU.
type smiPart struct {
	gpuReading
	instance, compute int64 // ids, -1 where they are not printed
}

// beginPart begins a MIG device of the device in work.
func (d *smiDocument) beginPart() {
	d.endPart()
	d.part = &smiPart{gpuReading{src: d.src, out: d.out}, -1, -1}
	d.part.begin(d.src.Line(), d.src.Offset())
}

func (d *smiDocument) endPart() {
	if d.part != nil && d.inside {
		d.parts = append(d.parts, *d.part)
	}
	d.part = nil
}

// migName is "MIG 3/0", by the ids of the GPU instance and of the compute
// instance, of which one that is below 0 is not known.
func migName(instance, compute int64) string {
	name := "MIG"
	if instance >= 0 {
		name += " " + strconv.FormatInt(instance, 10)
	}
	if compute >= 0 {
		name += "/" + strconv.FormatInt(compute, 10)
	}
	return name
}

// smiPartFields are the readings of a MIG device by section and key. Compute
// instances share the memory of their GPU instance, which each of them shows.
var smiPartFields = map[string]smiField{
	"utilization/gpu": smiTextPaths["utilization/gpu"], "utilization/gpu_util": smiTextPaths["utilization/gpu"],
	"utilization/memory": smiTextPaths["utilization/memory"], "utilization/memory_util": smiTextPaths["utilization/memory"],
	"fb memory usage/used": smiTextPaths["fb memory usage/used"], "fb memory usage/total": smiTextPaths["fb memory usage/total"],
	"fb_memory_usage/used": smiTextPaths["fb memory usage/used"], "fb_memory_usage/total": smiTextPaths["fb memory usage/total"],
}

// value takes a pair of a MIG device, all in lower case; it reports whether
// that was needed.
func (p *smiPart) value(section, key string, text []byte) bool {
	switch key {
	case "gpu instance id", "gpu_instance_id":
		return setID(&p.instance, text)
	case "compute instance id", "compute_instance_id":
		return setID(&p.compute, text)
	}
	f, ok := smiPartFields[section+"/"+key]
	return ok && p.read("MIG "+key, f, "", text)
}

// setID sets an id, except to what is no number, such as N/A.
func setID(id *int64, text []byte) bool {
	v, ok := scan.Int(text)
	if ok {
		*id = v
	}
	return ok
}

// migRow reads "|  0    2   1   1  |   22MiB / 71424MiB  | 32   0 |" of the
// table's list of MIG devices.
func (p *smiTableParser) migRow(line []byte) bool {
	cells := bytes.Split(bytes.Trim(scan.Trim(line), "|"), []byte{'|'})
	if len(cells) < 3 || !bytes.Contains(cells[1], []byte("iB /")) {
		return false
	}
	var ids [4]int64 // GPU, GPU instance, compute instance, MIG device
	words := bytes.Fields(cells[0])
	if len(words) != len(ids) {
		return false
	}
	for i, w := range words {
		var ok bool
		if ids[i], ok = scan.Int(w); !ok {
			return false
		}
	}
	p.begin(p.src.Line(), p.src.Offset())
	p.ratio(cells[1], "MIG memory", smiField{col: model.GPUMemUsed, class: smiMemory}, smiField{col: model.GPUMemTotal, class: smiMemory})
	p.partOf(&gpuReading{cells: p.whole[ids[0]]}, migName(ids[1], ids[2]))
	p.write(p.clock.at(p.src))
	p.out.Claim(1)
	return true
}

// leastUnread is how many rows of a device without utilisation are no gap.
const leastUnread = 2

// noteUnread names the devices of which dmon has read power but never a
// utilisation, as it prints them where MIG is enabled: measured under full load
// on a split H200, driver 590. It does not say that they are split.
func noteUnread(out *model.RunBuilder) {
	if !slices.Contains(out.File.Notes, "sm: -, taken as missing") {
		return
	}
	type count struct{ rows, used int }
	seen := map[int64]*count{}
	for _, b := range out.GPU.Batches {
		for r := range b.Rows() {
			g, ok := b.Int(model.GPUIndex, r)
			if !ok || !b.OK(model.GPUPower, r) && !b.OK(model.GPUSMUtil, r) {
				continue
			}
			if seen[g] == nil {
				seen[g] = &count{}
			}
			seen[g].rows++
			if b.OK(model.GPUSMUtil, r) {
				seen[g].used++
			}
		}
	}
	for _, g := range slices.Sorted(maps.Keys(seen)) {
		if c := seen[g]; c.used == 0 && c.rows >= leastUnread {
			out.File.Note(fmt.Sprintf("GPU %d: power but no utilisation in any row, as where %s", g, migNote))
		}
	}
}
