package compare

import (
	"fmt"
	"strings"

	"tidemark/internal/say"
)

// answer is the first line where the comparison is about a change of the set-up.
func (p *pair) answer(e estimate) {
	c := p.out
	c.Lead = p.lead(e)
	what, neutral := p.subject()
	m := p.find(throughputID)
	switch reason := p.idle(); {
	case neutral && reason != "":
		c.Headline = fmt.Sprintf("%s did not matter: %s; throughput %s%s.", what, reason, changeWords(e), within(m.Changed))
		if m.Changed {
			c.Lead = "Throughput changed for another reason" + p.because() + ". " + c.Lead
		}
	case !m.Changed:
		c.Headline = fmt.Sprintf("%s made no difference that this data can show: throughput %s.", what, changeWords(e))
	default:
		c.Headline = fmt.Sprintf("%s: throughput %s%s.", what, changeWords(e), p.because())
	}
	if e.lo > 0 && m.Changed && p.lossMoved() {
		c.Headline = strings.TrimSuffix(c.Headline, ".") + ", but no speed-up: " + p.lossWords() + "."
	}
}

func within(changed bool) string {
	if changed {
		return ""
	}
	return " is within the noise"
}

// subject names what was changed; queue says that only the capacity was.
func (p *pair) subject() (what string, queue bool) {
	if len(p.sets) == 1 && p.sets[0].Name == "capacity" && p.base[0].Pipeline.Capacity != nil && p.fresh[0].Pipeline.Capacity != nil {
		a, b := *p.base[0].Pipeline.Capacity, *p.fresh[0].Pipeline.Capacity
		how := "deeper"
		if b < a {
			how = "shallower"
		}
		return fmt.Sprintf("The %s queue (%s to %s)", how, say.Short(a), say.Short(b)), true
	}
	var parts []string
	for _, d := range p.sets {
		parts = append(parts, d.text())
	}
	s := strings.Join(parts, "; ")
	return strings.ToUpper(s[:1]) + s[1:], false
}

// idle says why the size of the queue cannot have limited either side: the
// queue was never full, so no put waited for room. "" where that is not known.
func (p *pair) idle() string {
	for _, side := range [][]*Run{p.base, p.fresh} {
		for _, r := range side {
			put, ok := r.Values[putID]
			if r.AtCapacity == nil || *r.AtCapacity > neverFull || ok && put.Mid > untouched {
				return ""
			}
		}
	}
	who := ""
	if a := sides(p.base); a == sides(p.fresh) && a != "" {
		who = lower(limiterWords(a)) + " in both, and "
	}
	return who + "neither queue was ever full"
}
