package ingest

import "tidemark/model"

// A rowFold drops rows of one table, record by record.
type rowFold struct {
	groups  map[uint64]*foldGroup
	batches int // that were folded before
	// rate reports whether a row of metrics is a rate; nil where none is.
	rate func(b *model.Batch, r int) bool
}

// A foldGroup is the records of one kind. Of each every records in a row one stays.
type foldGroup struct {
	seen  int // records
	rows  int // that are left of them
	fresh int // rows that were not folded before
	every int
	next  int         // every, after this fold
	at    int         // record in this fold
	rates [2]rateFold // of the rows folded before, and of fresh ones
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

// A foldRecord returns the kind of a row's record, and whether the row before
// is of the same record.
type foldRecord func(b *model.Batch, r int) (key uint64, same bool)

// fold drops rows of the first to batches until they are at most half of most,
// and returns how many batches are gone. kept is called for each of their rows.
func (f *rowFold) fold(t *model.Table, to, most int, records func() foldRecord, kept func(keep bool)) (gone int) {
	f.batches = min(f.batches, to)
	f.count(t, to, records())
	f.raise(most / 2)
	for _, g := range f.groups {
		g.rows, g.at = 0, 0
	}
	record, pass := records(), 0
	var g *foldGroup
	keep := false
	each := func(b *model.Batch, r int) bool {
		key, same := record(b, r)
		if !same || g == nil {
			g = f.group(key)
			keep = g.keeps(pass > 0)
			if f.rate != nil {
				g.rates[pass].begin(b, r)
			}
		}
		if f.rate != nil {
			g.rates[pass].row(b, r, f.rate, keep)
		}
		if keep {
			g.rows++
		}
		kept(keep)
		return keep
	}
	gone = t.KeepIn(0, f.batches, each)
	left := f.batches - gone
	pass = 1
	for _, g := range f.groups {
		g.rates[1].take(&g.rates[0])
	}
	gone += t.KeepIn(left, to-gone, each)
	gone += t.JoinIn(0, to-gone)
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
		return stays(g.seen-1, 1, g.next)
	}
	g.at++
	return stays(g.at-1, g.every, g.next)
}

// stays tells whether record i of those left when one in every was held stays
// where one in next is: of each two neighbours, of each two of those that stay,
// and so on, the one that a hash of their place names.
func stays(i, every, next int) bool {
	for ; every < next; every *= 2 {
		pair := i / 2
		x := (uint64(pair) + uint64(every)<<40) * 0x9e3779b97f4a7c15
		x = (x ^ x>>32) * 0xd6e8feb86659fd93
		if i&1 != int(x>>63) && pair > 0 || i == 1 { // the first record stays
			return false
		}
		i = pair
	}
	return true
}

// count counts the rows that were not folded before.
func (f *rowFold) count(t *model.Table, to int, record foldRecord) {
	for k, b := range t.Batches[:to] {
		for r := range b.Rows() {
			key, _ := record(b, r)
			if k >= f.batches {
				f.group(key).fresh++
			}
		}
	}
}

// raise doubles how sparsely the most frequent records are kept until there are
// no more than so many rows.
func (f *rowFold) raise(most int) {
	for _, g := range f.groups {
		g.next = g.every
	}
	for {
		total := 0
		for _, g := range f.groups {
			total += g.held()
		}
		if total <= most {
			return
		}
		for _, g := range f.groups {
			if g.held() > most/len(f.groups) {
				g.next *= 2
			}
		}
	}
}

// held is about how many rows will be left.
func (g *foldGroup) held() int { return g.rows*g.every/g.next + g.fresh/g.next }
