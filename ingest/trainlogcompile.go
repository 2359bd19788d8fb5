package ingest

import (
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// A compiler makes the shape of one line.
type compiler struct {
	p     *logParser
	b     []byte // the line behind its leading time
	s     *logShape
	h     logHead
	pl    places
	pairs []logPair
	bar   logBar
	isBar bool
	unit  string // that the first column gives to the others: "time (ms) | …"
}

// compile works out how a line is read. rest is the line behind its leading
// time, or all of it.
func (p *logParser) compile(line []byte, lead int, form uint8) *logShape {
	c := &compiler{p: p, b: line[lead:], s: &logShape{parser: p, form: form, depth: -1, capacity: -1, minimum: -1}}
	c.s.split(c.b)
	c.pl = c.s.places(c.b)
	c.head(form)
	c.s.cuts = form > 0 || c.h.stamp == stampClock && cutTrainLog(line)
	c.s.text = c.pl.at(c.h.text)
	text := c.b[c.h.text:c.h.end]
	c.s.empty = len(text) == 0 && c.h.peeled
	c.s.unsure = c.h.tried && c.h.stamp == stampNone
	c.s.sampler = samplerLine(c.b, &model.SamplerNote{})
	if c.s.sampler || len(text) == 0 {
		return c.s
	}
	c.s.trace = traceOf(c.b[:c.h.end], c.h)
	if c.s.trace == traceNothing || c.s.trace == traceIndent {
		c.find()
		c.build()
	}
	if kind := eventOf(text, c.h.level, c.s, c.pairs); kind != "" {
		c.s.event = p.out.Strings.Code(kind)
	}
	return c.s
}

// head reads the prefix.
func (c *compiler) head(form uint8) {
	i := 0
	if form > 0 {
		c.h.stamp, c.h.peeled = stampDated, true
		i = c.h.container(c.b, 0)
		if form >= 2 {
			for i < len(c.b) && i < 80 && c.b[i] != ']' {
				i++
			}
			if i < len(c.b) && c.b[i] == ']' {
				c.h.extras(c.b, 0, i)
				i++
			} else {
				i = 0
			}
		}
	}
	c.h.peel(c.b, i)
	if c.h.stamp == stampNone {
		c.h.keyed(c.b)
	}
	s := c.s
	s.level, s.indent, s.same = c.h.level, c.h.indent, c.h.blank
	if form == 0 && c.h.stamp != stampNone {
		s.stamp, s.at = c.h.stamp, c.pl.span(c.h.at, c.h.to)
	}
}

// find finds the pairs, those of a bar and around it too.
func (c *compiler) find() {
	from, end := c.h.text, c.h.end
	b := c.b[:end]
	if c.bar, c.isBar = barAt(b, from); !c.isBar {
		c.pairs = scanPairs(b, from, end)
		return
	}
	c.pairs = scanPairs(b, from, c.bar.from)
	if c.bar.hasPost {
		c.pairs = append(c.pairs, scanPairs(b, c.bar.post.from, c.bar.post.to)...)
	}
	if c.bar.to < end {
		c.pairs = append(c.pairs, scanPairs(b, c.bar.to, end)...)
	}
}

// build turns pairs into fields.
func (c *compiler) build() {
	if len(c.pairs) == 0 && !c.isBar {
		c.sources()
		return
	}
	s := c.s
	s.pairs, s.bar, s.bare = true, c.isBar, c.isBar && len(c.pairs) == 0
	s.fragment = c.b[c.h.text] == '\'' || c.b[c.h.text] == '"'
	c.columnUnit()
	step := c.chooseStep()
	if c.isBar {
		c.barFields()
	}
	for i := range c.pairs {
		c.pair(&c.pairs[i], i == step)
	}
	for i := range c.pairs {
		c.spell(c.pairs[i].name, c.pairs[i].from)
	}
	c.sources()
	c.queueFields()
	c.signature()
	for i := range s.fields {
		f := &s.fields[i]
		s.keys, s.units = append(s.keys, f.key), append(s.units, f.unit)
		if f.kind == numberPlain {
			f.run, f.runs = s.digitsAt(f.at)
			f.short = f.runs > 0 && !f.inverse && s.class[f.run] == runShort && s.lits[f.run] != "."
		}
		switch i {
		case s.depth:
			f.role = fieldDepth
		case s.capacity:
			f.role = fieldCapacity
		case s.minimum:
			f.role = fieldMinimum
		}
	}
	if n := len(s.keys); n > 0 && n <= mostValues {
		s.layout = model.NewLayout(s.keys, s.units)
	}
}

// columnUnit finds the unit that "time (ms) | forward: 652.41" gives to the
// columns after it.
func (c *compiler) columnUnit() {
	first := string(c.b[c.h.text:min(c.pairs0(), c.h.end)])
	if i := strings.Index(first, " | "); i > 0 {
		first = first[:i]
	}
	first = strings.TrimRight(first, " |")
	if open := strings.LastIndexByte(first, '('); open >= 0 && strings.HasSuffix(first, ")") {
		if _, ok := keyUnitWord(first[open+1 : len(first)-1]); ok {
			c.unit = first[open+1 : len(first)-1]
		}
	}
}

// pairs0 is where the first pair begins that is no rank.
func (c *compiler) pairs0() int {
	for i := range c.pairs {
		if !labels[strings.ToLower(c.pairs[i].key)] {
			return c.pairs[i].name
		}
	}
	return c.h.end
}

// chooseStep returns the pair that counts steps, -1 for none: the best named
// one, the first among equals.
func (c *compiler) chooseStep() int {
	if c.isBar && c.bar.n.to > 0 {
		c.s.counts, c.s.step = true, c.pl.span(c.bar.n.from, c.bar.n.to)
	}
	best, at := 0, -1
	for i := range c.pairs {
		p := &c.pairs[i]
		rank := stepRank(p.key)
		if rank == 2 && p.key == "s" && p.name != c.h.text || p.path || len(p.value.nums) == 0 || c.unit != "" {
			continue
		}
		n := p.value.nums[0]
		if p.key == "epoch/step" && len(p.value.nums) == 2 {
			n = p.value.nums[1]
		}
		if rank > best && !p.value.list && c.whole(n) {
			best, at = rank, i
			c.s.counts, c.s.step, c.s.grouped = true, c.pl.span(n.from, n.to), n.kind == numberGrouped
		}
	}
	return at
}

// whole reports whether a number is printed as a count.
func (c *compiler) whole(n logNumber) bool {
	if n.unit != "" || n.large != 0 || n.kind == numberGrouped {
		return n.unit == "" && n.large == 0
	}
	return n.kind == numberPlain && allDigits(c.b[n.from:n.to]) && n.to-n.from <= 15
}

// sources names who printed the line.
func (c *compiler) sources() {
	for _, sp := range c.h.source {
		c.s.source = append(c.s.source, c.pl.span(sp.from, sp.to))
	}
	digits := false
	for _, sp := range c.h.source {
		for _, x := range c.b[sp.from:sp.to] {
			digits = digits || isDigit(x)
		}
	}
	if c.s.fixed = !digits; c.s.fixed {
		c.s.origin = c.p.join(c.s, c.b, c.pl.starts)
	}
}

// pair adds the fields of one pair, and what it states in words.
func (c *compiler) pair(p *logPair, isStep bool) {
	key := p.key
	if labels[strings.ToLower(key)] && len(p.value.nums) == 1 && c.whole(p.value.nums[0]) {
		c.h.addSource(p.name, p.value.end)
		return
	}
	if key != "" && !(isStep && c.isBar) {
		c.s.stated = append(c.s.stated, logStatement{clean(key), c.pl.span(p.from, p.value.end)})
	}
	if isStep || p.value.text || p.value.null {
		return
	}
	for i := range p.value.nums {
		n := &p.value.nums[i]
		if p.value.fraction && i == 1 {
			if role, _ := queueKey(key, beforeKey(c.b, p.name)); role != queueDepth && role != queueGauge {
				break
			}
		}
		c.field(p, n)
	}
}

// field adds one number under its canonical key, in its base unit.
func (c *compiler) field(p *logPair, n *logNumber) {
	key, unit, scale := c.named(p.key, n)
	f := logField{at: c.pl.span(n.from, n.to), kind: n.kind, constant: n.constant * scale, scale: scale}
	if strings.EqualFold(key, "epoch") {
		f.role = fieldEpoch
	}
	f.stamp = n.kind == numberPlain && stampKeys[strings.ToLower(p.key)] && isEpoch(c.b[n.from:n.to])
	if !f.stamp && n.kind == numberPlain && stampKeys[strings.ToLower(p.key)] && (c.s.class[f.at.from.run] == runMiddle || c.s.class[f.at.from.run] == runLong) {
		c.s.unsure = true
	}
	if f.stamp && c.s.form == 0 && c.s.stamp == stampNone {
		c.s.stamp, c.s.at = stampEpoch, f.at
		return
	}
	f.key, f.unit = c.p.out.Strings.Code(clean(key)), c.p.out.Strings.Code(unit)
	c.s.fields = append(c.s.fields, f)
}

// stampKeys are keys whose value may be the time of the line.
var (
	stampKeys = wordSet("ts timestamp _timestamp time wall_time unix_time")
	labels    = wordSet("rank global_rank local_rank worker worker_id gpu_id device_id actor_id")
)

func isEpoch(b []byte) bool {
	_, ok := scan.Epoch(b)
	return ok && len(b) >= 10
}

// named returns the key to store, its base unit, and what the number is
// multiplied by.
func (c *compiler) named(key string, n *logNumber) (string, string, float64) {
	if key == "" {
		return rateKeys[n.unit], strings.TrimSuffix(n.unit, "/step"), n.scale * largeScale(n.large, false)
	}
	name, u, has := keyName(key)
	if !has && c.unit != "" {
		u, has = keyUnitWord(c.unit)
	}
	unit, scale := n.unit, n.scale
	switch {
	case unit == unitPer:
		unit = unitSecond
	case unit == "" && n.kind != numberDuration && has:
		unit, scale = u.base, u.scale
	}
	canonical := logKeys[name]
	switch {
	case (stepRank(key) > 0 || name == "step") && unit == unitSecond, name == "time" && unit == unitSecond && n.unit != "" && n.kind != numberDuration:
		canonical = "step_s"
	}
	if unit == "" {
		unit = canonicalUnits[canonical]
	}
	scale *= largeScale(n.large, unit == unitByte || bytesKey(name))
	if n.large != 0 && unit == "" && bytesKey(name) {
		unit = unitByte
	}
	if canonical == "" {
		canonical = key
	}
	return canonical + n.suffix, unit, scale
}

// rateKeys are the keys of numbers that only a unit names.
var rateKeys = map[string]string{unitTokens: "tok_s", unitItems: "items_s", unitSteps: "steps_s", unitPer: "step_s"}

// canonicalUnits are the units of bare numbers under names that leave no doubt.
var canonicalUnits = map[string]string{"tok_s": unitTokens, "items_s": unitItems, "steps_s": unitSteps, "step_s": unitSecond, "min_ready": unitCount}

// barFields adds the rate of a bar, as seconds a step.
func (c *compiler) barFields() {
	if c.bar.elapsed.to > c.bar.elapsed.from {
		at := c.pl.span(c.bar.elapsed.from, c.bar.elapsed.to)
		if c.s.form == 0 && c.s.stamp == stampNone {
			c.s.stamp, c.s.at = stampBar, at
		} else {
			c.s.timed, c.s.elapsed = true, at
		}
	}
	if !c.bar.hasRate {
		return
	}
	n := c.bar.rate.nums[0]
	key, unit, inverse := "step_s", unitSecond, n.unit == unitSteps
	if !c.bar.secondsOf && !inverse {
		key, unit = rateKeys[n.unit], n.unit
	}
	c.s.fields = append(c.s.fields, logField{
		at: c.pl.span(n.from, n.to), kind: n.kind, constant: n.constant, scale: n.scale * largeScale(n.large, false),
		key: c.p.out.Strings.Code(key), unit: c.p.out.Strings.Code(unit), inverse: inverse,
	})
}

// clean returns text as it may be stored: valid, and not too long.
func clean(s string) string {
	if len(s) > 256 {
		s = s[:256]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// spell makes the digits in b[from:to], part of a key, part of the shape.
func (c *compiler) spell(from, to int) {
	for k := c.pl.at(from).run; int(k) < len(c.s.class); k++ {
		at, end := int(c.pl.starts[k])+len(c.s.lits[k]), int(c.pl.starts[k+1])
		if at >= to {
			return
		}
		if at >= from {
			if c.s.words == nil {
				c.s.words = map[int]string{}
			}
			c.s.class[k], c.s.words[int(k)] = runWord, string(c.b[at:end])
			c.s.steps[k].least, c.s.steps[k].more = never, 0
		}
	}
}
