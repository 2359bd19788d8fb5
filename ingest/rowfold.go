package ingest

import "tidemark/model"

// A rowFold drops rows of one table, record by record.
type rowFold struct {
	groups  map[uint64]*foldGroup
	batches int // that were folded before
}

// A foldGroup is the records of one kind. Of its records, counted from 0, those
// stay whose number every divides.
type foldGroup struct {
	seen  int // records
	rows  int // that are left of them
	fresh int // rows that were not folded before
	every int
	next  int // every, after this fold
	at    int // record in this fold
	steps bool
}

// maxFoldGroups is how many kinds are told apart; what comes later shares one.
const maxFoldGroups = 1 << 15

func (f *rowFold) group(key uint64) *foldGroup {
	if g := f.groups[key]; g != nil {
		return g
	}
	if len(f.groups) >= maxFoldGroups {
		key = 0
	}
	g := f.groups[key]
	if g == nil {
		g = &foldGroup{every: 1}
		f.groups[key] = g
	}
	return g
}

// A foldRecord returns the kind of a row's record, whether it has a step, and
// whether the row before is of the same record.
type foldRecord func(b *model.Batch, r int) (key uint64, step, same bool)

// fold drops rows of the first to batches until they are at most half of most,
// and returns how many batches are gone. kept is called for each of their rows.
func (f *rowFold) fold(t *model.Table, to, most int, records func() foldRecord, kept func(keep bool)) (gone int) {
	f.batches = min(f.batches, to)
	f.count(t, to, records())
	f.raise(most / 2)
	for _, g := range f.groups {
		g.rows, g.at = 0, 0
	}
	record, fresh := records(), false
	var g *foldGroup
	keep := false
	each := func(b *model.Batch, r int) bool {
		if key, _, same := record(b, r); !same || g == nil {
			g = f.group(key)
			keep = g.keeps(fresh)
		}
		if keep {
			g.rows++
		}
		kept(keep)
		return keep
	}
	gone = t.KeepIn(0, f.batches, each)
	fresh = true
	gone += t.KeepIn(f.batches-gone, to-gone, each)
	for _, g := range f.groups {
		g.every, g.fresh = g.next, 0
	}
	f.batches = to - gone
	return gone
}

// keeps tells whether the next record stays: of those that an earlier fold
// left, or a fresh one.
func (g *foldGroup) keeps(fresh bool) bool {
	if fresh {
		g.seen++
		return (g.seen-1)%g.next == 0
	}
	g.at++
	return (g.at-1)*g.every%g.next == 0
}

// count counts the rows that were not folded before.
func (f *rowFold) count(t *model.Table, to int, record foldRecord) {
	for k, b := range t.Batches[:to] {
		for r := range b.Rows() {
			key, step, _ := record(b, r)
			if k >= f.batches {
				g := f.group(key)
				g.fresh++
				g.steps = g.steps || step
			}
		}
	}
}

// fewRows is how many rows of a kind without steps are left in any case.
const fewRows = 1 << 13

// raise doubles how sparsely the most frequent records are kept until there are
// no more than most rows. Those with steps hold the rates of the run, each over
// the time since the one before it, and mean something else where that is gone:
// it is the others' turn first.
func (f *rowFold) raise(most int) {
	for _, g := range f.groups {
		g.next = g.every
	}
	for total := f.total(); total > most; {
		for _, g := range f.groups {
			if !g.steps && g.held() > max(most/len(f.groups), min(fewRows, most/8)) {
				g.next *= 2
			}
		}
		before := total
		if total = f.total(); total == before {
			break
		}
	}
	for f.total() > 2*most {
		for _, g := range f.groups {
			if g.held() > most/len(f.groups) {
				g.next *= 2
			}
		}
	}
}

func (f *rowFold) total() int {
	n := 0
	for _, g := range f.groups {
		n += g.held()
	}
	return n
}

// held is about how many rows will be left.
func (g *foldGroup) held() int { return g.rows*g.every/g.next + g.fresh/g.next }
