package model

import "testing"

// TestAddAgain: a sample is added to that with its thread, stack and hint, also
// after Append has joined profiles and Room has numbered what they hold.
func TestAddAgain(t *testing.T) {
	p, text := NewProfile(), []int32{0, 1}
	for i := range int32(3) {
		q := NewProfile()
		q.Captures = []Capture{{Writer: Collapsed}}
		th := q.Thread(StackThread{TID: "7"})
		q.Add(Sample{Thread: th, Stack: q.Set.Stack([]int32{q.Set.Frame(Frame{Function: 1, Line: i % 2})}), N: 1, Line: 1})
		p.Append(q, text, i, 10, false)
	}
	if len(p.Captures) != 3 || len(p.Threads) != 3 || len(p.Samples) != 3 || p.Set.Stacks() != 3 {
		t.Fatalf("%d captures, %d threads, %d samples, %d stacks; want 3 of each", len(p.Captures), len(p.Threads), len(p.Samples), p.Set.Stacks())
	}
	p.Room(100, 1000)
	last := p.Samples[2]
	if last.Thread != 2 || last.Line != 11 || p.Threads[2].Capture != 2 || p.Captures[2].File != 2 {
		t.Errorf("last sample %+v, thread %+v, capture %+v", last, p.Threads[2], p.Captures[2])
	}
	if i := p.Add(Sample{Thread: 2, Stack: last.Stack, N: 4, Seconds: 2}); i != 2 || p.Samples[2].N != 5 || p.Samples[2].Seconds != 2 {
		t.Errorf("added to %d: %+v", i, p.Samples[2])
	}
	if i := p.Add(Sample{Thread: 2, Stack: last.Stack, Hint: HintGIL, N: 1}); i != 3 {
		t.Errorf("another hint went to sample %d", i)
	}
}
