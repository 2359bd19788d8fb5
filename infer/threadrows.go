package infer

import (
	"cmp"
	"maps"
	"slices"

	"tidemark/internal/shard"
	"tidemark/model"
)

// usage reads the telemetry's threads. Rows of whole processes are left out,
// and rows that are process totals in disguise are marked.
func usage(run *model.Run) map[ThreadKey]*Thread {
	m, files := map[ThreadKey]*Thread{}, map[ThreadKey]int32{}
	for _, t := range threadRows(run) {
		m[t.ThreadKey], files[t.ThreadKey] = t.Thread, t.file
	}
	joinHosts(m, files)
	markTotals(run, m, files)
	list := slices.Collect(maps.Values(m))
	shard.Each(len(list), func(i int) { list[i].finish() })
	return m
}

// A hostThread is a ThreadKey in numbers.
type hostThread struct {
	host int32
	tid  int64
}

// A threadFile is a thread and the file that it is read from.
type threadFile struct {
	*Thread
	file int32
	name int32 // code of its name, -1 where no row has one
	rows int   // at most
}

// threadRows reads the rows of each thread: two files of one time are not added. Both
// halves of the table are read at the same time; what they give does not hang on that.
func threadRows(run *model.Run) []threadFile {
	batches := run.Threads.Batches
	n := len(batches) / 2
	first, second := &threadHalf{run: run, batches: batches[:n]}, &threadHalf{run: run, batches: batches[n:]}
	shard.All(first.count, second.count)
	both := first.share(second)
	shard.All(first.read, second.read)
	for _, x := range both {
		x.first.join(x.second, x.room)
	}
	return first.list
}

// A threadHalf is half of the batches of the threads, and the threads in it.
type threadHalf struct {
	run     *model.Run
	batches []*model.Batch
	order   rounds[hostThread]
	list    []threadFile // by the number in order
}

// threadColumns are what is read of each row; the first two tell threads apart.
var threadColumns = []int{
	model.ThreadHost, model.ThreadTID, model.ThreadName, model.ThreadRole, model.ThreadPID, model.ThreadWait, model.ThreadT, model.ThreadInterval, model.ThreadCPU,
}

// count finds the threads, and how many rows they have.
func (h *threadHalf) count() {
	h.each(threadColumns[:2], func(k, file int32, b *model.Reader, row int) {
		if int(k) == len(h.list) {
			id := h.order.keys[k]
			t := &Thread{ThreadKey: ThreadKey{Host: h.run.Text(id.host), TID: id.tid}, Stack: -1, First: h.run.Pos(b.Batch, row)}
			h.list = append(h.list, threadFile{Thread: t, file: file, name: -1})
		}
		h.list[k].rows++
	})
}

// A sharedThread is one that has rows in both halves, with room for all of them.
type sharedThread struct {
	first  *Thread
	second *threadFile
	room   []usePoint
}

// share makes room for the rows of all threads, those of a thread in both halves in one
// piece, and adds to the list those that are only in the second half.
func (h *threadHalf) share(second *threadHalf) (both []sharedThread) {
	at := map[hostThread]int{}
	for k, id := range second.order.keys {
		at[id] = k
	}
	for i := range h.list {
		first := &h.list[i]
		k, ok := at[h.order.keys[i]]
		if !ok {
			first.points = make([]usePoint, 0, first.rows)
			continue
		}
		x := sharedThread{first.Thread, &second.list[k], make([]usePoint, first.rows+second.list[k].rows)}
		first.points, x.second.points = x.room[:0:first.rows], x.room[first.rows:first.rows]
		x.second.file = first.file
		both = append(both, x)
	}
	for k := range second.list {
		if x := &second.list[k]; x.points == nil {
			x.points = make([]usePoint, 0, x.rows)
			h.list = append(h.list, *x)
		}
	}
	return both
}

// read reads the rows of the threads.
func (h *threadHalf) read() {
	h.each(threadColumns, func(k, file int32, b *model.Reader, row int) {
		if t := &h.list[k]; t.file == file {
			t.add(h.run, b, row)
		}
	})
}

// join takes over the rows that a thread has in the second half.
func (t *Thread) join(o *threadFile, room []usePoint) {
	if o.name >= 0 {
		t.Name = o.Name
	}
	if t.Role == "" {
		t.Role = o.Role
	}
	if o.PID != 0 {
		t.PID = o.PID
	}
	t.Wait += o.Wait
	t.Rows += o.Rows
	n := len(t.points)
	t.points = room[:n+copy(room[n:], o.points)] // most often to where they are
}

// each calls f with every row that has a thread and its CPU, with the thread's number in
// the order of appearance, and the recording that it is of. f may read columns.
func (h *threadHalf) each(columns []int, f func(k, file int32, b *model.Reader, row int)) {
	b := model.NewReader(model.Threads, columns...)
	for _, batch := range h.batches {
		b.Read(batch)
		file := h.run.Recorder(b.File)
		for row := range b.Rows() {
			tid, ok := b.Int(model.ThreadTID, row)
			if !ok || !b.OK(model.ThreadCPU, row) {
				continue
			}
			host, _ := b.Text(model.ThreadHost, row)
			f(int32(h.order.find(hostThread{host, tid})), file, b, row)
		}
	}
}

// joinHosts makes one thread of two with one TID where one file names no host,
// as top does: the rows of the file that counts threads by themselves stay, a
// name that tells more than the program is kept.
func joinHosts(m map[ThreadKey]*Thread, files map[ThreadKey]int32) {
	named := map[int64]*Thread{}
	for k, t := range m {
		if o := named[k.TID]; k.Host != "" && (o == nil || k.Host < o.Host) {
			named[k.TID] = t
		}
	}
	for k, t := range m {
		o := named[k.TID]
		if k.Host != "" || o == nil {
			continue
		}
		if nameRole(o.Name) == "" && nameRole(t.Name) != "" {
			o.Name = t.Name
		}
		if o.PID == 0 {
			o.PID = t.PID
		}
		delete(m, k)
		delete(files, k)
	}
}

func (t *threadFile) add(run *model.Run, b *model.Reader, row int) {
	if c, ok := b.Text(model.ThreadName, row); ok && c != t.name {
		t.Name, t.name = run.Text(c), c
	}
	if c, ok := b.Text(model.ThreadRole, row); ok && t.Role == "" {
		t.Role = wordRole(run.Text(c))
	}
	if pid, ok := b.Int(model.ThreadPID, row); ok {
		t.PID = pid
	}
	if w, ok := b.Float(model.ThreadWait, row); ok {
		t.Wait += w
	}
	at, _ := b.Int(model.ThreadT, row)
	iv, _ := b.Float(model.ThreadInterval, row)
	cpu, _ := b.Float(model.ThreadCPU, row)
	t.points = append(t.points, usePoint{at, iv, cpu})
	t.Rows++
}

// markTotals marks main threads whose row is the whole process: top -H and
// ps -L of procps-ng 4.0.2 print the sum of all threads there (measured). A
// row is one if it exceeds 105 % of a core, or lies within 5 points or 10 % of
// the sum of its siblings, at the mean of the file. pidstat and /proc are trusted.
func markTotals(run *model.Run, m map[ThreadKey]*Thread, files map[ThreadKey]int32) {
	sum := map[ThreadKey]float64{}
	for _, t := range m {
		if t.PID != 0 && t.PID != t.TID {
			sum[ThreadKey{Host: t.Host, TID: t.PID}] += t.mean()
		}
	}
	for k, t := range m {
		if f := run.Files[files[k]].Format; t.TID != t.PID || f == "pidstat" || f == "proc-stat" {
			continue
		}
		s, v := sum[ThreadKey{Host: t.Host, TID: t.TID}], t.mean()
		t.Total = v > 1.05 || v > idleThread && s > 0 && max(v-s, s-v) <= max(0.05, 0.10*s)
	}
}

// mean is the mean share of a core, weighted by the rows' intervals.
func (t *Thread) mean() float64 {
	var sum, n float64
	for _, p := range t.points {
		w := p.seconds
		if w <= 0 {
			w = 1
		}
		sum += w * p.cpu
		n += w
	}
	return sum / max(n, 1e-9)
}

// finish sums the rows up.
func (t *Thread) finish() {
	byTime := func(a, b usePoint) int { return cmp.Compare(a.t, b.t) }
	if !slices.IsSortedFunc(t.points, byTime) {
		slices.SortStableFunc(t.points, byTime)
	}
	t.CPU = t.mean()
	t.Wait /= float64(max(t.Rows, 1))
	step := 1.0
	gaps := make([]float64, 0, len(t.points))
	for i := 1; i < len(t.points); i++ {
		if d := float64(t.points[i].t-t.points[i-1].t) / 1e9; d > 0 {
			gaps = append(gaps, d)
		}
	}
	if len(gaps) > 0 {
		step = median(gaps)
	}
	for i := range t.points {
		if t.points[i].seconds <= 0 {
			t.points[i].seconds = step
		}
		t.Seconds += t.points[i].seconds
	}
}
