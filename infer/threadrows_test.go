package infer

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/model"
)

// TestThreadRows: rows that are read in two halves give what they give one by one.
func TestThreadRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 30 {
		run := threadRun(rng)
		want, got := map[string]*Thread{}, map[string]*Thread{}
		var order, names []string
		files := map[string]int32{}
		for _, b := range run.Threads.Batches {
			for r := range b.Rows() {
				tid, ok := b.Int(model.ThreadTID, r)
				cpu, ok2 := b.Float(model.ThreadCPU, r)
				if !ok || !ok2 {
					continue
				}
				host, _ := b.Text(model.ThreadHost, r)
				key := fmt.Sprint(run.Text(host), " ", tid)
				x := want[key]
				if x == nil {
					x = &Thread{ThreadKey: ThreadKey{Host: run.Text(host), TID: tid}, Stack: -1, First: run.Pos(b, r)}
					want[key], files[key] = x, b.File
					order = append(order, key)
				}
				if files[key] == b.File {
					addPlain(run, b, r, x, cpu)
				}
			}
		}
		for _, x := range threadRows(run) {
			key := fmt.Sprint(x.Host, " ", x.TID)
			got[key] = x.Thread
			names = append(names, key)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Thread{}, usePoint{})); diff != "" {
			t.Fatalf("%d batches (-one by one +in halves):\n%s", len(run.Threads.Batches), diff)
		}
		if diff := cmp.Diff(order, names); diff != "" {
			t.Fatalf("order (-one by one +in halves):\n%s", diff)
		}
	}
}

func addPlain(run *model.Run, b *model.Batch, r int, x *Thread, cpu float64) {
	if c, ok := b.Text(model.ThreadName, r); ok {
		x.Name = run.Text(c)
	}
	if c, ok := b.Text(model.ThreadRole, r); ok && x.Role == "" {
		x.Role = wordRole(run.Text(c))
	}
	if pid, ok := b.Int(model.ThreadPID, r); ok {
		x.PID = pid
	}
	wait, _ := b.Float(model.ThreadWait, r)
	at, _ := b.Int(model.ThreadT, r)
	seconds, _ := b.Float(model.ThreadInterval, r)
	x.Wait += wait
	x.points = append(x.points, usePoint{at, seconds, cpu})
	x.Rows++
}

// threadRun has rows of some threads in up to three files; shares are quarters, so that
// sums are exact in any order.
func threadRun(rng *rand.Rand) *model.Run {
	run := model.NewRun()
	for file := range 1 + rng.IntN(3) {
		out := model.NewRunBuilder(&model.File{Path: fmt.Sprint("f", file)})
		first := rng.IntN(4)
		for i := range []int{0, 7, 2000, 9000}[rng.IntN(4)] {
			b := out.Threads.Add(i+1, int64(i))
			b.SetInt(model.ThreadT, int64(i)*1e6)
			if rng.IntN(50) > 0 {
				b.SetInt(model.ThreadTID, int64(1+first+i*(i/500)%6))
			}
			if rng.IntN(50) > 0 {
				b.SetFloat(model.ThreadCPU, float64(rng.IntN(5))/4)
			}
			if rng.IntN(3) == 0 {
				b.SetInt(model.ThreadPID, int64(1+rng.IntN(3)))
			}
			if rng.IntN(3) == 0 {
				b.SetFloat(model.ThreadWait, float64(rng.IntN(5))/4)
			}
			if rng.IntN(9) == 0 {
				b.SetText(model.ThreadName, out.Strings.Code(fmt.Sprint("name-", rng.IntN(4))))
				b.SetText(model.ThreadRole, out.Strings.Code([]string{"target", "drafter", "x"}[rng.IntN(3)]))
			}
			if file == 2 {
				b.SetText(model.ThreadHost, out.Strings.Code("host"))
			}
		}
		run.Files = append(run.Files, out.File)
		run.Join(out, int32(file))
	}
	return run
}
