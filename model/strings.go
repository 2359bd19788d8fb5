package model

// Strings interns text: equal strings have equal codes. Code 0 is "".
type Strings struct {
	list []string
	code map[string]int32
	size int
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
	p.size += len(s)
	return c
}

// At returns the string with code c.
func (p *Strings) At(c int32) string { return p.list[c] }

// Len returns the number of different strings.
func (p *Strings) Len() int { return len(p.list) }

// Map returns, for every code of q, the code of the same string in p.
func (p *Strings) Map(q *Strings) []int32 {
	m := make([]int32, q.Len())
	for i, s := range q.list {
		m[i] = p.Code(s)
	}
	return m
}
