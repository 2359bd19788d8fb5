package ingest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"tidemark/model"
)

// TFEvents is an event file of TensorBoard: records with a masked CRC-32C over
// their length and one over their content. A writer that was killed leaves the
// last one short, which is normal.
var TFEvents = &Format{
	Name:   "tfevents",
	Doc:    "event files of TensorBoard: events.out.tfevents.*",
	Record: "SummaryWriter of torch.utils.tensorboard, or report_to=\"tensorboard\"",
	Detect: func(_ string, head []byte) bool {
		return len(head) >= tfHeader && tfLength(head) >= 0 && tfLength(head) < 1<<20
	},
	Parse: parseTFEvents,
}

const (
	tfHeader = 12 // length and its CRC
	// tfRecord is the largest record that is looked into: pictures and graphs
	// are larger, and are passed over.
	tfRecord = 16 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC is the CRC as TensorFlow stores it: turned right by 15 bits, plus a
// constant (tensorflow/core/lib/hash/crc32c.h).
func maskedCRC(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// tfLength returns the length in a record's header, -1 where its CRC is wrong.
func tfLength(b []byte) int64 {
	if binary.LittleEndian.Uint32(b[8:]) != maskedCRC(b[:8]) {
		return -1
	}
	return int64(binary.LittleEndian.Uint64(b) & math.MaxInt64)
}

func parseTFEvents(src *Source, out *model.RunBuilder) error {
	p := &tfReader{r: bufio.NewReaderSize(src.r, 1<<20), sheet: newMetricSheet(out), kinds: map[string]string{}, runs: tagSessions{tags: map[int32]*tagSteps{}}}
	p.sheet.single = true
	for {
		err := p.record()
		if errors.Is(err, io.EOF) {
			p.held.release(p.sheet.out)
			p.note()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

type tfReader struct {
	r       *bufio.Reader
	off     int64
	buf     []byte
	sheet   *metricSheet
	kinds   map[string]string // plugin by tag, from its first event
	runs    tagSessions
	held    heldQueue
	records int
	large   int
	damaged int // stretches
	bytes   int64
}

// record reads one record. Where the header is wrong the next right one is
// looked for, byte by byte; where only the content is, it is left out.
func (p *tfReader) record() error {
	head, err := p.r.Peek(tfHeader)
	if len(head) < tfHeader {
		return p.cut(len(head), err)
	}
	n := tfLength(head)
	if n < 0 {
		return p.resync()
	}
	at := p.off
	p.skip(tfHeader)
	if n > tfRecord {
		p.large++
		return p.discard(min(n, 1<<50) + 4)
	}
	if int64(cap(p.buf)) < n+4 {
		p.buf = make([]byte, n+4)
	}
	b := p.buf[:n+4]
	k, err := io.ReadFull(p.r, b)
	p.off += int64(k)
	if err != nil {
		return p.cut(k+tfHeader, err)
	}
	if binary.LittleEndian.Uint32(b[n:]) != maskedCRC(b[:n]) {
		p.damage(n + tfHeader + 4)
		return nil
	}
	p.records++
	p.event(b[:n], at)
	return nil
}

func (p *tfReader) skip(n int) {
	k, _ := p.r.Discard(n)
	p.off += int64(k)
}

// discard passes over n bytes that may not all be there.
func (p *tfReader) discard(n int64) error {
	for n > 0 {
		k, err := p.r.Discard(int(min(n, 1<<30)))
		p.off += int64(k)
		n -= int64(k)
		if err != nil {
			return p.cut(k, err)
		}
	}
	return nil
}

// cut ends the reading; left is how many bytes of a record were there.
func (p *tfReader) cut(left int, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	if left > 0 && errors.Is(err, io.EOF) {
		p.sheet.out.File.Note(fmt.Sprintf("ends in the middle of a record after %d whole ones, as when the writer was killed", p.records))
	}
	return err
}

// resync passes over what is no header.
func (p *tfReader) resync() error {
	from := p.off
	for {
		head, err := p.r.Peek(tfHeader)
		if len(head) < tfHeader {
			p.skip(len(head))
			p.damage(p.off - from)
			return err
		}
		if n := tfLength(head); n >= 0 && n <= math.MaxInt32 {
			p.damage(p.off - from)
			return nil
		}
		p.skip(1)
	}
}

func (p *tfReader) damage(n int64) {
	p.damaged++
	p.bytes += n
	p.sheet.out.Warn(&model.SyntaxError{
		Pos: model.Pos{File: p.sheet.out.File.Path, Byte: p.off - n},
		Msg: fmt.Sprintf("%d damaged bytes, want a record with the right CRC; what follows is read", n),
	})
}

func (p *tfReader) note() {
	if p.damaged > 0 {
		p.sheet.out.File.Note(fmt.Sprintf("damaged in %d places, %d bytes in all", p.damaged, p.bytes))
	}
	if p.large > 0 {
		p.sheet.out.File.Note(fmt.Sprintf("records over %d MiB passed over: %d", tfRecord>>20, p.large))
	}
}

// event reads an Event (tensorflow/core/util/event.proto).
func (p *tfReader) event(b []byte, at int64) {
	var summary []byte
	ok := protoFields(b, func(f protoField) {
		switch f.number {
		case 1:
			if f.double > 1e8 && f.double < 4e9 {
				p.sheet.dated(f.double)
			}
		case 2:
			p.sheet.counted(int64(f.value), 1)
		case 5:
			summary = f.bytes
		case 7:
			protoFields(f.bytes, func(f protoField) {
				if f.number == 1 && f.value == 1 && p.records > 2 { // START
					p.runs.announced = true
				}
			})
		}
	})
	if !ok || summary == nil {
		p.sheet.drop()
		return
	}
	if p.sheet.rank == 0 {
		p.sheet.counted(0, 1) // a step of 0 is not on the wire
	}
	protoFields(summary, func(f protoField) {
		if f.number == 1 {
			p.value(f.bytes)
		}
	})
	if len(p.sheet.values) == 0 {
		p.sheet.drop()
		return
	}
	for _, v := range p.sheet.values {
		p.runs.next(v.key, p.sheet.step, math.NaN())
	}
	p.sheet.session = sheetSession{number: p.runs.number}
	p.held.gather(p.sheet, at)
	p.sheet.flush(0, at)
}
