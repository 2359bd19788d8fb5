package infer

import (
	"cmp"
	"slices"

	"tidemark/model"
)

// usage reads the telemetry's threads. Rows of whole processes are left out,
// and rows that are process totals in disguise are marked.
func usage(run *model.Run) map[ThreadKey]*Thread {
	m := map[ThreadKey]*Thread{}
	files := map[ThreadKey]int32{}
	for _, b := range run.Threads.Batches {
		file := run.Recorder(b.File)
		for row := range b.Rows() {
			k, ok := threadKey(run, b, row)
			cpu, ok2 := b.Float(model.ThreadCPU, row)
			if !ok || !ok2 {
				continue
			}
			t := m[k]
			if t == nil {
				t = &Thread{ThreadKey: k, Stack: -1, First: run.Pos(b, row)}
				m[k], files[k] = t, file
			}
			if files[k] == file { // two files of one time are not added
				t.add(run, b, row, cpu)
			}
		}
	}
	joinHosts(m, files)
	markTotals(run, m, files)
	for _, t := range m {
		t.finish()
	}
	return m
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

func threadKey(run *model.Run, b *model.Batch, row int) (ThreadKey, bool) {
	tid, ok := b.Int(model.ThreadTID, row)
	host, _ := b.Text(model.ThreadHost, row)
	return ThreadKey{Host: run.Text(host), TID: tid}, ok
}

func (t *Thread) add(run *model.Run, b *model.Batch, row int, cpu float64) {
	if c, ok := b.Text(model.ThreadName, row); ok {
		t.Name = run.Text(c)
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
	slices.SortStableFunc(t.points, func(a, b usePoint) int { return cmp.Compare(a.t, b.t) })
	t.CPU = t.mean()
	t.Wait /= float64(max(t.Rows, 1))
	step := 1.0
	var gaps []float64
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
