package ingest

// In a file of threads, top of procps 4.0 prints the whole process in the row
// of its main thread. Such a row is found by its size: it is near the sum of
// the other threads of its process, or above what one core can give.
const (
	topAbove = 105_00 // hundredths of a percent: no thread can be there
	topNear  = 5_00   // or a tenth of the sum
	topIdle  = 10_00  // below this, sums agree by chance
)

// A topGroup is the rows of a block that seem to be of one process: those with
// its TGID where that is shown, else the same user and virtual size.
type topGroup struct {
	n    int
	sum  int64
	main int // index of the row with the smallest id
}

// topVotes count the blocks in which a main row was the sum of its siblings,
// and was not, among those in which there was something to sum.
type topVotes struct{ yes, no int }

// group finds the rows of the block that show a whole process.
func (p *topParser) group() {
	clear(p.groups)
	for i := range p.rows {
		r := &p.rows[i]
		if r.pid > 0 {
			r.group = uint64(r.pid)
		}
		g := p.groups[r.group]
		if g == nil {
			g = &topGroup{main: i}
			p.groups[r.group] = g
		}
		g.n++
		g.sum += r.cpu
		if r.id < p.rows[g.main].id {
			g.main = i
		}
	}
	found := false
	for i := range p.rows {
		r := &p.rows[i]
		g := p.groups[r.group]
		switch {
		case r.cpu > topAbove, g.main == i && p.total(r, g):
			r.process, r.pid = true, r.id
			found = true
		}
	}
	p.join(found)
}

// total reports whether the main row of a group shows the whole process.
func (p *topParser) total(r *topRow, g *topGroup) bool {
	v := p.totals[r.id]
	if g.n > 1 && r.group != 0 {
		others := g.sum - r.cpu
		near := max(r.cpu-others, others-r.cpu) <= max(topNear, others/10)
		switch {
		case max(r.cpu, others) < topIdle:
			return near && v.yes >= v.no
		case near:
			v.yes++
		default:
			v.no++
		}
		p.totals[r.id] = v
	}
	return v.yes > v.no
}

// join says whose the threads are, where the process was found among them. A
// file that does not say what its rows are holds processes if none is the sum
// of others.
func (p *topParser) join(found bool) {
	if p.mode == topUnknown && !found {
		for i := range p.rows {
			p.rows[i].process, p.rows[i].pid = true, p.rows[i].id
		}
		return
	}
	if found {
		p.out.File.Note("rows of main threads show the whole process: kept as process rows, so these threads have none of their own")
	}
	for i := range p.rows {
		r := &p.rows[i]
		main := &p.rows[p.groups[r.group].main]
		if v := p.totals[main.id]; r.pid == 0 && r.group != 0 && main.process && v.yes > v.no {
			r.pid = main.id
		}
	}
}
