package ingest

import (
	"bytes"
	"strconv"

	"tidemark/model"
)

// bind tells later parts the text state.
func (p *pidstatParser) bind() {
	state := strconv.AppendInt(nil, int64(p.clock.kind), 10)
	state = strconv.AppendBool(append(state, ' '), p.mixed)
	state = append(append(append(state, '\n'), p.banner.text...), '\n')
	p.src.Bind(string(append(state, p.header...)))
}

// bound takes what bind said in an earlier part.
func (p *pidstatParser) bound(s string) {
	f := bytes.SplitN([]byte(s), []byte{'\n'}, 3)
	if len(f) < 3 {
		return
	}
	p.clock.kind = model.ClockKind(f[0][0] - '0')
	p.mixed = bytes.HasSuffix(f[0], []byte("true"))
	p.restart(f[1])
	if cols, cpu, ok := pidstatHeader(f[2]); ok && cpu {
		p.setHeader(f[2], cols)
		p.here = !p.mixed
	}
}

// resume reads what precedes a part again, as far back as needed, for the
// state in which the part begins.
func (p *pidstatParser) resume() {
	const first, last = 64 << 10, 16 << 20
	for n := first; ; n *= 4 {
		text := p.src.Before(n)
		whole := len(text) < n
		if !whole {
			text = text[bytes.IndexByte(text, '\n')+1:]
		}
		out := model.NewRunBuilder(&model.File{})
		q := &pidstatParser{out: out, src: newSource(&Format{}, out, p.src.Name, bytes.NewReader(text), 0)}
		if !whole {
			q.bound(p.src.Header)
		}
		q.run()
		if whole || n >= last || q.header == nil || q.clock.gaps > 0 && (q.here || q.mixed) {
			p.adopt(q)
			return
		}
	}
}

// adopt takes over the state of q. The text of its time is left out, so that
// the first row sets its time anew.
func (p *pidstatParser) adopt(q *pidstatParser) {
	p.banner, p.header, p.cols = q.banner, q.header, q.cols
	p.here, p.mixed, p.pid, p.clock = q.here, q.mixed, q.pid, q.clock
	p.clock.t = 0
	if len(p.banner.host) > 0 {
		p.host = p.out.Strings.Code(p.banner.host)
	}
	p.bind()
}
