package infer

import "tidemark/model"

// deviceGroups sorts the rows of one batch after another by their device, so that
// what a column says of one is read in turn.
type deviceGroups struct {
	list []deviceGroup
	at   map[int64]int32 // of each GPU, its place in list from 1
}

// A deviceGroup is the rows of a batch that have a time and are of one GPU.
type deviceGroup struct {
	gpu  int64
	rows []int32
}

// of returns the groups of a batch in the order of their first rows, until the next one.
func (g *deviceGroups) of(b *model.Reader) []deviceGroup {
	if g.at == nil {
		g.at = map[int64]int32{}
	}
	clear(g.at)
	g.list = g.list[:0]
	index := b.Ints(model.GPUIndex)
	whole := index != nil && b.Ints(model.GPUT) != nil
	if whole && g.inTurn(index) {
		return g.list
	}
	var recent [16]struct { // rows of the devices take turns
		gpu int64
		at  int32
	}
	for r := range b.Rows() {
		var gpu int64
		if whole {
			gpu = index[r]
		} else {
			_, ok := b.Int(model.GPUT, r)
			i, ok2 := b.Int(model.GPUIndex, r)
			if !ok || !ok2 {
				continue
			}
			gpu = i
		}
		slot := &recent[uint64(gpu)%16]
		if slot.at == 0 || slot.gpu != gpu {
			slot.gpu, slot.at = gpu, g.place(gpu)
		}
		x := &g.list[slot.at-1]
		x.rows = append(x.rows, int32(r))
	}
	return g.list
}

// inTurn makes the groups of rows whose devices take turns, as they mostly do; it reports
// false, and makes none, where they do not.
func (g *deviceGroups) inTurn(index []int64) bool {
	n := 1
	for n < len(index) && index[n] != index[0] {
		if n++; n > mostTurns {
			return false
		}
	}
	for r := n; r < len(index); r++ {
		if index[r] != index[r-n] {
			return false
		}
	}
	for first, gpu := range index[:min(n, len(index))] {
		if g.at[gpu] != 0 { // twice in a turn
			g.list = g.list[:0]
			clear(g.at)
			return false
		}
		at := g.place(gpu) - 1
		x := &g.list[at]
		for r := first; r < len(index); r += n {
			x.rows = append(x.rows, int32(r))
		}
	}
	return true
}

// mostTurns is how many devices may take turns.
const mostTurns = 64

// place returns the place of a GPU in the list, to whose end it is added where it
// is new, in the memory of an earlier batch.
func (g *deviceGroups) place(gpu int64) int32 {
	at := g.at[gpu]
	if at == 0 {
		if n := len(g.list); n < cap(g.list) {
			g.list = g.list[:n+1]
		} else {
			g.list = append(g.list, deviceGroup{})
		}
		at = int32(len(g.list))
		x := &g.list[at-1]
		x.gpu, x.rows = gpu, x.rows[:0]
		g.at[gpu] = at
	}
	return at
}
