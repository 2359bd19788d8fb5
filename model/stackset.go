package model

import (
	"math/bits"
	"slices"
)

// A Frame is one place in a program. Function and File are codes of the run's
// string pool; File is the object's base name for native code; Line is 0 where
// it is unknown. Frames are comparable.
type Frame struct {
	Function, File int32
	Line           int32
	Native         bool
}

// StackSet holds distinct stacks. A stack is its parent, which is its first
// frames in whole chunks, and the rest of its frames; so a stack takes 4 bytes
// a frame, and deep ones that differ near the leaf share what lies below.
type StackSet struct {
	frames []Frame
	code   map[Frame]int32 // nil until it is needed
	path   []int32         // the frames of all stacks without their parents', one after another
	end    []uint32        // where each stack's frames end in path
	parent []int32
	number *sumTable // nil until it is needed
}

// chunk is how many frames one entry of a StackSet holds at most.
const chunk = 64

// NewStackSet returns a set with only the empty stack, 0.
func NewStackSet() *StackSet { return &StackSet{end: []uint32{0}, parent: []int32{0}} }

// room makes room for so many stacks, with so many frames, and numbers those
// that came by Profile.Append without it.
func (s *StackSet) room(stacks, frames int) {
	s.path, s.end, s.parent = slices.Grow(s.path, frames), slices.Grow(s.end, stacks), slices.Grow(s.parent, stacks)
	if s.number == nil {
		s.number = newSumTable(stacks + len(s.end))
		for id := int32(1); int(id) < len(s.end); id++ {
			s.number.put(stackSum(s.parent[id], s.tail(id)), id)
		}
	}
}

// Frame returns the code of a frame.
func (s *StackSet) Frame(f Frame) int32 {
	if s.code == nil {
		s.code = make(map[Frame]int32, 2*len(s.frames))
		for i, f := range s.frames {
			s.code[f] = int32(i)
		}
	}
	c, ok := s.code[f]
	if !ok {
		c = int32(len(s.frames))
		s.frames = append(s.frames, f)
		s.code[f] = c
	}
	return c
}

// Stack returns the number of the stack with these frames, root first.
func (s *StackSet) Stack(frames []int32) int32 {
	parent := int32(0)
	for len(frames) > chunk {
		parent, frames = s.entry(parent, frames[:chunk]), frames[chunk:]
	}
	return s.entry(parent, frames)
}

// Push returns the stack that is parent with one frame more, towards the leaf.
func (s *StackSet) Push(stack, frame int32) int32 {
	tail := s.tail(stack)
	if len(tail) == chunk {
		return s.entry(stack, []int32{frame})
	}
	return s.entry(s.parent[stack], append(append(make([]int32, 0, chunk), tail...), frame))
}

// entry returns the number of the stack that is parent and then frames.
func (s *StackSet) entry(parent int32, frames []int32) int32 {
	if len(frames) == 0 {
		return parent
	}
	if s.number == nil {
		s.room(0, 0)
	}
	sum := stackSum(parent, frames)
	for slot, id := s.number.first(sum); id >= 0; slot, id = s.number.next(sum, slot) {
		if s.parent[id] == parent && slices.Equal(s.tail(id), frames) {
			return id
		}
	}
	id := int32(len(s.end))
	s.number.put(sum, id)
	s.path = append(s.path, frames...)
	s.end = append(s.end, uint32(len(s.path)))
	s.parent = append(s.parent, parent)
	return id
}

// stackSum is a hash; entry compares where two are equal.
func stackSum(parent int32, frames []int32) uint64 {
	h := uint64(parent)<<32 | uint64(len(frames))
	for _, f := range frames {
		hi, lo := bits.Mul64(h^uint64(f)*0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
		h = hi ^ lo ^ uint64(f)
	}
	return h
}

// tail returns the frames that a stack has beside its parent's.
func (s *StackSet) tail(stack int32) []int32 {
	if stack == 0 {
		return nil
	}
	return s.path[s.end[stack-1]:s.end[stack]]
}

// Path appends the frame codes of a stack to buf, root first.
func (s *StackSet) Path(stack int32, buf []int32) []int32 {
	if stack == 0 {
		return buf
	}
	return append(s.Path(s.parent[stack], buf), s.tail(stack)...)
}

// At returns the frame with a code.
func (s *StackSet) At(code int32) Frame { return s.frames[code] }

// Frames returns the number of distinct frames.
func (s *StackSet) Frames() int { return len(s.frames) }

// Stacks returns the number of distinct stacks, the empty one and the parents included.
func (s *StackSet) Stacks() int { return len(s.end) }

// Map adds the stacks of q, whose text codes are changed by text, and returns
// for every stack of q its number in s. Nil means they kept their numbers: an
// empty s takes over what q holds, and q is of no use after it.
func (s *StackSet) Map(q *StackSet, text []int32) []int32 {
	if len(s.end) == 1 && len(s.frames) == 0 {
		*s = *q
		for i, f := range s.frames {
			s.frames[i].Function, s.frames[i].File = text[f.Function], text[f.File]
		}
		s.code = nil
		return nil
	}
	codes := make([]int32, len(q.frames))
	for i, f := range q.frames {
		f.Function, f.File = text[f.Function], text[f.File]
		codes[i] = s.Frame(f)
	}
	numbers := make([]int32, len(q.end))
	var buf []int32
	for i := int32(1); int(i) < len(q.end); i++ {
		buf = buf[:0]
		for _, f := range q.tail(i) {
			buf = append(buf, codes[f])
		}
		numbers[i] = s.entry(numbers[q.parent[i]], buf)
	}
	return numbers
}
