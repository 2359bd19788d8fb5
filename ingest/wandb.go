package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"tidemark/model"
)

// WandB is the file of an offline run of W&B: a header, then records in chunks
// in blocks of 32 KiB, as LevelDB's log has them, but with a plain CRC-32 (IEEE)
// over type and data. The header's seven bytes belong to the first block.
var WandB = &Format{
	Name:   "wandb",
	Doc:    "offline run of Weights & Biases: run-ID.wandb, its history, settings, system metrics and console text",
	Record: "WANDB_MODE=offline; the file lies in wandb/offline-run-*/",
	Detect: func(_ string, head []byte) bool { return bytes.HasPrefix(head, []byte(":W&B\xe1\xbe")) },
	Parse:  parseWandB,
}

const (
	wandbBlock  = 32 << 10
	wandbHeader = 7
	// wandbRecord is the largest record that is put together.
	wandbRecord = 64 << 20
)

// Types of chunks.
const (
	wandbFull = 1 + iota
	wandbFirst
	wandbMiddle
	wandbLast
)

func parseWandB(src *Source, out *model.RunBuilder) error {
	p := &wandbReader{
		out: out, sheet: &jsonSheet{metricSheet: newMetricSheet(out)},
		system: wandbParser{metricRows: metricRows{src: src, out: out}, cols: map[string]wandbColumn{}},
	}
	block := make([]byte, wandbBlock)
	for {
		n, err := io.ReadFull(src.r, block)
		from := 0
		if p.off == 0 {
			if n < wandbHeader {
				return errors.New("no header of W&B")
			}
			from = wandbHeader
		}
		p.block(block[:n], from)
		p.off += int64(n)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			p.notes()
			out.Console = p.console.log(out.File)
			return nil
		}
		if err != nil {
			return err
		}
	}
}

type wandbReader struct {
	out     *model.RunBuilder
	sheet   *jsonSheet
	off     int64 // of the block
	record  []byte
	open    bool // a record that goes on
	at      int64
	damaged int
	cut     bool
	records int
	history int
	console wandbConsole
	stats   int
	name    []byte
	media   []string // paths of the record in work that hold no metrics
	system  wandbParser
	line    []byte // system metrics as a line of wandb-events.jsonl
}

// block reads the chunks of a block. A chunk that is damaged costs the rest of
// its block, since its length cannot be trusted.
func (p *wandbReader) block(b []byte, i int) {
	for i+wandbHeader <= len(b) {
		n := int(binary.LittleEndian.Uint16(b[i+4:]))
		kind := b[i+6]
		end := i + wandbHeader + n
		if kind == 0 && n == 0 {
			break // the end of a block is filled with zeros
		}
		if end > len(b) {
			if p.cut = len(b) < wandbBlock; !p.cut {
				p.damage(i)
			}
			return
		}
		if crc32.ChecksumIEEE(b[i+6:end]) != binary.LittleEndian.Uint32(b[i:]) {
			p.damage(i)
			return
		}
		p.chunk(kind, b[i+wandbHeader:end], p.off+int64(i))
		i = end
	}
	p.cut = p.cut || len(b) < wandbBlock && p.open
}

func (p *wandbReader) damage(i int) {
	p.damaged++
	p.open = false
	p.out.Warn(&model.SyntaxError{
		Pos: model.Pos{File: p.out.File.Path, Byte: p.off + int64(i)},
		Msg: "a chunk with a wrong CRC or length; reading goes on at the next block",
	})
}

// chunk puts records together.
func (p *wandbReader) chunk(kind byte, b []byte, at int64) {
	switch kind {
	case wandbFull:
		p.open = false
		p.one(b, at)
		return
	case wandbFirst:
		p.record, p.open, p.at = append(p.record[:0], b...), true, at
		return
	case wandbMiddle, wandbLast:
		if !p.open || len(p.record)+len(b) > wandbRecord {
			p.open = false
			return
		}
		p.record = append(p.record, b...)
	}
	if kind == wandbLast {
		p.open = false
		p.one(p.record, p.at)
	}
}

// one reads a Record (wandb/proto/wandb_internal.proto): history, config,
// console text, system metrics.
func (p *wandbReader) one(b []byte, at int64) {
	p.records++
	protoFields(b, func(f protoField) {
		switch f.number {
		case 2:
			p.historyRecord(f.bytes, at)
		case 5:
			p.config(f.bytes, at)
		case 17:
			protoFields(f.bytes, func(f protoField) {
				if f.number == 4 {
					p.config(f.bytes, at)
				}
			})
		case 7:
			p.statsRecord(f.bytes)
		case 4, 13:
			p.console.record(f.number, f.bytes, at)
		}
	})
}

// historyRecord is one call of log: items with a key, or a path of keys, and a
// value as JSON; the call's number stands beside them.
func (p *wandbReader) historyRecord(b []byte, at int64) {
	p.findMedia(b)
	ok := protoFields(b, func(f protoField) {
		switch f.number {
		case 1:
			name, value := p.item(f.bytes)
			if p.inMedia(name) {
				return
			}
			p.sheet.path = append(p.sheet.path[:0], name...)
			p.sheet.value(&jsonCursor{b: value}, 0)
		case 2:
			protoFields(f.bytes, func(f protoField) {
				if f.number == 1 {
					p.sheet.counted(int64(f.value), sheetCallRank)
				}
			})
		}
	})
	if !ok {
		p.sheet.drop()
		return
	}
	p.history++
	p.sheet.flush(0, at)
}

// statsRecord is one look at the system. It is read as the line that W&B would
// write of it into wandb-events.jsonl.
func (p *wandbReader) statsRecord(b []byte) {
	p.line = append(p.line[:0], '{')
	ok := protoFields(b, func(f protoField) {
		switch f.number {
		case 2:
			seconds, nanos, _ := protoTime(f.bytes)
			p.line = fmt.Appendf(p.line, `"_timestamp": %d.%09d, `, seconds, nanos)
		case 3:
			name, value := p.item(f.bytes)
			if bytes.IndexByte(name, '"') < 0 && bytes.IndexByte(name, '\\') < 0 && len(value) > 0 {
				p.line = append(append(append(append(p.line, `"system.`...), name...), `": `...), value...)
				p.line = append(p.line, ", "...)
			}
		}
	})
	p.line = append(bytes.TrimSuffix(p.line, []byte(", ")), '}')
	if ok && bytes.Contains(p.line, []byte(`"_timestamp"`)) && p.system.record(&jsonCursor{b: p.line}) {
		p.stats++
	}
}

// protoTime reads a Timestamp: whole seconds since 1970 and ns.
func protoTime(b []byte) (seconds, nanos int64, ok bool) {
	ok = protoFields(b, func(f protoField) {
		switch f.number {
		case 1:
			seconds = int64(f.value)
		case 2:
			nanos = int64(f.value % 1e9)
		}
	})
	return seconds, nanos, ok && seconds > 0 && seconds < 1<<33
}

func (p *wandbReader) notes() {
	f := p.out.File
	if p.cut {
		f.Note(fmt.Sprintf("ends in the middle of a record after %d whole ones, as when the process was killed", p.records))
	}
	if p.damaged > 0 {
		f.Note(fmt.Sprintf("damaged in %d places", p.damaged))
	}
	if p.history == 0 {
		f.Note(fmt.Sprintf("%d records, none of them history: nothing was logged in this run", p.records))
	}
	if p.stats > 0 {
		f.Note("system metrics are inside, one look every 2 to 30 s: too slow to be held against the depth of a queue")
		f.Clock.Kind = max(f.Clock.Kind, model.ClockUTC)
	}
}
