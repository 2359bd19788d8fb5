package infer

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// gpuNames says which index stands for two devices, by their uuids or hosts:
// their readings are those of one where they are in one file, and of the
// recording that is used where they are not.
func gpuNames(p *Pass) {
	type name struct {
		text string
		at   model.Pos
	}
	first := map[[3]int64]name{} // by index and column, and file where that is the host: programs name it their own way
	clash := map[int64]string{}
	var recent [16]struct { // of the rows before, which take turns
		index int64
		names [2]int32
	}
	rows := model.NewReader(model.GPU, model.GPUIndex, model.GPUUUID, model.GPUHost)
	for _, b := range p.Run.GPU.Batches {
		rows.Read(b)
		clear(recent[:])
		uuids, hosts := rows.Texts(model.GPUUUID), rows.Texts(model.GPUHost)
		if uuids == nil && hosts == nil {
			continue
		}
		for r := range b.Rows() {
			index, ok := rows.Int(model.GPUIndex, r)
			var uuid, host int32
			if uuids != nil {
				uuid = uuids[r]
			}
			if hosts != nil {
				host = hosts[r]
			}
			slot := &recent[uint64(index)%16]
			if r >= len(recent) && slot.index == index && slot.names == [2]int32{uuid, host} {
				continue
			}
			slot.index, slot.names = index, [2]int32{uuid, host}
			for _, col := range [...]int{model.GPUUUID, model.GPUHost} {
				code, named := rows.Text(col, r)
				if !ok || !named || clash[index] != "" {
					continue
				}
				k, n := [3]int64{index, int64(col), -1}, name{p.Run.Text(code), p.Run.Pos(b, r)}
				if col == model.GPUHost {
					k[2] = int64(b.File)
				}
				if o, seen := first[k]; !seen {
					first[k] = n
				} else if o.text != n.text {
					clash[index] = fmt.Sprintf("%s (%s:%d) and %s (%s:%d)", o.text, o.at.File, o.at.Line, n.text, n.at.File, n.at.Line)
				}
			}
		}
	}
	var list []string
	for _, i := range slices.Sorted(mapKeys(clash)) {
		list = append(list, fmt.Sprintf("%d is %s", i, clash[i]))
	}
	if n := len(list); n > 0 {
		if n > 2 {
			list = append(list[:2:2], fmt.Sprintf("%d more", n-2))
		}
		p.Check(model.Check{
			Name: "gpu.identity", Value: new(float64(n)), Limit: new(0.0),
			Text: "one index stands for two devices: GPU " + strings.Join(list, ", ") + ": give the files of one host",
		})
	}
}

// gpuLevels says which devices are read otherwise in another recording of the
// same time than in the one that is used.
func gpuLevels(p *Pass, used, others []*Device) {
	best := map[int]*Device{}
	for _, d := range used {
		best[d.Index] = d
	}
	var list []string
	for _, o := range others {
		d := best[o.Index]
		if d == nil || len(o.Util.T) < gpuApartLeast {
			continue
		}
		o.Util.sorted()
		from, to := max(d.Util.T[0], o.Util.T[0]), min(d.Util.T[len(d.Util.T)-1], o.Util.T[len(o.Util.T)-1])
		if to <= from {
			continue
		}
		a, b := d.Util.between(from, to).V, o.Util.between(from, to).V
		if len(a) < gpuApartLeast || len(b) < gpuApartLeast {
			continue
		}
		if x, y := mean(a), mean(b); x-y > gpuApart || y-x > gpuApart {
			list = append(list, fmt.Sprintf("GPU %d is active %s in %s, which is used, and %s in %s", d.Index, say.Percent(x), d.First.File, say.Percent(y), o.First.File))
		}
	}
	if n := len(list); n > 0 {
		if n > 2 {
			list = append(list[:2:2], fmt.Sprintf("%d more", n-2))
		}
		p.Check(model.Check{Name: "gpu.agreement", Value: new(float64(n)), Limit: new(0.0), Text: "recordings of one time differ: " + strings.Join(list, "; ")})
	}
}
