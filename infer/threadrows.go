package infer

import (
	"cmp"
	"slices"

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
	for _, t := range m {
		t.finish()
	}
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
	name int32 // code of its name
	rows int
}

// threadRows reads the rows of each thread: two files of one time are not added.
func threadRows(run *model.Run) []threadFile {
	var list []threadFile
	var order rounds[hostThread]
	columns := []int{model.ThreadHost, model.ThreadTID}
	eachThread(run, &order, columns, func(k, file int32, b *model.Reader, row int) {
		if int(k) == len(list) {
			id := order.keys[k]
			t := &Thread{ThreadKey: ThreadKey{Host: run.Text(id.host), TID: id.tid}, Stack: -1, First: run.Pos(b.Batch, row)}
			list = append(list, threadFile{Thread: t, file: file, name: -1})
		}
		if list[k].file == file {
			list[k].rows++
		}
	})
	for _, t := range list {
		t.points = make([]usePoint, 0, t.rows)
	}
	columns = append(columns, model.ThreadName, model.ThreadRole, model.ThreadPID, model.ThreadWait, model.ThreadT, model.ThreadInterval, model.ThreadCPU)
	eachThread(run, &order, columns, func(k, file int32, b *model.Reader, row int) {
		if t := &list[k]; t.file == file {
			t.add(run, b, row)
		}
	})
	return list
}

// eachThread calls f with every row that has a thread and its CPU, with the
// thread's number in the order of appearance, and the recording that it is of.
// f may read columns.
func eachThread(run *model.Run, order *rounds[hostThread], columns []int, f func(k, file int32, b *model.Reader, row int)) {
	b := model.NewReader(model.Threads, columns...)
	for _, batch := range run.Threads.Batches {
		b.Read(batch)
		file := run.Recorder(b.File)
		for row := range b.Rows() {
			tid, ok := b.Int(model.ThreadTID, row)
			if !ok || !b.OK(model.ThreadCPU, row) {
				continue
			}
			host, _ := b.Text(model.ThreadHost, row)
			f(int32(order.find(hostThread{host, tid})), file, b, row)
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
