package ingest

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// maxSignature is how long the signature of a template may be, so that the
// table of strings stays small; a longer one ends in a hash of all of it.
const maxSignature = 120

// signature names the kind of record: the class of its source and the text
// with every number and value masked.
func (c *compiler) signature() {
	var sb strings.Builder
	for _, sp := range c.h.source {
		if sp.to <= c.h.text { // a rank printed as a pair stands in the text
			maskWords(&sb, c.b[sp.from:sp.to])
			sb.WriteByte(' ')
		}
	}
	i := c.h.text
	mask := func(from, to int) {
		if from >= i && to > from {
			maskWords(&sb, c.b[i:from])
			sb.WriteByte('#')
			i = to
		}
	}
	for k := range c.pairs {
		p := &c.pairs[k]
		if c.isBar && p.name >= c.bar.from {
			c.maskBar(&sb, &i)
		}
		if p.name >= i && p.from > p.name {
			maskWords(&sb, c.b[i:p.name])
			sb.Write(c.b[p.name:p.from])
			i = p.from
		}
		switch {
		case p.key == "": // the unit is its name
			mask(p.from, p.value.nums[0].to)
		case !p.value.text:
			mask(p.from, p.value.end)
		}
	}
	if c.isBar {
		c.maskBar(&sb, &i)
	}
	if i < c.h.end {
		maskWords(&sb, c.b[i:c.h.end])
	}
	text := squeeze(clean2(sb.String()))
	if len(text) > maxSignature {
		h := fnv.New32a()
		h.Write([]byte(text))
		text = fmt.Sprintf("%s… %08x", strings.ToValidUTF8(text[:maxSignature-12], ""), h.Sum32())
	}
	c.s.code = c.p.out.Strings.Code(text)
	c.s.bind(c.p)
}

func clean2(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// maskBar writes a bar as one word, once.
func (c *compiler) maskBar(sb *strings.Builder, i *int) {
	if *i > c.bar.from {
		return
	}
	maskWords(sb, c.b[*i:c.bar.from])
	sb.WriteString("bar")
	*i = c.bar.to
	if c.bar.hasPost {
		*i = c.bar.post.from
	}
}

// maskWords writes text with every word that has a digit in it masked.
func maskWords(sb *strings.Builder, b []byte) {
	for i := 0; i < len(b); {
		j, digit := i, false
		for j < len(b) && (isLetter(b[j]) || isDigit(b[j])) {
			digit = digit || isDigit(b[j])
			j++
		}
		switch {
		case digit:
			sb.WriteByte('#')
		case j > i:
			sb.Write(b[i:j])
		default:
			sb.WriteByte(b[i])
			j = i + 1
		}
		i = j
	}
}

// squeeze makes every run of blanks one.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
