package infer

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
)

// A passOrder says when a pass may run.
type passOrder struct {
	open   int     // required passes that are not done
	next   []*Pass // that require this one
	height int     // of the longest chain of passes from this one on
}

// A schedule runs passes, each once those that it requires are done. Of several it
// takes the one with the longest chain behind it.
type schedule struct {
	mu    sync.Mutex
	more  *sync.Cond // there is more in ready, or nothing left
	ready []*Pass    // the next one last
	left  int        // not yet begun
}

// runAll runs the passes of a list in which each analyzer stands after what it
// requires, but for the last ones, on all processors; it returns when all are done.
func runAll(list []*Analyzer, passes map[*Analyzer]*Pass) {
	s := &schedule{}
	s.more = sync.NewCond(&s.mu)
	for _, a := range slices.Backward(list) {
		p := passes[a]
		if a.Last {
			continue
		}
		for _, r := range a.Requires {
			q := &passes[r].order
			q.next, q.height = append(q.next, p), max(q.height, p.order.height+1)
		}
		p.order.open = len(a.Requires)
		s.left++
	}
	for _, a := range list {
		if !a.Last && len(a.Requires) == 0 {
			s.add(passes[a])
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), s.left) {
		wg.Go(s.work)
	}
	wg.Wait()
}

// add puts a pass among those that are ready.
func (s *schedule) add(p *Pass) {
	i, _ := slices.BinarySearchFunc(s.ready, p, func(a, b *Pass) int { return cmp.Compare(a.order.height, b.order.height) })
	s.ready = slices.Insert(s.ready, i, p)
}

// work runs passes until all are begun.
func (s *schedule) work() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.left > 0 {
		if len(s.ready) == 0 {
			s.more.Wait()
			continue
		}
		p := s.ready[len(s.ready)-1]
		s.ready, s.left = s.ready[:len(s.ready)-1], s.left-1
		s.mu.Unlock()
		p.do()
		s.mu.Lock()
		for _, n := range p.order.next {
			if n.order.open--; n.order.open == 0 {
				s.add(n)
			}
		}
		s.more.Broadcast()
	}
}
