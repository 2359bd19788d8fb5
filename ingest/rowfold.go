package ingest

import "tidemark/model"

// A rowFold drops rows of one table, record by record.
type rowFold struct {
	groups  map[uint64]*foldGroup
	batches int // that were folded before
	// rate reports whether a unit of metrics is that of a rate; nil where there are none.
	rate func(unit int32) bool
	rows []uint16 // memory
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

// A foldRecord returns the kind of record k of a batch, whose first row is row n of the
// table, and whether it goes on with the record before.
type foldRecord func(b *model.Batch, k, n int) (key uint64, same bool)

// fold drops rows of the first to batches until they are at most half of most,
// and returns how many batches are gone. kept is called for each of their records.
func (f *rowFold) fold(t *model.Table, to, most int, records func() foldRecord, kept func(keep bool)) (gone int) {
	f.batches = min(f.batches, to)
	f.count(t, to, records())
	f.raise(most / 2)
	for _, g := range f.groups {
		g.rows, g.at = 0, 0
	}
	pass := &foldPass{rowFold: f, record: records(), kept: kept}
	gone = t.KeepRecords(0, f.batches, pass.choose)
	left := f.batches - gone
	pass.fresh = 1
	for _, g := range f.groups {
		g.rates[1].take(&g.rates[0])
	}
	gone += t.KeepRecords(left, to-gone, pass.choose)
	gone += t.JoinIn(0, to-gone)
	for _, g := range f.groups {
		g.every, g.fresh = g.next, 0
	}
	f.batches = to - gone
	return gone
}

// A foldPass goes through the records of a fold.
type foldPass struct {
	*rowFold
	record foldRecord
	kept   func(keep bool)
	fresh  int // 1 for those that were not folded before
	n      int // rows
	group  *foldGroup
	keep   bool
}

// choose appends the records of a batch that stay.
func (p *foldPass) choose(b *model.Batch, list []int32) []int32 {
	if p.rows = p.rows[:0]; p.rate != nil {
		p.rows = b.RowsWith(p.rows, model.MetricUnit, p.rate)
	}
	rates := p.rows
	for k := range b.Records() {
		from, to := b.FirstRow(k), b.FirstRow(k+1)
		key, same := p.record(b, k, p.n)
		p.n += to - from
		if !same || p.group == nil {
			p.group = p.rowFold.group(key)
			p.keep = p.group.keeps(p.fresh > 0)
			if p.rate != nil {
				p.group.rates[p.fresh].begin(b, k)
			}
		}
		for ; len(rates) > 0 && int(rates[0]) < to; rates = rates[1:] {
			p.group.rates[p.fresh].row(b, int(rates[0]), p.keep)
		}
		if p.keep {
			p.group.rows += to - from
			list = append(list, int32(k))
		}
		p.kept(p.keep)
	}
	return list
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
	n := 0
	for i, b := range t.Batches[:to] {
		if i < f.batches {
			n += b.Rows()
			continue
		}
		for k := range b.Records() {
			rows := b.FirstRow(k+1) - b.FirstRow(k)
			key, _ := record(b, k, n)
			f.group(key).fresh += rows
			n += rows
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
