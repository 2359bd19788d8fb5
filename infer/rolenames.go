package infer

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"tidemark/internal/lazy"
	"tidemark/model"
)

// Roles beside the two sides. The pools work for a side but are no workers of
// it; other is everybody whose role nothing tells.
const (
	RoleAutograd   = "autograd"
	RoleLoader     = "loader"
	RoleCollective = "collective"
	RoleCompile    = "compile"
	RoleOther      = "other"
)

// A roleWord is a word that names a role in thread, function and command names.
type roleWord struct {
	role  string
	words []string
}

// Words of the field, strongest first: a prompt loader of the targets is a
// loader, a trainer of the drafter a drafter.
var roleWords = []roleWord{
	{RoleLoader, []string{"loader", "dataloader", "prefetch", "prefetcher", "feeder", "reader"}},
	{model.Drafter, []string{"drafter", "drafters", "draft", "student", "consumer", "trainer", "learner"}},
	{model.Target, []string{"target", "targets", "teacher", "producer", "inference", "rollout", "generator"}},
}

// poolNames recognise the threads of runtimes by the names they give them.
var poolNames = []struct {
	role string
	re   func() *regexp.Regexp
}{
	{RoleAutograd, lazy.Regexp(`(?i)^pt_autograd|autograd`)},
	{RoleCollective, lazy.Regexp(`(?i)^pt_nccl|nccl|watchd(o)?g|heartb(ea)?t|gloo`)},
	{RoleLoader, lazy.Regexp(`(?i)^pt_pin_mem|pin_?mem|QueueFeeder`)},
	{RoleCompile, lazy.Regexp(`(?i)compile_?worker|inductor|subproc_?pool`)},
}

// nameRole reads a role out of a thread's name; "" where it names none.
func nameRole(name string) string {
	for _, p := range poolNames {
		if p.re().MatchString(name) {
			return p.role
		}
	}
	return wordRole(name)
}

func wordRole(name string) string {
	words := splitWords(name)
	for _, r := range roleWords {
		for _, w := range words {
			if slices.Contains(r.words, w) {
				return r.role
			}
		}
	}
	return ""
}

// splitWords cuts a name at what is no letter, and before capitals: HSQueue is
// one word, DrafterWorker two.
func splitWords(name string) []string {
	var words []string
	start, prev := -1, rune(0)
	flush := func(end int) {
		if start >= 0 && end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
		start = -1
	}
	for i, r := range name {
		if !unicode.IsLetter(r) {
			flush(i)
		} else {
			if unicode.IsUpper(r) && unicode.IsLower(prev) {
				flush(i)
			}
			if start < 0 {
				start = i
			}
		}
		prev = r
	}
	flush(len(name))
	return words
}

var roleFlag = lazy.Regexp(`(?:^|\s)--?(?:role|side|worker[-_]?(?:type|role|kind)|mode)[= ]+"?([\w-]+)`)

// commandRole reads a role out of a process's command line: a flag that says
// so, else the program's or module's name.
func commandRole(cmd string) string {
	if cmd == "" {
		return ""
	}
	if m := roleFlag().FindStringSubmatch(cmd); m != nil {
		if r := wordRole(m[1]); r != "" {
			return r
		}
	}
	for i, arg := range strings.Fields(cmd) {
		if i > 8 {
			break
		}
		if strings.HasSuffix(arg, ".py") || i > 0 && !strings.ContainsAny(arg, "=-/") {
			if r := nameRole(path.Base(arg)); r != "" {
				return r
			}
		}
	}
	if !strings.ContainsAny(cmd, " /") {
		return nameRole(cmd) // a title that the process gave itself
	}
	return ""
}

// A rolePattern is one entry of roles in the configuration.
type rolePattern struct {
	glob string
	re   *regexp.Regexp // nil where the text is no expression
	role string
}

// rolePatterns returns the configured patterns, the longest first.
func rolePatterns(roles map[string]string) []rolePattern {
	var list []rolePattern
	for _, k := range slices.Sorted(mapKeys(roles)) {
		p := rolePattern{glob: k, role: strings.ToLower(strings.TrimSpace(roles[k]))}
		if r := wordRole(p.role); r != "" {
			p.role = r
		}
		p.re, _ = regexp.Compile(`^(?:` + k + `)$`)
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b rolePattern) int { return len(b.glob) - len(a.glob) })
	return list
}

// match reports whether a pattern means a name: as a glob, or as a regular
// expression that matches all of it.
func (p rolePattern) match(name string) bool {
	if name == "" {
		return false
	}
	if ok, err := path.Match(p.glob, name); ok && err == nil {
		return true
	}
	return p.re != nil && p.re.MatchString(name)
}

func configured(list []rolePattern, names ...string) string {
	for _, p := range list {
		for _, n := range names {
			if p.match(n) {
				return p.role
			}
		}
	}
	return ""
}
