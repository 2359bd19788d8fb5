package ingest

import (
	"bytes"
	"slices"

	"tidemark/model"
)

// findMedia finds the pictures, histograms and the like in a call of log. Newer
// writers take them apart: "_type" is then one item among those of its path.
func (p *wandbReader) findMedia(b []byte) {
	if p.media = p.media[:0]; !bytes.Contains(b, []byte("_type")) {
		return
	}
	protoFields(b, func(f protoField) {
		if f.number != 1 {
			return
		}
		name, _ := p.item(f.bytes)
		if path, ok := bytes.CutSuffix(name, []byte("_type")); ok && bytes.HasSuffix(path, []byte{'/'}) {
			p.media = append(p.media, string(path))
		}
	})
}

func (p *wandbReader) inMedia(name []byte) bool {
	return slices.ContainsFunc(p.media, func(path string) bool { return bytes.HasPrefix(name, []byte(path)) })
}

// item returns the name and the JSON of a HistoryItem or ConfigItem.
func (p *wandbReader) item(b []byte) (name, value []byte) {
	p.name = p.name[:0]
	protoFields(b, func(f protoField) {
		switch f.number {
		case 1, 2:
			if len(p.name) > 0 {
				p.name = append(p.name, '/')
			}
			p.name = append(p.name, f.bytes...)
		case 16:
			value = f.bytes
		}
	})
	return p.name, value
}

// config keeps settings as facts; W&B's own are none.
func (p *wandbReader) config(b []byte, at int64) {
	protoFields(b, func(f protoField) {
		if f.number != 1 {
			return
		}
		name, value := p.item(f.bytes)
		if len(name) > 0 && !bytes.HasPrefix(name, []byte("_wandb")) {
			p.setting(string(valid(name)), value, at, 0)
		}
	})
}

// setting keeps one setting, each member of an object by itself.
func (p *wandbReader) setting(name string, value []byte, at int64, depth int) {
	j := &jsonCursor{b: value}
	switch {
	case j.next() == '{' && depth < maxSheetDepth:
		j.members(func(key string) {
			j.next()
			from, to := j.span()
			p.setting(name+"/"+key, j.b[from:to], at, depth+1)
		})
	case len(value) > 0 && len(value) <= 200 && len(p.out.Facts) < maxSheetNames:
		p.out.Facts = append(p.out.Facts, model.Fact{Key: name, Value: unquote(string(valid(value))), Byte: at})
	}
}
