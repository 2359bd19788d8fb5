package stackrules

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A labelled stack is one that was read by hand before the rules were.
type labelled struct {
	place, want, stack string
	not                string // rule whose pattern stands near and must not win
}

// readLabelled reads the files of labelled stacks; their form stands in them.
func readLabelled(t *testing.T) []labelled {
	t.Helper()
	paths, err := filepath.Glob("testdata/labelled/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no labelled stacks", err)
	}
	var list []labelled
	for _, p := range paths {
		list = append(list, labelledIn(t, p)...)
	}
	return list
}

func labelledIn(t *testing.T, path string) []labelled {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []labelled
	var want, not string
	var prefixes []string // name, text, name, text
	sc := bufio.NewScanner(f)
	for n := 1; sc.Scan(); n++ {
		line := strings.NewReplacer(prefixes...).Replace(strings.TrimSpace(sc.Text()))
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '=':
			want, not, _ = strings.Cut(strings.TrimSpace(line[1:]), " not ")
		case strings.HasPrefix(sc.Text(), "$") && strings.Contains(sc.Text(), " = "):
			name, text, _ := strings.Cut(sc.Text(), " = ")
			prefixes = append([]string{name, strings.NewReplacer(prefixes...).Replace(text)}, prefixes...)
		default:
			list = append(list, labelled{path + ":" + strconv.Itoa(n), want, line, not})
		}
	}
	return list
}

// TestLabelled: at least 300 stacks, 97 of 100 right. Those that are wrong are
// printed: they are what the rules cannot tell yet.
func TestLabelled(t *testing.T) {
	r := load(t)
	list := readLabelled(t)
	right := 0
	for _, l := range list {
		k := classified(r, l.stack)
		if got := k.Mechanism + " " + k.Cause + " " + string(k.State); got != l.want {
			t.Logf("%s: %s by %s, want %s:\n    %s", l.place, got, k.Rule, l.want, l.stack)
			continue
		}
		right++
	}
	t.Logf("%d of %d right", right, len(list))
	if len(list) < 300 || float64(right) < 0.97*float64(len(list)) {
		t.Errorf("%d of %d labelled stacks right, want 97 %% of at least 300", right, len(list))
	}
}

func classified(r *Rules, line string) Class {
	frames, path := stack(line)
	return NewClassifier(r, len(frames), func(c int32) Frame { return frames[c] }).Classify(path)
}

// TestEveryRule: each rule names a labelled stack rightly, and each has one
// where its pattern matches a frame and another rule must win, or that says
// that it must not.
func TestEveryRule(t *testing.T) {
	r := load(t)
	positive, negative := map[string]bool{}, map[string]bool{}
	for _, l := range readLabelled(t) {
		k := classified(r, l.stack)
		right := k.Mechanism+" "+k.Cause+" "+string(k.State) == l.want
		if right {
			positive[k.Rule], positive["cause "+k.Cause] = true, true
		}
		if l.not != "" && (l.not == k.Rule || l.not == k.Mechanism || l.not == "cause "+k.Cause) {
			t.Errorf("%s: %s named it, which must not:\n    %s", l.place, k.Rule, l.stack)
		}
		if right {
			r.near(l, k, negative)
		}
	}
	for _, m := range r.mechanisms {
		if !positive[m.rule] || !negative[m.rule] {
			t.Errorf("rule %s: positive case %t, negative case %t, want both", m.rule, positive[m.rule], negative[m.rule])
		}
	}
	for _, c := range r.causes {
		if !positive["cause "+c.id] || !negative["cause "+c.id] {
			t.Errorf("cause %s: positive case %t, negative case %t, want both", c.id, positive["cause "+c.id], negative["cause "+c.id])
		}
	}
}

// near marks the rules whose pattern a stack meets and which do not name it.
func (r *Rules) near(l labelled, k Class, negative map[string]bool) {
	if l.not != "" {
		negative[l.not] = true
	}
	frames, _ := stack(l.stack)
	for _, f := range frames {
		b := r.bits(f)
		for _, m := range r.mechanisms {
			if b.has(m.test) && m.rule != k.Rule {
				negative[m.rule] = true
			}
		}
		for _, c := range r.causes {
			if c.test >= 0 && b.has(c.test) && c.id != k.Cause {
				negative["cause "+c.id] = true
			}
		}
	}
}
