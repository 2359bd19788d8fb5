package model

import (
	"maps"
	"slices"
)

// Strings interns text: equal strings have equal codes. Code 0 is "".
type Strings struct {
	list []string
	code map[string]int32
}

// NewStrings returns a pool that holds only "".
func NewStrings() *Strings {
	return &Strings{list: []string{""}, code: map[string]int32{"": 0}}
}

// Code returns the code of s.
func (p *Strings) Code(s string) int32 {
	if c, ok := p.code[s]; ok {
		return c
	}
	return p.add(s)
}

// CodeBytes is Code without an allocation where b was seen before.
func (p *Strings) CodeBytes(b []byte) int32 {
	if c, ok := p.code[string(b)]; ok {
		return c
	}
	return p.add(string(b))
}

func (p *Strings) add(s string) int32 {
	c := int32(len(p.list))
	p.list = append(p.list, s)
	p.code[s] = c
	return c
}

// Find returns the code of s, -1 where the pool does not hold it.
func (p *Strings) Find(s string) int32 {
	if c, ok := p.code[s]; ok {
		return c
	}
	return -1
}

// At returns the string with code c.
func (p *Strings) At(c int32) string { return p.list[c] }

// Len returns the number of different strings.
func (p *Strings) Len() int { return len(p.list) }

// Map returns, for every code of q, the code of the same string in p, and the
// code under which all stand for the same strings in both.
func (p *Strings) Map(q *Strings) (m []int32, same int32) {
	m = make([]int32, q.Len())
	same = int32(len(m))
	for i, s := range q.list {
		if m[i] = p.Code(s); m[i] != int32(i) {
			same = min(same, int32(i))
		}
	}
	return m, same
}

// Clone returns a pool of its own with the same strings and codes.
func (p *Strings) Clone() *Strings {
	return &Strings{list: slices.Clone(p.list), code: maps.Clone(p.code)}
}
