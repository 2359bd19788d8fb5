package stackrules

import "regexp/syntax"

// A head is how a match begins. Behind an open one anything may follow.
type head struct {
	text string
	open bool
}

// mostHeads bounds the heads of an expression; with more, it has none.
const mostHeads = 256

// headsOf returns strings of which any match of an anchored expression begins with
// one, nil if it does not tell.
func headsOf(re *syntax.Regexp) []string {
	var list []string
	for _, h := range heads(re) {
		if h.text == "" {
			return nil
		}
		list = append(list, h.text)
	}
	return list
}

var anything = []head{{"", true}}

// heads never returns none.
func heads(re *syntax.Regexp) []head {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 && spelled(re.Rune) {
			return []head{{string(re.Rune), false}}
		}
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpEndText:
		return []head{{"", false}}
	case syntax.OpCapture:
		return heads(re.Sub[0])
	case syntax.OpPlus:
		return opened(heads(re.Sub[0]))
	case syntax.OpQuest:
		return append(heads(re.Sub[0]), head{"", false})
	case syntax.OpAlternate:
		var list []head
		for _, s := range re.Sub {
			list = append(list, heads(s)...)
		}
		if len(list) <= mostHeads {
			return list
		}
	case syntax.OpConcat:
		return inTurn(re.Sub)
	}
	return anything
}

// inTurn returns the heads of expressions one behind the other.
func inTurn(subs []*syntax.Regexp) []head {
	list := []head{{"", false}}
	for _, s := range subs {
		next := heads(s)
		var longer []head
		for _, h := range list {
			if h.open {
				longer = append(longer, h)
				continue
			}
			for _, n := range next {
				longer = append(longer, head{h.text + n.text, n.open})
			}
		}
		if len(longer) > mostHeads {
			return opened(list)
		}
		list = longer
	}
	return list
}

func opened(list []head) []head {
	out := make([]head, len(list))
	for i, h := range list {
		out[i] = head{h.text, true}
	}
	return out
}
