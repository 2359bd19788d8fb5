package ingest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"tidemark/model"
)

// AustinMOJO is austin's binary output, versions 1 to 4.
var AustinMOJO = &Format{
	Name:   "austin-mojo",
	Doc:    "austin 4, or before it austin -b: the binary MOJO stream",
	Record: "austin -i 10ms -p PID -x 60 -o austin.mojo",
	Detect: func(_ string, head []byte) bool {
		return len(head) > 4 && string(head[:3]) == "MOJ" && head[3] >= 1 && head[3] <= maxMOJO && head[4] <= mojoRepeat
	},
	Parse: parseMOJO,
}

// maxMOJO is the newest version that is known.
const maxMOJO = 4

// The events of a stream.
const (
	mojoMeta = 1 + iota
	mojoStack
	mojoFrame
	mojoInvalid
	mojoRef
	mojoKernel
	mojoGC
	mojoIdle
	mojoTime
	mojoMemory
	mojoString
	mojoStringRef
	mojoRepeat
)

// maxMOJOText is the longest string that is believed.
const maxMOJOText = 1 << 16

type mojoKey struct{ pid, ref int64 }

// A mojoReader walks over the events. Strings and frames are named once for
// each process and referred to by number afterwards. A sample ends where the
// next stack begins.
type mojoReader struct {
	austinCapture
	r       *bufio.Reader
	off     int64 // of the next byte
	event   int64 // of the event in work
	version int64
	strings map[mojoKey]string
	frames  map[mojoKey]int32
	before  map[model.StackThread][]int32 // the last frames of each thread
	thread  model.StackThread
	open    bool
	at      int64 // of the stack in work
	seconds float64
	hint    model.Hint
	bytes   bool // has memory
}

func parseMOJO(src *Source, out *model.RunBuilder) error {
	m := &mojoReader{
		austinCapture: austinCapture{out: out}, r: bufio.NewReaderSize(src.r, 1<<16),
		strings: map[mojoKey]string{}, frames: map[mojoKey]int32{}, before: map[model.StackThread][]int32{},
	}
	err := m.read()
	if errors.Is(err, io.EOF) && m.off > m.event { // in the middle of an event
		out.File.Note(fmt.Sprintf("ends in the middle of an event at byte %d: the samples before it are kept", m.event))
	}
	m.end()
	if bad := m.finish(); bad != nil {
		return bad
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (m *mojoReader) read() error {
	if _, err := m.r.Discard(3); err != nil {
		return err
	}
	m.off, m.event = 3, 0
	v, err := m.varint()
	if err != nil {
		return err
	}
	if m.version = v; v < 1 || v > maxMOJO {
		return fmt.Errorf("MOJO version %d, want 1 to %d", v, maxMOJO)
	}
	for {
		m.event = m.off
		kind, err := m.byte()
		if err != nil {
			return err
		}
		if err := m.one(kind); err != nil {
			return err
		}
	}
}

// one reads one event after its kind.
func (m *mojoReader) one(kind byte) error {
	switch kind {
	case mojoMeta:
		key, err := m.text()
		if err != nil {
			return err
		}
		value, err := m.text()
		if err == nil {
			m.meta(key, value)
		}
		return err
	case mojoStack:
		return m.stack()
	case mojoFrame:
		return m.newFrame()
	case mojoInvalid:
		m.push(frameText{function: []byte(":INVALID:")})
	case mojoRef:
		key, err := m.varint()
		if code, ok := m.frames[mojoKey{m.thread.PID, key}]; ok && err == nil && len(m.codes) < model.MaxDepth {
			m.codes = append(m.codes, code)
		} else if err == nil {
			m.push(frameText{function: []byte(":INVALID:")})
		}
		return err
	case mojoKernel:
		name, err := m.text()
		m.push(frameText{function: []byte(name), file: []byte("kernel"), native: true})
		return err
	case mojoGC:
		m.push(frameText{function: []byte(":GC:")})
	case mojoIdle:
		m.hint = model.HintIdle
	case mojoTime:
		v, err := m.varint()
		m.seconds += float64(max(v, 0)) * 1e-6
		return err
	case mojoMemory:
		m.bytes = true
		_, err := m.varint()
		return err
	case mojoString:
		return m.newString()
	case mojoStringRef:
		_, err := m.varint()
		return err
	case mojoRepeat:
		m.repeat()
	default:
		return fmt.Errorf("byte %d: event %d, want 1 to %d", m.event, kind, mojoRepeat)
	}
	return nil
}

func (m *mojoReader) push(f frameText) { m.frame(f) }

// stack begins the sample of a thread. Its number is printed in hexadecimal.
func (m *mojoReader) stack() error {
	m.end()
	pid, err := m.varint()
	if err == nil && m.version >= 3 {
		_, err = m.varint()
	}
	if err != nil {
		return err
	}
	tid, err := m.text()
	if err != nil {
		return err
	}
	if n, bad := strconv.ParseUint(tid, 16, 64); bad == nil {
		tid = strconv.FormatUint(n, 10)
	}
	m.thread = model.StackThread{PID: pid, TID: tid}
	m.open, m.at, m.seconds, m.hint, m.bytes, m.codes = true, m.event, 0, 0, false, m.codes[:0]
	return nil
}

// end adds the sample in work.
func (m *mojoReader) end() {
	if !m.open {
		return
	}
	m.open = false
	if m.version >= 4 {
		m.before[m.thread] = append(m.before[m.thread][:0], m.codes...)
	}
	if m.bytes && m.seconds == 0 {
		m.memory = true
		return
	}
	if m.seconds > 0 {
		m.add(m.thread, m.hint, m.seconds, 0, m.at)
	}
}

// repeat puts the thread's frames of last time, without the machine code at
// their end, before those that were read.
func (m *mojoReader) repeat() {
	last := m.before[m.thread]
	for len(last) > 0 && m.out.Stacks.Set.At(last[len(last)-1]).Native {
		last = last[:len(last)-1]
	}
	if len(last)+len(m.codes) <= model.MaxDepth {
		m.codes = slices.Insert(m.codes, 0, last...)
	}
}

// newFrame reads a frame and its number; it stands for its own use as well
// only through a reference that follows.
func (m *mojoReader) newFrame() error {
	n := 4
	if m.version >= 2 {
		n = 7
	}
	var v [7]int64
	for i := range n {
		var err error
		if v[i], err = m.varint(); err != nil {
			return err
		}
	}
	f := m.settle(frameText{function: []byte(m.named(v[2])), file: []byte(m.named(v[1])), line: int32(min(max(v[3], 0), 1<<30)), whole: true})
	m.native = m.native || f.native
	m.frames[mojoKey{m.thread.PID, v[0]}] = m.out.Stacks.Set.Frame(f.frame(m.out.Strings))
	return nil
}

// named returns the string with a number; 1 stands for an unknown scope.
func (m *mojoReader) named(ref int64) string {
	if s, ok := m.strings[mojoKey{m.thread.PID, ref}]; ok {
		return s
	}
	return "<unknown>"
}

func (m *mojoReader) newString() error {
	key, err := m.varint()
	if err != nil {
		return err
	}
	s, err := m.text()
	if err == nil {
		m.strings[mojoKey{m.thread.PID, key}] = s
	}
	return err
}

func (m *mojoReader) byte() (byte, error) {
	c, err := m.r.ReadByte()
	if err == nil {
		m.off++
	}
	return c, err
}

// varint reads a number: six bits and the sign in the first byte, seven in the others.
func (m *mojoReader) varint() (int64, error) {
	c, err := m.byte()
	if err != nil {
		return 0, err
	}
	v, neg := int64(c&0x3f), c&0x40 != 0
	for shift := 6; c&0x80 != 0; shift += 7 {
		if shift > 56 {
			return 0, fmt.Errorf("byte %d: a number of more than 62 bits", m.event)
		}
		if c, err = m.byte(); err != nil {
			return 0, err
		}
		v |= int64(c&0x7f) << shift
	}
	if neg {
		v = -v
	}
	return v, nil
}

// text reads a string up to its NUL.
func (m *mojoReader) text() (string, error) {
	var b []byte
	for {
		c, err := m.byte()
		if err != nil {
			return "", err
		}
		if c == 0 {
			return string(valid(b)), nil
		}
		if b = append(b, c); len(b) > maxMOJOText {
			return "", fmt.Errorf("byte %d: a string of more than %d bytes", m.event, maxMOJOText)
		}
	}
}
