package ingest

import (
	"slices"

	"tidemark/model"
)

// A scopeEvent opens or closes a frame.
type scopeEvent struct {
	kind  string
	frame int32
	at    float64
	ok    bool
}

// A scopeOpen is an open frame: with all below it, a stack of a thread.
type scopeOpen struct {
	frame, stack int32
	thread       *model.StackThread
}

// evented adds the time between two events to the stack that is open there.
func (p *scopeParser) evented(doc []byte, r *scopeRow) {
	j := &jsonCursor{b: doc[:r.events[1]], i: r.events[0]}
	open := []scopeOpen{{-1, 0, &r.thread}}
	last, lost, back := r.start, 0, 0
	j.elements(func() {
		j.next()
		from := j.i
		e := p.event(j)
		if e.ok && e.at < last {
			back++
			e.at = last
		}
		if !e.ok || e.kind == "O" && len(open) > model.MaxDepth {
			lost++
			return
		}
		p.spend(open, e.at-last, from)
		last = e.at
		if e.kind == "O" {
			open = append(open, p.opened(open[len(open)-1], e.frame))
		} else if n := lastOpen(open, e.frame); n > 0 {
			open = open[:n]
		} else {
			lost++
		}
	})
	p.spend(open, r.end-last, r.events[0])
	p.open += len(open) - 1
	if lost > 0 || back > 0 {
		p.warn(r, "%d events that open or close no frame, %d that go back in time; want them paired and in order", lost, back)
	}
	if j.err != nil {
		p.warn(r, "%v", j.err)
	}
}

func (p *scopeParser) opened(below scopeOpen, frame int32) scopeOpen {
	f := p.frames[frame]
	if f.row != "" {
		t := withRow(*below.thread, f.row, p.row.thread.PID)
		return scopeOpen{frame, below.stack, &t}
	}
	p.native = p.native || f.native
	return scopeOpen{frame, p.out.Stacks.Set.Push(below.stack, f.code), below.thread}
}

// spend adds time to the open stack.
func (p *scopeParser) spend(open []scopeOpen, d float64, at int) {
	if top := open[len(open)-1]; d > 0 && len(open) > 1 {
		p.weigh(p.add(*top.thread, top.stack, at), d)
	}
}

// lastOpen returns the index of the innermost open frame with a number, -1
// where none has it.
func lastOpen(open []scopeOpen, frame int32) int {
	for i, o := range slices.Backward(open) {
		if o.frame == frame {
			return i
		}
	}
	return -1
}

// event reads one event; ok is false where it has no frame or no time.
func (p *scopeParser) event(j *jsonCursor) scopeEvent {
	var e scopeEvent
	timed, framed := false, false
	if j.next() != '{' {
		j.skip()
		return e
	}
	j.members(func(key string) {
		switch {
		case key == "type" && j.next() == '"':
			e.kind = j.text()
		case key == "at":
			e.at, timed = j.number()
		case key == "frame":
			var v float64
			v, framed = j.number()
			framed = framed && v >= 0 && v < float64(len(p.frames))
			e.frame = int32(min(max(v, 0), 1<<30))
		default:
			j.skip()
		}
	})
	e.ok = timed && framed && (e.kind == "O" || e.kind == "C")
	return e
}
