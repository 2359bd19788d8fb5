package ingest

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"tidemark/internal/archive"
	"tidemark/model"
)

// content is a member's text.
type content struct {
	io.Reader
	io.Closer
	at io.ReaderAt // where the text is the member's bytes as they stand
}

// open unpacks and transcodes a member, and returns its first bytes beside it.
func open(m archive.Member) (*content, []byte, error) {
	raw, err := m.Open()
	if err != nil {
		return nil, nil, err
	}
	u, packed, err := archive.Decompress(raw)
	if err != nil {
		raw.Close()
		return nil, nil, err
	}
	if packed { // once more, as of a profile that its writer had packed
		twice, _, err := archive.Decompress(u)
		if err != nil {
			closers{u, raw}.Close()
			return nil, nil, err
		}
		u = closing{twice, closers{twice, u}}
	}
	c := &content{Closer: closers{u, raw}}
	first := archive.Peek(u, 64)
	text, coded := decoded(first)
	if !coded && !packed {
		c.at = m.At
	}
	p := archive.Peek(text, model.HeadSize)
	if err := p.Err(); err != nil && err != io.EOF && len(p.Head) == 0 {
		c.Close()
		return nil, nil, err
	}
	c.Reader = p
	return c, p.Head, nil
}

// decoded returns text in UTF-8 without a byte-order mark, and whether it was
// anything else.
func decoded(p *archive.Peeked) (io.Reader, bool) {
	bom := string(p.Head[:min(3, len(p.Head))])
	little, wide := wideText(p.Head)
	switch {
	case strings.HasPrefix(bom, "\xff\xfe"), strings.HasPrefix(bom, "\xfe\xff"):
		return transform.NewReader(p, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()), true
	case wide:
		order := unicode.BigEndian
		if little {
			order = unicode.LittleEndian
		}
		return transform.NewReader(p, unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder()), true
	case bom == "\xef\xbb\xbf":
		p.Discard(3)
		return p, true
	}
	return p, false
}

// A closing is a reader with all that is to be closed after it.
type closing struct {
	io.Reader
	io.Closer
}

// wideText reports text in UTF-16 without a byte-order mark, as a later part of
// a file has none: every other of the first bytes is 0, the others are ASCII.
func wideText(b []byte) (little, wide bool) {
	if len(b) < 16 {
		return false, false
	}
	little = b[1] == 0
	for i := 0; i+1 < len(b); i += 2 {
		c, zero := b[i], b[i+1]
		if !little {
			c, zero = zero, c
		}
		if zero != 0 || c > '~' || c < ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false, false
		}
	}
	return little, true
}

type closers []io.Closer

func (c closers) Close() error {
	var err error
	for _, x := range c {
		err = errors.Join(err, x.Close())
	}
	return err
}
