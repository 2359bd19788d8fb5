package benchdata

import (
	"io"
	"strconv"
)

// outputBlock is how many bytes are held before they are written.
const outputBlock = 1 << 20

// An output collects the text of a file and writes it in blocks.
type output struct {
	w    io.Writer
	b    []byte
	done int64 // bytes written before b
	err  error
}

// size is how many bytes the file has so far.
func (o *output) size() int64 { return o.done + int64(len(o.b)) }

// flush writes what is held if that is a block. Writers call it once a record
// and stop where it reports false.
func (o *output) flush() bool {
	if len(o.b) >= outputBlock {
		o.drain()
	}
	return o.err == nil
}

func (o *output) drain() {
	if o.err == nil {
		_, o.err = o.w.Write(o.b)
	}
	o.done += int64(len(o.b))
	o.b = o.b[:0]
}

func (o *output) close() error {
	o.drain()
	return o.err
}

func (o *output) text(s string) { o.b = append(o.b, s...) }

func (o *output) int(v int) { o.b = strconv.AppendInt(o.b, int64(v), 10) }

// zeros writes v with at least n digits.
func (o *output) zeros(v, n int) {
	for limit := pow10(n - 1); limit > max(v, 1); limit /= 10 {
		o.b = append(o.b, '0')
	}
	o.int(v)
}

// fixed writes v as units of the given number of decimals: 1234 with 2 is 12.34.
func (o *output) fixed(v, decimals int) {
	scale := pow10(decimals)
	o.int(v / scale)
	o.b = append(o.b, '.')
	o.zeros(v%scale, decimals)
}

func pow10(n int) int {
	v := 1
	for range n {
		v *= 10
	}
	return v
}

// align moves what was written since from to the right end of a field.
func (o *output) align(from, width int) {
	n := len(o.b) - from
	for range width - n {
		o.b = append(o.b, ' ')
	}
	if n < width {
		copy(o.b[len(o.b)-n:], o.b[from:from+n])
		for i := range width - n {
			o.b[from+i] = ' '
		}
	}
}
