package infer

import (
	"cmp"
	"slices"

	"tidemark/model"
)

// devices reads every GPU, also the memory of those of a side; where several
// recordings show one, the one with most readings is taken, and the others are given
// beside.
func devices(run *model.Run, sided []int) (out, others []*Device) {
	r := &deviceReader{run: run, all: map[deviceKey]*Device{}, leads: map[int32]*Device{}, room: readingsEach(run), sided: sided}
	columns := []int{model.GPUT, model.GPUIndex, model.GPUSMUtil}
	if len(sided) > 0 {
		columns = append(columns, model.GPUMemUsed)
	}
	rows := model.NewReader(model.GPU, columns...)
	for _, b := range run.GPU.Batches {
		if placed(run, b) {
			rows.Read(b)
			r.read(rows)
		}
	}
	r.settle()
	all := r.all
	bestOf := map[int]*Device{}
	files := map[int]int32{}
	for k, d := range all {
		if len(d.Util.T) < 2 {
			continue
		}
		o := bestOf[d.Index]
		if o == nil || len(d.Util.T) > len(o.Util.T) || len(d.Util.T) == len(o.Util.T) && k.file < files[d.Index] {
			bestOf[d.Index], files[d.Index] = d, k.file
		}
	}
	for _, k := range slices.SortedFunc(mapKeys(all), deviceKey.compare) {
		if d := all[k]; len(d.Util.T) > 1 && bestOf[d.Index] != d {
			others = append(others, d)
		}
	}
	for _, i := range slices.Sorted(mapKeys(bestOf)) {
		d := bestOf[i]
		if d.Memory.T == nil && !slices.IsSorted(d.Util.T) {
			d.Memory.T = slices.Clone(d.Util.T[:len(d.Memory.V)])
		}
		d.Util.sorted()
		if d.Memory.T == nil {
			d.Memory.T = d.Util.T[:len(d.Memory.V):len(d.Memory.V)]
		}
		d.Memory.sorted()
		out = append(out, d)
	}
	return out, others
}

// readingsEach guesses how many readings each device of a recording has: rows take
// turns, so that the first 256 of a batch show all devices.
func readingsEach(run *model.Run) map[int32]int {
	seen, rows := map[deviceKey]bool{}, map[int32]int{}
	for _, b := range run.GPU.Batches {
		recorder := run.Recorder(b.File)
		rows[recorder] += b.Rows()
		for r := range min(b.Rows(), 256) {
			if g, ok := b.Int(model.GPUIndex, r); ok {
				seen[deviceKey{recorder, g}] = true
			}
		}
	}
	devices := map[int32]int{}
	for k := range seen {
		devices[k.file]++
	}
	for f, n := range devices {
		rows[f] = rows[f]/n + 16
	}
	return rows
}

// A deviceKey is one device in one recording, which its oldest file stands for.
type deviceKey struct {
	file int32
	gpu  int64
}

func (k deviceKey) compare(o deviceKey) int {
	return cmp.Or(cmp.Compare(k.gpu, o.gpu), cmp.Compare(k.file, o.file))
}

// A deviceReader reads the devices of all recordings. The devices of one are mostly read
// at the same times: those of the one that leads are kept for the others too.
type deviceReader struct {
	run    *model.Run
	all    map[deviceKey]*Device
	leads  map[int32]*Device // by recording
	room   map[int32]int     // readings that a device of a recording is likely to have
	groups deviceGroups
	sided  []int
}

// read adds the readings of one batch, those of devices with times of their own first.
func (r *deviceReader) read(b *model.Reader) {
	file := r.run.Recorder(b.File)
	room, groups := r.room[file], r.groups.of(b)
	for _, g := range groups {
		if d := r.device(file, b, g); d.like == nil {
			d.read(b, g.rows, room)
		}
	}
	for _, g := range groups {
		if d := r.device(file, b, g); d.like != nil {
			d.read(b, g.rows, room)
		}
	}
}

// device returns the device of a group, which has a place among those of its recording.
func (r *deviceReader) device(file int32, b *model.Reader, g deviceGroup) *Device {
	k := deviceKey{file, g.gpu}
	d := r.all[k]
	if d == nil {
		d = &Device{Index: int(k.gpu), First: r.run.Pos(b.Batch, int(g.rows[0])), sided: slices.Contains(r.sided, int(k.gpu)), like: r.leads[file]}
		d.Util.V = make([]float64, 0, r.room[file])
		if d.like == nil {
			d.Util.T = make([]int64, 0, r.room[file])
			r.leads[file] = d
		}
		r.all[k] = d
	}
	return d
}

// settle gives the devices all their times, once all is read. Those that fall will be
// put in order, with the values of one device.
func (r *deviceReader) settle() {
	for file, lead := range r.leads {
		rise := slices.IsSorted(lead.Util.T)
		for k, d := range r.all {
			if k.file != file || d.like == nil {
				continue
			}
			n := len(d.Util.V)
			if d.Util.T = lead.Util.T[:n:n]; !rise {
				d.Util.T = slices.Clone(d.Util.T)
			}
			d.like = nil
		}
	}
}

// part gives the device times of its own.
func (d *Device) part(room int) {
	if d.like != nil {
		d.Util.T = append(make([]int64, 0, room), d.like.Util.T[:len(d.Util.V)]...)
		d.like = nil
	}
}

func (d *Device) read(b *model.Reader, rows []int32, room int) {
	if !d.readAll(b, rows, room) {
		d.part(room)
		d.readEach(b, rows, room)
	}
}

// follows reports whether rows have the next times of the device that this one is like.
func (d *Device) follows(t []int64, rows []int32) bool {
	n := len(d.Util.V)
	if len(d.like.Util.T) < n+len(rows) {
		return false
	}
	same := d.like.Util.T[n : n+len(rows)]
	for i, r := range rows {
		if t[r] != same[i] {
			return false
		}
	}
	return true
}

// readAll adds rows that have all readings, as those before them; it reports false,
// and adds nothing, where they have not.
func (d *Device) readAll(b *model.Reader, rows []int32, room int) bool {
	t, util, memory := b.Ints(model.GPUT), b.Floats(model.GPUSMUtil), b.Floats(model.GPUMemUsed)
	if t == nil || util == nil || d.sided && (memory == nil || d.Memory.T != nil || len(d.Memory.V) != len(d.Util.V)) {
		return false
	}
	if d.like != nil && !d.follows(t, rows) {
		d.part(room)
	}
	if d.like == nil {
		for _, r := range rows {
			d.Util.T = append(d.Util.T, t[r])
		}
	}
	for _, r := range rows {
		d.Util.V = append(d.Util.V, util[r])
	}
	if !d.sided {
		return true
	}
	if d.Memory.V == nil {
		d.Memory.V = make([]float64, 0, room)
	}
	for _, r := range rows {
		d.Memory.V = append(d.Memory.V, memory[r])
	}
	return true
}

func (d *Device) readEach(b *model.Reader, rows []int32, room int) {
	for _, row := range rows {
		r := int(row)
		t, _ := b.Int(model.GPUT, r)
		if v, ok := b.Float(model.GPUSMUtil, r); ok {
			d.Util.add(t, v)
		}
		if v, ok := b.Float(model.GPUMemUsed, r); ok && d.sided {
			d.memory(t, v, room)
		}
	}
}

// memory adds a reading of the memory in use. While every row has both, the
// series shares the times of the utilisation, added just before.
func (d *Device) memory(t int64, v float64, room int) {
	n := len(d.Memory.V)
	if d.Memory.T == nil && n+1 == len(d.Util.T) && d.Util.T[n] == t {
		if n == 0 {
			d.Memory.V = make([]float64, 0, room)
		}
		d.Memory.V = append(d.Memory.V, v)
		return
	}
	if d.Memory.T == nil {
		d.Memory.T = append(make([]int64, 0, room), d.Util.T[:n]...)
	}
	d.Memory.add(t, v)
}
